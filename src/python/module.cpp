#include "modicum/calibration/calibrate.h"
#include "modicum/interfaces/command_line.h"
#include "modicum/release/description.h"
#include "modicum/version.h"
#include "python/bindings.h"

namespace modicum {

namespace py = pybind11;

// Every error of the library is a ValueError. Later registrations are asked first, so that the most
// special one answers.
void bind_errors(py::module_& module) {
  const auto error = py::register_exception<Error>(module, "Error", PyExc_ValueError);
  py::register_exception<InvalidParameter>(module, "InvalidParameter", error);
  py::register_exception<InvalidDescription>(module, "InvalidDescription", error);
  py::register_exception<UsageError>(module, "UsageError", error);
  py::register_exception<UnreadableFile>(module, "UnreadableFile", error);
  const auto target = py::register_exception<TargetUnreachable>(module, "TargetUnreachable", error);
  py::register_exception<CalibrationFailed>(module, "CalibrationFailed", target);
}

}  // namespace modicum

PYBIND11_MODULE(_core, module) {
  module.doc() = "What the package modicum is made of. Use the package.";
  module.attr("__version__") = modicum::version;
  modicum::bind_errors(module);
  modicum::bind_losses(module);
  modicum::bind_frames(module);
  modicum::bind_jobs(module);
  modicum::bind_gathering(module);
  modicum::bind_audits(module);
  modicum::bind_samplers(module);
  modicum::bind_post_processing(module);
}
