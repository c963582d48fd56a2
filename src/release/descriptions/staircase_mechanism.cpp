#include "release/descriptions/staircase_mechanism.h"

#include "release/descriptions/label_words.h"

namespace modicum::described {

void DiscreteStaircase::fields(Fields& fields) {
  fields.add("epsilon", staircase.epsilon, "by which the logarithm of the mass falls at a step")
      .required();
  fields.add("inner", staircase.inner, "where the first step ends: |k| < inner").required();
  fields.add("sensitivity", staircase.sensitivity, sensitivity_help).required();
}
PrivacyLoss DiscreteStaircase::loss(const Setting&) const { return discrete_staircase(staircase); }
std::string DiscreteStaircase::label() const {
  return fmt::format("staircase on the integers, epsilon {}{}", staircase.epsilon,
                     unless_one("sensitivity", staircase.sensitivity));
}

}  // namespace modicum::described
