// Optimal noises that were found, by what was asked for: the next who asks the same need not wait.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <tuple>

#include "modicum/mechanisms/optimal_noise.h"

namespace modicum {

template <class Noise>
class FoundNoises {
 public:
  /// At most so many are kept.
  explicit FoundNoises(std::size_t most) : most_(most) {}

  /// `find` makes the noise that is not there yet.
  template <class Find>
  std::shared_ptr<const Noise> get(const PrivacyTarget& target, double sensitivity,
                                   const NoiseError& error, double count, const Find& find) {
    const Key key{target.epsilon,
                  target.delta,
                  sensitivity,
                  error.kind,
                  error.kind == NoiseError::Kind::interval ? error.level : 0.0,
                  count};
    {
      const std::lock_guard lock(mutex_);
      if (const auto known = kept_.find(key); known != kept_.end()) return known->second;
    }
    auto found = std::make_shared<const Noise>(find());
    const std::lock_guard lock(mutex_);
    if (kept_.size() >= most_) kept_.clear();
    return kept_[key] = std::move(found);
  }

 private:
  using Key = std::tuple<double, double, double, NoiseError::Kind, double, double>;
  std::size_t most_;
  std::mutex mutex_;
  std::map<Key, std::shared_ptr<const Noise>> kept_;
};

}  // namespace modicum
