#include "release/descriptions/integer_mechanisms.h"

#include "modicum/mechanisms/discrete.h"
#include "modicum/mechanisms/integer_noise.h"
#include "release/descriptions/label_words.h"

namespace modicum::described {

void DiscreteGaussian::fields(Fields& fields) {
  fields.add("sigma", sigma, "of the masses exp(-k^2 / (2 sigma^2))").required();
  fields.add("sensitivity", sensitivity, sensitivity_help).required();
}
PrivacyLoss DiscreteGaussian::loss(const Setting&) const {
  return discrete_gaussian(sigma, sensitivity);
}
std::string DiscreteGaussian::label() const {
  return fmt::format("discrete Gaussian, sigma {}{}", sigma,
                     unless_one("sensitivity", sensitivity));
}

void DiscreteLaplace::fields(Fields& fields) {
  fields.add("scale", scale, "of the masses exp(-|k| / scale)").required();
  fields.add("sensitivity", sensitivity, sensitivity_help).required();
}
PrivacyLoss DiscreteLaplace::loss(const Setting&) const {
  return discrete_laplace(scale, sensitivity);
}
std::string DiscreteLaplace::label() const {
  return fmt::format("discrete Laplace, scale {}{}", scale, unless_one("sensitivity", sensitivity));
}

void AnyIntegerNoise::fields(Fields& fields) {
  fields.add("probabilities", probabilities, "of the whole numbers from first on").required();
  fields.add("first", first, "the least value of the noise").required();
  fields.add("sensitivity", sensitivity, sensitivity_help).required();
}
PrivacyLoss AnyIntegerNoise::loss(const Setting&) const {
  return integer_noise({probabilities, first}, sensitivity);
}
std::string AnyIntegerNoise::label() const {
  return fmt::format("noise on {} integers from {} on{}", probabilities.size(), first,
                     unless_one("sensitivity", sensitivity));
}

}  // namespace modicum::described
