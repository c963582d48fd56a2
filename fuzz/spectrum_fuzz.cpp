// Gaussian spectra of a few components, with numbers of every size.
#include "checks.h"
#include "modicum/privacy/privacy_loss.h"

namespace modicum::fuzz {
namespace {

// Throws an Error for parameters that are refused.
GaussianSpectrum read_spectrum(Input& input, Record& record) {
  GaussianSpectrum spectrum;
  const unsigned components = input.below(5);
  for (unsigned i = 0; i < components; ++i) {
    if (input.one_in(4)) {
      const double numerator = input.number(), denominator = input.number();
      record.note("add shift({}, {})", numerator, denominator);
      spectrum.add(GaussianSpectrum::shift(numerator, denominator));
    } else {
      const double mean = input.number();
      const double ratio = input.one_in(8) ? input.number() : input.positive();
      const double multiplicity = input.count(0x1p53);
      record.note("add component({}, {}, {})", mean, ratio, multiplicity);
      spectrum.add(GaussianSpectrum::component(mean, ratio, multiplicity));
    }
  }
  if (input.one_in(4)) {
    record.note("reversed");
    spectrum = spectrum.reversed();
  }
  if (input.one_in(4)) {
    const double count = input.count(0x1p53);
    record.note("repeated({})", count);
    spectrum = spectrum.repeated(count);
  }
  return spectrum;
}

void run(Input& input) {
  Record record;
  const Questions questions = Questions::read(input, record);
  PrivacyLoss loss;
  if (succeeds(record, "a spectrum",
               [&] { loss = PrivacyLoss::gaussian(read_spectrum(input, record)); }))
    check_loss(record, loss, questions);
}

}  // namespace
}  // namespace modicum::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  modicum::fuzz::Input input(data, size);
  modicum::fuzz::run(input);
  return 0;
}
