#include "privacy/laws/table_law.h"

#include <algorithm>

#include "privacy/laws/lattice_law.h"

namespace modicum {
namespace {

class TableLaw final : public LossLaw {
 public:
  TableLaw(std::vector<double> losses, std::vector<Ball> masses)
      : losses_(std::move(losses)), masses_(std::move(masses)) {
    const PrecisionScope scope(160);
    const std::size_t size = losses_.size();
    above_x_.resize(size + 1);
    above_y_.resize(size + 1);
    below_x_.resize(size + 1);
    below_y_.resize(size + 1);
    for (std::size_t i = 0; i < size; ++i) {
      const Ball y = masses_[i] * exp(-Ball(losses_[i]));
      below_x_[i + 1] = below_x_[i] + masses_[i];
      below_y_[i + 1] = below_y_[i] + y;
    }
    for (std::size_t i = size; i-- > 0;) {
      const Ball y = masses_[i] * exp(-Ball(losses_[i]));
      above_x_[i] = above_x_[i + 1] + masses_[i];
      above_y_[i] = above_y_[i + 1] + y;
    }
  }

  LossTails tails(double loss, Accuracy) const override {
    const auto next = std::ranges::upper_bound(losses_, loss);
    const auto place = static_cast<std::size_t>(next - losses_.begin());
    return {above_x_[place], below_x_[place], above_y_[place], below_y_[place]};
  }
  double cost(Accuracy) const override { return 2e-6; }
  bool is_discrete() const override { return true; }
  std::vector<LossValue> values() const override {
    std::vector<LossValue> result;
    if (losses_.size() > few_values) return result;
    for (std::size_t i = 0; i < losses_.size(); ++i) result.push_back({losses_[i], masses_[i]});
    return result;
  }
  Enclosure support() const override { return {losses_.front(), losses_.back()}; }
  QuantityValue moment(const Ball& x) const override {
    const PrecisionScope scope(160);
    Ball sum;
    for (std::size_t i = 0; i < losses_.size(); ++i) sum += masses_[i] * exp(x * Ball(losses_[i]));
    return {sum};
  }
  std::optional<Ball> mean() const override {
    const PrecisionScope scope(160);
    Ball sum;
    for (std::size_t i = 0; i < losses_.size(); ++i) sum += masses_[i] * Ball(losses_[i]);
    return sum;
  }
  LossNodes nodes(double, double, int) const override { return nodes_of(values()); }
  MomentLine moment_line(const Ball& center, double) const override {
    return line_of(values(), center);
  }
  bool proves_quickly() const override { return losses_.size() <= few_values; }
  std::shared_ptr<const LossLaw> copies(double count) const override {
    return sum_of_values(values(), count);
  }
  bool equals(const LossLaw& other) const override {
    const auto* same = dynamic_cast<const TableLaw*>(&other);
    return same != nullptr && losses_ == same->losses_ &&
           std::ranges::equal(masses_, same->masses_, [](const Ball& a, const Ball& b) {
             return arb_equal(a.raw(), b.raw()) != 0;
           });
  }

 private:
  std::vector<double> losses_;
  std::vector<Ball> masses_;
  // Index i: of the losses from the i-th on, or before it.
  std::vector<Ball> above_x_, above_y_, below_x_, below_y_;
};

}  // namespace

std::shared_ptr<const LossLaw> table_law(std::vector<double> losses, std::vector<Ball> masses) {
  return std::make_shared<TableLaw>(std::move(losses), std::move(masses));
}

}  // namespace modicum
