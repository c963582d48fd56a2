// Black-box audit: a privacy claim against samples of a mechanism on two neighboring inputs.
//
// A guessing game. Trial i flips a fair secret bit and shows one output of the mechanism, on the
// first input or on the second. Whoever guesses the bits of an (epsilon, delta)-private mechanism
// is right with probability at most e^epsilon / (1 + e^epsilon), but for a share delta of the
// trials, whatever is learned from the other trials. How often the auditor is right is therefore
// a test of the claim with an exact level, for outputs of any kind and any way of guessing.
// Proof: docs/derivations/black-box.md.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "modicum/calibration/calibrate.h"
#include "modicum/randomness/random_source.h"

namespace modicum {

/// Independent outputs of a mechanism on one input. An output is a vector, or a failure (a crash, a
/// time-out, something unreadable), which whoever asked for the output would see too.
class Samples {
 public:
  void add(std::span<const double> output);
  void add_failure();
  std::size_t size() const { return ends_.size(); }
  std::size_t failures() const { return failures_; }
  bool failed(std::size_t index) const { return failed_[index]; }
  /// Empty for a failure.
  std::span<const double> at(std::size_t index) const;

 private:
  std::vector<double> values_;
  std::vector<std::size_t> ends_;
  std::vector<bool> failed_;
  std::size_t failures_ = 0;
};

enum class BlackBoxVerdict {
  violated,     ///< a mechanism that keeps the claim gives such samples with probability <= 1 -
                ///< confidence
  not_refuted,  ///< the samples do not show that; nothing is proved
};

const char* to_string(BlackBoxVerdict verdict);

struct BlackBoxAudit {
  BlackBoxVerdict verdict = BlackBoxVerdict::not_refuted;
  double p_value = 1.0;              ///< of the claim; violated where at most 1 - confidence
  double epsilon_lower_bound = 0.0;  ///< at the claimed delta; not below the claim if violated
  /// At the claimed epsilon; above the claim only if violated.
  double delta_lower_bound = 0.0;
  std::size_t trials = 0;  ///< played, those to learn from included
  std::size_t guesses = 0, right = 0;
  std::size_t dimension = 0;  ///< the most frequent one
  std::string distinguisher;
};

/// Trials that two pools of this many samples are enough for, but for about one time in 10^4.
std::size_t trial_count(std::size_t pool);

std::vector<bool> draw_secret_bits(std::size_t count, RandomSource& source);

/// Fewest samples of each input that an audit can use.
inline constexpr std::size_t fewest_samples = 50;

/// The verdict, and bounds that each hold with this confidence. A trial takes the next unused
/// sample of `with` where its bit is set, else of `without`. The bits must be independent of the
/// samples and used once: to draw others until the verdict pleases would undo the confidence.
/// Deterministic. Throws InvalidParameter for fewer samples or bits, or a confidence outside (0,
/// 1).
BlackBoxAudit audit_samples(const Samples& with, const Samples& without, const PrivacyTarget& claim,
                            double confidence, const std::vector<bool>& secret_bits);

/// The same with bits from a source, as many as the smaller pool is enough for.
BlackBoxAudit audit_samples(const Samples& with, const Samples& without, const PrivacyTarget& claim,
                            double confidence, RandomSource& source);

}  // namespace modicum
