#include "release/descriptions/disc_mechanism.h"

#include "release/descriptions/label_words.h"

namespace modicum::described {

void Discs::fields(Fields& fields) {
  fields.add("probabilities", noise.probabilities, "of discs of radius width, 2 width, ...")
      .required();
  fields.add("width", noise.width, "by which the radii of the discs differ").required();
  fields.add("sensitivity", sensitivity, sensitivity_help).required();
}
PrivacyLoss Discs::loss(const Setting&) const { return disc_noise(noise, sensitivity); }
std::string Discs::label() const {
  return fmt::format("uniform in a disc of random radius up to {}{}",
                     noise.width * static_cast<double>(noise.probabilities.size()),
                     unless_one("sensitivity", sensitivity));
}

}  // namespace modicum::described
