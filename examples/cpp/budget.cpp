// What a year of releases costs, and the noise that one more answer may have.
#include <modicum/calibration/calibrate.h>
#include <modicum/mechanisms/gaussian.h>
#include <modicum/mechanisms/laplace.h>
#include <modicum/numerics/errors.h>
#include <modicum/privacy/profile.h>

#include <cstdio>

int main() {
  using namespace modicum;
  try {
    // Each week a Gaussian answer, each month a Laplace one.
    PrivacyLoss year = gaussian_mechanism(/*standard_deviation=*/20, /*sensitivity=*/1).repeated(52);
    year.compose(laplace_mechanism(/*scale=*/15, /*sensitivity=*/1).repeated(12));

    const ProfilePoint point = profile(year, /*epsilon=*/1.5);
    // Rounded for print; upper() itself is the safe number.
    std::printf("delta at epsilon 1.5: %.6g (%s)\n", point.delta().upper(),
                point.proof == Proof::certified ? "proved" : "estimated");

    const Answer epsilon = epsilon_at(year, /*delta=*/1e-6);
    std::printf("epsilon at delta 1e-6: %.6g\n", epsilon.value.upper());

    // The least noise with which one more answer keeps the year within (2.5, 1e-6).
    const auto with_one_more = [&](double deviation) {
      PrivacyLoss loss = year;
      loss.compose(gaussian_mechanism(deviation, 1));
      return loss;
    };
    const Calibration last = smallest_noise(with_one_more, PrivacyTarget(2.5, 1e-6), 10);
    std::printf("one more answer needs a standard deviation of %.6g\n", last.parameter);
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
