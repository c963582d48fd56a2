#include "mechanisms/optimal/finite_pair.h"

#include <algorithm>

#include "numerics/precise_ball.h"
#include "privacy/laws/lattice_law.h"

namespace modicum {
namespace {

// Losses are logarithms of quotients of doubles, which differ from every double but 0 by far more
// than this precision leaves open.
constexpr long bits_of_losses = 256;

struct FiniteAtom {
  Ball loss, x, y;
};

class FinitePairLaw final : public LossLaw {
 public:
  explicit FinitePairLaw(std::vector<FiniteAtom> atoms) : atoms_(std::move(atoms)) {
    const PrecisionScope scope(bits_of_losses);
    std::ranges::sort(atoms_, [](const FiniteAtom& a, const FiniteAtom& b) {
      return arf_cmp(arb_midref(a.loss.raw()), arb_midref(b.loss.raw())) < 0;
    });
    const std::size_t size = atoms_.size();
    above_x_.resize(size + 1);
    above_y_.resize(size + 1);
    below_x_.resize(size + 1);
    below_y_.resize(size + 1);
    for (std::size_t i = 0; i < size; ++i) {
      below_x_[i + 1] = below_x_[i] + atoms_[i].x;
      below_y_[i + 1] = below_y_[i] + atoms_[i].y;
    }
    for (std::size_t i = size; i-- > 0;) {
      above_x_[i] = above_x_[i + 1] + atoms_[i].x;
      above_y_[i] = above_y_[i + 1] + atoms_[i].y;
    }
  }

  LossTails tails(double loss, Accuracy) const override {
    const PrecisionScope scope(bits_of_losses);
    const auto next = std::ranges::partition_point(atoms_, [&](const FiniteAtom& each) {
      return (each.loss - Ball(loss)).surely_nonpositive();
    });
    if (next != atoms_.end() && !(next->loss - Ball(loss)).surely_positive())
      return LossTails::unknown();
    const auto place = static_cast<std::size_t>(next - atoms_.begin());
    return {above_x_[place], below_x_[place], above_y_[place], below_y_[place]};
  }
  double cost(Accuracy) const override { return 4e-6; }
  bool is_discrete() const override { return true; }
  std::vector<LossValue> values() const override {
    std::vector<LossValue> result;
    if (atoms_.size() > few_values) return result;
    for (const FiniteAtom& each : atoms_) {
      // Points with the same loss are one.
      if (!result.empty() && arb_equal(result.back().loss.raw(), each.loss.raw()) != 0)
        result.back().mass += each.x;
      else result.push_back({each.loss, each.x});
    }
    return result;
  }
  Enclosure support() const override {
    return {atoms_.front().loss.lower(), atoms_.back().loss.upper()};
  }
  QuantityValue moment(const Ball& x) const override {
    return {sum_of([&](const FiniteAtom& each) { return exp(x * each.loss); })};
  }
  std::optional<Ball> mean() const override {
    return sum_of([](const FiniteAtom& each) { return each.loss; });
  }
  LossNodes nodes(double, double, int) const override { return nodes_of(values()); }
  MomentLine moment_line(const Ball& center, double) const override {
    return line_of(values(), center);
  }
  bool proves_quickly() const override { return atoms_.size() <= few_values; }
  std::shared_ptr<const LossLaw> copies(double count) const override {
    return sum_of_values(values(), count);
  }
  bool equals(const LossLaw& other) const override {
    const auto* same = dynamic_cast<const FinitePairLaw*>(&other);
    const auto equal = [](const Ball& a, const Ball& b) {
      return arb_equal(a.raw(), b.raw()) != 0;
    };
    return same != nullptr &&
           std::ranges::equal(atoms_, same->atoms_, [&](const FiniteAtom& a, const FiniteAtom& b) {
             return equal(a.x, b.x) && equal(a.y, b.y);
           });
  }

 private:
  template <class Function>
  Ball sum_of(Function function) const {
    const PrecisionScope scope(proof_bits);
    Ball sum;
    for (const FiniteAtom& each : atoms_) sum += each.x * function(each);
    return sum;
  }

  std::vector<FiniteAtom> atoms_;
  // Index i: of the atoms from the i-th on, or before it.
  std::vector<Ball> above_x_, above_y_, below_x_, below_y_;
};

// One direction: what X and Y have where both have something, given that the loss is finite under
// X.
struct FiniteDirection {
  std::shared_ptr<const LossLaw> law;
  Precise infinite;
};

FiniteDirection finite_direction(const std::vector<Ball>& x, const std::vector<Ball>& y) {
  Ball infinite;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (y[i].exactly_zero()) infinite += x[i];
  std::vector<FiniteAtom> atoms;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (x[i].exactly_zero() || y[i].exactly_zero()) continue;
    const bool same = arb_equal(x[i].raw(), y[i].raw()) != 0;
    const Ball rest = Ball(1.0) - infinite;
    atoms.push_back({same ? Ball(0.0) : log(x[i] / y[i]), x[i] / rest, y[i] / rest});
  }
  if (atoms.empty()) return {nullptr, {}};
  return {std::make_shared<FinitePairLaw>(std::move(atoms)), to_precise("infinite", infinite)};
}

}  // namespace

PrivacyLoss finite_pair_loss(const std::vector<Ball>& x, const std::vector<Ball>& y,
                             bool symmetric) {
  const PrecisionScope scope(bits_of_losses);
  const FiniteDirection forward = finite_direction(x, y);
  if (forward.law == nullptr) return PrivacyLoss::mutually_singular();
  const FiniteDirection reverse = symmetric ? forward : finite_direction(y, x);
  PrivacyLoss loss = PrivacyLoss::law(forward.law, reverse.law);
  loss.compose(PrivacyLoss::infinite_with_probability(forward.infinite, reverse.infinite));
  return loss;
}

}  // namespace modicum
