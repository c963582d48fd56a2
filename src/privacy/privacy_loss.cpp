#include "modicum/privacy/privacy_loss.h"

#include <algorithm>

#include "modicum/numerics/errors.h"
#include "numerics/precise_ball.h"
#include "privacy/laws/loss_law.h"

namespace modicum {
namespace {

// So many that what an infinite mass close to 1 leaves to 1 keeps its digits.
constexpr long bits_of_mass = 1200;

// Adds parts, joining those with the same parameter.
template <class Part>
void join(std::vector<Part>& parts, const std::vector<Part>& others, Precise Part::*parameter) {
  for (const Part& other : others) {
    const auto same = std::find_if(parts.begin(), parts.end(), [&](const Part& part) {
      return part.*parameter == other.*parameter;
    });
    if (same == parts.end()) parts.push_back(other);
    else same->count = require_count("total count", same->count + other.count);
  }
}

}  // namespace

void DirectedLoss::add(const DirectedLoss& other) {
  gaussian.add(other.gaussian);
  join(two_points, other.two_points, &TwoPointPart::epsilon);
  join(laplaces, other.laplaces, &LaplacePart::range);
  for (const LawPart& part : other.laws) {
    const auto same =
        std::ranges::find_if(laws, [&](const LawPart& own) { return own.law->equals(*part.law); });
    if (same == laws.end()) laws.push_back(part);
    else same->count = require_count("total count", same->count + part.count);
  }
  const PrecisionScope scope(bits_of_mass);
  const Ball a = to_ball(infinite_mass), b = to_ball(other.infinite_mass);
  infinite_mass = to_precise("infinite mass", a + b - a * b);
  mutually_singular = mutually_singular || other.mutually_singular;
  upper_bound = upper_bound || other.upper_bound;
}

DirectedLoss DirectedLoss::repeated(double count) const {
  require_count("count", count);
  DirectedLoss result = *this;
  result.gaussian = gaussian.repeated(count);
  for (TwoPointPart& part : result.two_points)
    part.count = require_count("total count", part.count * count);
  for (LaplacePart& part : result.laplaces)
    part.count = require_count("total count", part.count * count);
  for (LawPart& part : result.laws) part.count = require_count("total count", part.count * count);
  const PrecisionScope scope(bits_of_mass);
  if (count > 1.0)
    result.infinite_mass =
        to_precise("infinite mass", -expm1(log1p(-to_ball(infinite_mass)) * Ball(count)));
  return result;
}

PrivacyLoss::PrivacyLoss(DirectedLoss forward, DirectedLoss reverse)
    : forward_(std::move(forward)), reverse_(std::move(reverse)) {}

PrivacyLoss PrivacyLoss::gaussian(const GaussianSpectrum& spectrum) {
  DirectedLoss forward, reverse;
  forward.gaussian = spectrum;
  reverse.gaussian = spectrum.reversed();
  return {forward, reverse};
}

PrivacyLoss PrivacyLoss::mutually_singular() {
  DirectedLoss loss;
  loss.mutually_singular = true;
  return {loss, loss};
}

PrivacyLoss PrivacyLoss::two_point(const Precise& epsilon) {
  require_non_negative("epsilon", require_precise("epsilon", epsilon).high);
  DirectedLoss loss;
  if (!epsilon.is_exactly(0.0)) loss.two_points.push_back({epsilon, 1.0});
  return {loss, loss};
}

PrivacyLoss PrivacyLoss::laplace(const Precise& range) {
  require_non_negative("range", require_precise("range", range).high);
  DirectedLoss loss;
  if (!range.is_exactly(0.0)) loss.laplaces.push_back({range, 1.0});
  return {loss, loss};
}

PrivacyLoss PrivacyLoss::law(std::shared_ptr<const LossLaw> forward,
                             std::shared_ptr<const LossLaw> reverse) {
  DirectedLoss first, second;
  first.laws.push_back({std::move(forward), 1.0});
  second.laws.push_back({std::move(reverse), 1.0});
  return {first, second};
}

PrivacyLoss PrivacyLoss::infinite_with_probability(double delta) {
  if (!(delta >= 0.0 && delta < 1.0))
    throw InvalidParameter("delta", delta, "must be at least 0 and below 1");
  return infinite_with_probability(Precise::exactly(delta), Precise::exactly(delta));
}

PrivacyLoss PrivacyLoss::infinite_with_probability(const Precise& forward, const Precise& reverse) {
  DirectedLoss first, second;
  first.infinite_mass = require_precise("forward", forward);
  second.infinite_mass = require_precise("reverse", reverse);
  return {first, second};
}

void PrivacyLoss::compose(const PrivacyLoss& other) {
  forward_.add(other.forward_);
  reverse_.add(other.reverse_);
}

PrivacyLoss PrivacyLoss::repeated(double count) const {
  return {forward_.repeated(count), reverse_.repeated(count)};
}

namespace {

std::shared_ptr<const LossLaw> sum_of_copies(const DirectedLoss& loss) {
  const bool alone = loss.gaussian.is_trivial() && loss.two_points.empty() &&
                     loss.laplaces.empty() && loss.laws.size() == 1;
  if (!alone || !(loss.laws.front().count > 1.0)) return nullptr;
  return loss.laws.front().law->copies(loss.laws.front().count);
}

}  // namespace

std::optional<PrivacyLoss> PrivacyLoss::with_copies_joined() const {
  const auto forward = sum_of_copies(forward_);
  if (forward == nullptr) return std::nullopt;
  const auto reverse = is_symmetric() ? forward : sum_of_copies(reverse_);
  if (reverse == nullptr) return std::nullopt;
  PrivacyLoss result = *this;
  result.forward_.laws = {{forward, 1.0}};
  result.reverse_.laws = {{reverse, 1.0}};
  return result;
}

PrivacyLoss PrivacyLoss::as_upper_bound() const {
  PrivacyLoss result = *this;
  result.forward_.upper_bound = result.reverse_.upper_bound = true;
  return result;
}

bool PrivacyLoss::is_symmetric() const {
  const bool same_laws =
      std::ranges::equal(forward_.laws, reverse_.laws,
                         [](const LawPart& a, const LawPart& b) { return a.law == b.law; });
  return forward_.gaussian.is_pure_shift() && same_laws &&
         forward_.infinite_mass == reverse_.infinite_mass;
}

}  // namespace modicum
