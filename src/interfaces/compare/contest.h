// Methods of release tried out on one data set, and the report on them.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "interfaces/reply.h"
#include "modicum/data/fields.h"
#include "modicum/randomness/random_source.h"
#include "modicum/release/certificate.h"
#include "modicum/release/diagnostics.h"
#include "modicum/release/progress.h"
#include "modicum/release/utility.h"

namespace modicum {

/// What is measured of each release.
struct Measure {
  std::string key, in_words;
};

/// A method that is ready to be tried.
struct Candidate {
  std::string name;
  Certificate certificate;
  double ridge;  ///< 0 for none, or one that each trial finds
  /// One release: a value for each measure. Error where nothing would have been released.
  std::function<std::vector<double>(RandomSource&)> trial;
};

/// Who takes part, and how often each is tried.
struct ContestFields {
  std::vector<std::string> methods = {};  ///< empty: all
  double trials = 100.0;

  void fields(Fields& fields);
  /// Throws InvalidParameter.
  std::size_t trial_count() const;
};

class Contest {
 public:
  /// Throws InvalidParameter.
  Contest(std::vector<Measure> measures, const ContestFields& asked);

  void leave_out(const std::string& name, const std::string& reason);
  /// Leaves a method out whose `plan` cannot meet the target.
  template <class Plan>
  void enter(const std::string& name, const Plan& plan) {
    if (!is_wanted(name)) return;
    try {
      candidates_.push_back(plan());
    } catch (const TargetUnreachable& error) {
      leave_out(name, error.what());
    }
  }

  /// Tries all of them, with fresh randomness. InvalidParameter for a wanted name that is none.
  void run(Progress& progress);
  /// Those of the least median first; without a number last.
  void rank_by(const std::string& measure);

  std::size_t trials() const { return trials_; }
  /// A table of the methods, then `remarks`, what failed and what was left out.
  void tell(Reply& reply, const std::string& remarks) const;

 private:
  struct Outcome {
    std::vector<Spread> spreads;  // one a measure; none where fewer than two trials succeeded
    double failures = 0.0;
  };
  struct LeftOut {
    std::string name, reason;
  };
  bool is_wanted(const std::string& name);
  Outcome try_out(const Candidate& candidate, RandomSource& source) const;
  Value in_tree(const Candidate& candidate, const Outcome& outcome) const;
  std::vector<std::string> in_words(const Candidate& candidate, const Outcome& outcome) const;

  std::vector<Measure> measures_;
  std::size_t trials_;
  std::vector<std::string> wanted_, known_;
  std::vector<Candidate> candidates_;
  std::vector<Outcome> outcomes_;  // of the candidates, in their order
  std::vector<LeftOut> left_out_;
};

/// The number of this name in a certificate, if there is one.
std::optional<double> number_in(const Certificate& certificate, const std::string& name);
/// The diagnostic of this name, which must be there.
double number_in(const Diagnostics& diagnostics, const std::string& name);

}  // namespace modicum
