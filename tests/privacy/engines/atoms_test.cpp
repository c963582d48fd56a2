#include "privacy/engines/atoms.h"

#include <gtest/gtest.h>

#include "privacy/engines/step.h"
#include "support/seeded_random.h"
#include "support/truth.h"

namespace modicum::testing::atoms_test {
namespace {

constexpr Kernel all_kernels[] = {Kernel::profile, Kernel::upper_tail, Kernel::lower_tail,
                                  Kernel::tilted_upper, Kernel::tilted_lower};

std::vector<Atom> random_atoms(SeededRandom& random, int size) {
  std::vector<Atom> atoms;
  for (int i = 0; i < size; ++i) {
    const Ball loss = random.whole(-4, 4) * 0.25, weight = random.unit();  // ties on purpose
    atoms.push_back({loss, weight, weight * exp(-loss)});
  }
  return atoms;
}

TEST(PairedQuantity, IsTheSumOverAllPairs) {
  SeededRandom random(81);
  const PrecisionScope scope(160);
  for (int i = 0; i < 100; ++i) {
    const std::vector<Atom> left = random_atoms(random, random.whole(1, 12));
    const std::vector<Atom> right = random_atoms(random, random.whole(1, 12));
    const Ball shift = i % 2 == 0 ? random.whole(-9, 9) * 0.25 : random.uniform(-2.5, 2.5);
    for (const Kernel kernel : all_kernels) {
      Ball truth;
      for (const Atom& a : left)
        for (const Atom& b : right)
          truth += a.weight * b.weight * point_quantity(shift - a.loss - b.loss, kernel);
      const Ball found = paired_quantity(left, right, shift, kernel);
      EXPECT_TRUE(arb_overlaps(found.raw(), truth.raw())) << i << " " << static_cast<int>(kernel);
      EXPECT_LE(mag_get_d(arb_radref(found.raw())), 1e-40);
    }
  }
}

}  // namespace
}  // namespace modicum::testing::atoms_test
