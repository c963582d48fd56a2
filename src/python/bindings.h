// The Python module, part by part. No formulas: each function converts, calls, converts back, and
// lets other Python threads run in between.
#pragma once

#include <pybind11/numpy.h>
#include <pybind11/pybind11.h>

#include <string>

namespace modicum {

/// Doubles, rows one after the other; what is not is copied.
using Array = pybind11::array_t<double, pybind11::array::c_style | pybind11::array::forcecast>;

void bind_errors(pybind11::module_& module);
void bind_losses(pybind11::module_& module);
void bind_frames(pybind11::module_& module);
void bind_jobs(pybind11::module_& module);
void bind_gathering(pybind11::module_& module);
void bind_audits(pybind11::module_& module);
void bind_samplers(pybind11::module_& module);
void bind_post_processing(pybind11::module_& module);

}  // namespace modicum
