#include "auditing/black_box_trials.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <unordered_map>

namespace modicum {
namespace {

struct Draw {
  bool failed;
  std::span<const double> output;
};

std::vector<Draw> draws(const Samples& with, const Samples& without,
                        const std::vector<bool>& secret_bits, std::vector<char>& bits) {
  std::vector<Draw> result;
  std::size_t used[2] = {0, 0};
  for (const bool bit : secret_bits) {
    const Samples& pool = bit ? with : without;
    std::size_t& next = used[bit ? 1 : 0];
    if (next == pool.size()) break;
    result.push_back({pool.failed(next), pool.at(next)});
    bits.push_back(bit ? 1 : 0);
    ++next;
  }
  return result;
}

std::size_t common_dimension(const std::vector<Draw>& all) {
  std::map<std::size_t, std::size_t> counts;
  for (const Draw& draw : all)
    if (!draw.failed) ++counts[draw.output.size()];
  std::size_t best = 0, most = 0;
  for (const auto& [dimension, count] : counts)
    if (count > most) best = dimension, most = count;
  return best;
}

bool all_finite(std::span<const double> output) {
  return std::all_of(output.begin(), output.end(), [](double x) { return std::isfinite(x); });
}

// Bytes that are equal exactly for equal outputs: one zero, one NaN.
std::string key_of(const Draw& draw) {
  if (draw.failed) return "failed";
  std::string key(draw.output.size() * sizeof(double) + 1, '=');
  for (std::size_t i = 0; i < draw.output.size(); ++i) {
    double value = draw.output[i] + 0.0;  // -0 + 0 is 0
    if (std::isnan(value)) value = std::numeric_limits<double>::quiet_NaN();
    std::copy_n(reinterpret_cast<const char*>(&value), sizeof value,
                key.data() + 1 + i * sizeof value);
  }
  return key;
}

// Numbers the outputs that occur twice, and those that no number describes.
void number_repeats(const std::vector<Draw>& all, Trials& trials) {
  std::unordered_map<std::string, std::size_t> where;
  trials.repeat.assign(all.size(), seen_once);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto [place, is_new] = where.try_emplace(key_of(all[i]), i);
    const std::size_t first = place->second;
    if (trials.repeat[first] == seen_once && (!is_new || trials.regular[i] == 0))
      trials.repeat[first] = trials.repeats++;
    trials.repeat[i] = trials.repeat[first];
  }
}

}  // namespace

Trials play(const Samples& with, const Samples& without, const std::vector<bool>& secret_bits) {
  Trials trials;
  const std::vector<Draw> all = draws(with, without, secret_bits, trials.bit);
  trials.dimension = common_dimension(all);
  trials.outputs = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(trials.dimension),
                                         static_cast<Eigen::Index>(all.size()));
  trials.regular.assign(all.size(), 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Draw& draw = all[i];
    if (draw.failed || draw.output.size() != trials.dimension || !all_finite(draw.output)) continue;
    trials.regular[i] = 1;
    std::copy(draw.output.begin(), draw.output.end(),
              trials.outputs.col(static_cast<Eigen::Index>(i)).data());
  }
  number_repeats(all, trials);
  return trials;
}

}  // namespace modicum
