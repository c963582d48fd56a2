// Compositions of two-point, Laplace and Gaussian losses and of infinite mass.
#include <vector>

#include "checks.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/mechanisms/laplace.h"
#include "modicum/mechanisms/random_projection.h"
#include "modicum/mechanisms/randomized_response.h"

namespace modicum::fuzz {
namespace {

// Counts are bounded so that one input costs a bounded time.
constexpr double most_two_points = 0x1p20, most_laplaces = 64.0;

PrivacyLoss read_mechanism(Input& input, Record& record) {
  switch (input.below(8)) {
    case 0: {
      const double truth = input.one_in(4) ? input.number() : input.fraction();
      record.note("randomized_response({})", truth);
      return randomized_response(truth);
    }
    case 1: {
      const double epsilon = input.number();
      record.note("pure_guarantee({})", epsilon);
      return pure_guarantee(epsilon);
    }
    case 2: {
      const double epsilon = input.number();
      const double delta = input.one_in(4) ? input.number() : input.fraction();
      record.note("approximate_guarantee({}, {})", epsilon, delta);
      return approximate_guarantee(epsilon, delta);
    }
    case 3:
    case 4: {
      const double scale = input.number(), sensitivity = input.number();
      record.note("laplace_mechanism({}, {})", scale, sensitivity);
      return laplace_mechanism(scale, sensitivity);
    }
    case 5: {
      const double deviation = input.number(), sensitivity = input.number();
      record.note("gaussian_mechanism({}, {})", deviation, sensitivity);
      return gaussian_mechanism(deviation, sensitivity);
    }
    case 6: {
      const double columns = input.count(0x1p53), leverage = input.fraction();
      record.note("random_projection({}, {})", columns, leverage);
      return random_projection(columns, leverage);
    }
    default: {
      const double delta = input.one_in(4) ? input.number() : input.fraction();
      record.note("infinite_with_probability({})", delta);
      return PrivacyLoss::infinite_with_probability(delta);
    }
  }
}

PrivacyLoss read_composition(Input& input, Record& record) {
  PrivacyLoss loss;
  const unsigned parts = 1 + input.below(4);
  for (unsigned i = 0; i < parts; ++i) {
    const PrivacyLoss part = read_mechanism(input, record);
    const double most = part.forward().laplaces.empty() ? most_two_points : most_laplaces;
    const double count = input.count(most);
    if (count > most) continue;  // a number out of the blue, too large to be bounded in time
    record.note("  repeated({})", count);
    loss.compose(part.repeated(count));
  }
  return loss;
}

void run(Input& input) {
  Record record;
  const Questions questions = Questions::read(input, record);
  PrivacyLoss loss;
  if (succeeds(record, "a composition", [&] { loss = read_composition(input, record); }))
    check_loss(record, loss, questions);
}

}  // namespace
}  // namespace modicum::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  modicum::fuzz::Input input(data, size);
  modicum::fuzz::run(input);
  return 0;
}
