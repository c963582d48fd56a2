// Black-box audits of samples that are arrays.
#include <pybind11/stl.h>

#include "modicum/auditing/black_box.h"
#include "modicum/auditing/pair_audit.h"
#include "python/bindings.h"

namespace modicum {
namespace {

namespace py = pybind11;
using namespace py::literals;

// A row is one output.
Samples samples_in(const char* name, const Array& outputs) {
  if (outputs.ndim() != 2)
    throw InvalidParameter(name, static_cast<double>(outputs.ndim()), "must have two dimensions");
  const auto width = static_cast<std::size_t>(outputs.shape(1));
  Samples samples;
  for (py::ssize_t i = 0; i < outputs.shape(0); ++i)
    samples.add({outputs.data() + static_cast<std::size_t>(i) * width, width});
  return samples;
}

py::dict audit(const Array& with_record, const Array& without_record, double epsilon, double delta,
               double confidence) {
  const PrivacyTarget claim(epsilon, delta);
  const Samples with = samples_in("with_record", with_record);
  const Samples without = samples_in("without_record", without_record);
  const BlackBoxAudit found = [&] {
    const py::gil_scoped_release others_may_run;
    SecureSource source;
    return audit_samples(with, without, claim, confidence, source);
  }();
  return py::dict("verdict"_a = to_string(found.verdict), "p_value"_a = found.p_value,
                  "epsilon_lower_bound"_a = found.epsilon_lower_bound,
                  "delta_lower_bound"_a = found.delta_lower_bound, "trials"_a = found.trials,
                  "guesses"_a = found.guesses, "right"_a = found.right,
                  "distinguisher"_a = found.distinguisher);
}

}  // namespace

void bind_audits(py::module_& module) {
  module.def(
      "verdict",
      [](double claimed, double lower, double upper) {
        return to_string(verdict_on(claimed, {lower, upper}));
      },
      py::kw_only(), "claimed"_a, "lower"_a, "upper"_a);
  module.def("audit_samples", &audit, "with_record"_a, "without_record"_a, py::kw_only(),
             "epsilon"_a, "delta"_a, "confidence"_a);
}

}  // namespace modicum
