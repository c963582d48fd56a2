#include <algorithm>
#include <cmath>

#include "auditing/distinguisher.h"
#include "auditing/distinguisher_scaling.h"

namespace modicum {
namespace {

constexpr std::size_t most_references = 1500, rows_at_once = 256;

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
    const std::size_t size = bits_.size();
    const auto voters = static_cast<std::size_t>(std::ceil(std::sqrt(static_cast<double>(size))));
    order_.assign(nearness, nearness + size);
    std::nth_element(order_.begin(), order_.begin() + static_cast<std::ptrdiff_t>(voters - 1),
                     order_.end());
    const double furthest = order_[voters - 1];
    const char* const bits = bits_.data();
    int all = 0, ones = 0;
    for (std::size_t i = 0; i < size; ++i) {
      const int votes = nearness[i] <= furthest ? 1 : 0;
      all += votes;
      ones += votes & bits[i];
    }
    return std::log((ones + 0.5) / (all - ones + 0.5));
  }

  Scaling scaling_;
  Eigen::MatrixXd references_;
  Eigen::VectorXd half_norms_;
  std::vector<char> bits_;
  mutable std::vector<double> order_;
};

}  // namespace

std::unique_ptr<Distinguisher> neighbor_distinguisher() {
  return std::make_unique<NeighborDistinguisher>();
}

}  // namespace modicum
