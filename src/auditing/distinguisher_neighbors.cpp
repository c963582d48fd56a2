#include <algorithm>
#include <cmath>
#include <limits>

#include "auditing/distinguisher.h"
#include "auditing/distinguisher_scaling.h"

namespace modicum {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr std::size_t most_references = 1500, rows_at_once = 32;

class NeighborDistinguisher final : public Distinguisher {
 public:
  void learn(const Trials& trials, std::size_t begin, std::size_t end) override {
    scaling_ = Scaling(trials, begin, end);
    const std::size_t step = (end - begin) / most_references + 1;
    std::vector<std::size_t> used;
    for (std::size_t i = begin; i < end; i += step)
      if (trials.regular[i] != 0) used.push_back(i);
    references_.resize(static_cast<Eigen::Index>(trials.dimension),
                       static_cast<Eigen::Index>(used.size()));
    bits_.clear();
    for (std::size_t i = 0; i < used.size(); ++i) {
      references_.col(static_cast<Eigen::Index>(i)) =
          scaling_.apply(trials, used[i], used[i] + 1).col(0);
      bits_.push_back(trials.bit[used[i]]);
    }
    half_norms_ = 0.5 * references_.colwise().squaredNorm().transpose();
  }

  std::vector<double> log_odds(const Trials& trials, std::size_t begin,
                               std::size_t end) const override {
    std::vector<double> result(end - begin, 0.0);
    if (bits_.empty()) return result;
    for (std::size_t i = begin; i < end; i += rows_at_once) {
      const std::size_t last = std::min(i + rows_at_once, end);
      // Half the squared distance, but for a term that is the same for all references.
      Eigen::MatrixXd nearness = -(references_.transpose() * scaling_.apply(trials, i, last));
      nearness.colwise() += half_norms_;
      for (std::size_t k = i; k < last; ++k)
        if (trials.regular[k] != 0)
          result[k - begin] = vote(nearness.col(static_cast<Eigen::Index>(k - i)).data());
    }
    return result;
  }

 private:
  // The nearest sqrt(references), with a half vote for either side to begin with.
  double vote(const double* nearness) const {
    const auto voters =
        static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(bits_.size()))));
    std::size_t count = keep_within(nearness, likely_limit(nearness, voters));
    if (count < voters) count = keep_within(nearness, infinity);
    order_.clear();
    for (std::size_t k = 0; k < count; ++k) order_.push_back(nearness[kept_[k]]);
    const double furthest = smallest(order_, voters - 1);
    int all = 0, ones = 0;
    for (std::size_t k = 0; k < count; ++k) {
      const int votes = nearness[kept_[k]] <= furthest ? 1 : 0;
      all += votes;
      ones += votes & bits_[kept_[k]];
    }
    return std::log((ones + 0.5) / (all - ones + 0.5));
  }

  // A limit that leaves few references beside the voters, and rarely one voter out: a rank in
  // every sixteenth, three standard deviations above where the last voter is expected.
  double likely_limit(const double* nearness, std::size_t voters) const {
    constexpr std::size_t every = 16;
    const double expected = static_cast<double>(voters) / every;
    const auto rank = static_cast<std::size_t>(expected + 3.0 * std::sqrt(expected) + 1.0);
    order_.clear();
    for (std::size_t i = 0; i < bits_.size(); i += every) order_.push_back(nearness[i]);
    return rank < order_.size() ? smallest(order_, rank) : infinity;
  }

  // The places of the references that are not further, in kept_; how many.
  std::size_t keep_within(const double* nearness, double limit) const {
    const std::size_t size = bits_.size();
    kept_.resize(size);
    std::size_t* const kept = kept_.data();
    std::size_t count = 0;
    for (std::size_t i = 0; i < size; ++i) {
      kept[count] = i;
      count += nearness[i] > limit ? 0 : 1;
    }
    return count;
  }

  static double smallest(std::vector<double>& values, std::size_t rank) {
    const auto place = values.begin() + static_cast<std::ptrdiff_t>(rank);
    std::nth_element(values.begin(), place, values.end());
    return *place;
  }

  Scaling scaling_;
  Eigen::MatrixXd references_;
  Eigen::VectorXd half_norms_;
  std::vector<char> bits_;
  mutable std::vector<double> order_;
  mutable std::vector<std::size_t> kept_;
};

}  // namespace

std::unique_ptr<Distinguisher> neighbor_distinguisher() {
  return std::make_unique<NeighborDistinguisher>();
}

}  // namespace modicum
