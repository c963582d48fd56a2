// What a release may cost, and who pays for it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "interfaces/reply.h"
#include "modicum/calibration/calibrate.h"
#include "modicum/data/fields.h"
#include "modicum/ledger/reservation.h"

namespace modicum {

/// Pays from a ledger, if one is named.
struct Payer {
  LedgerChoice choice = {};
  std::string part = {};
  std::optional<double> plan = {};
  const Fields* asked = nullptr;

  void fields(Fields& fields);
  bool pays() const { return !choice.store.empty(); }
  /// Before any data are read: throws UsageError for a budget without a ledger, and whatever a
  /// ledger that is not there throws.
  void check() const;
  /// Throws UsageError where no ledger is named.
  BudgetStatus status() const;
  /// For this release. Throws the same.
  Clocks left() const;
  /// With the part and the plan. Throws InvalidParameter.
  LedgerChoice payment() const;
};

/// What one release may cost: a target, or mu, or rho, or the noise itself, or a share of what a
/// ledger has left.
struct ReleaseBudget {
  std::optional<double> epsilon = {}, delta = {}, mu = {}, rho = {}, standard_deviation = {},
                        share = {};
  bool rest = false;
  const Payer* payer = nullptr;

  /// `paid_by` must outlive it.
  void fields(Fields& fields, const Payer& paid_by);
  /// Whether there is one to plan with.
  bool given() const { return ways() > 0 && (!epsilon || delta); }
  /// The target that noise is calibrated to. Of mu, rho and shares: a point of the profile of that
  /// Gaussian, so that Gaussian noise which meets it has no larger mu. Throws UsageError,
  /// InvalidParameter. Of a standard deviation: the target at which `noise_at` calibrates to it;
  /// refused where that is not given, for a release that adds no such noise.
  PrivacyTarget target(const std::function<double(const PrivacyTarget&)>& noise_at = nullptr) const;
  /// Throws TargetUnreachable unless the loss of the certificate is within mu, where one was asked
  /// for.
  void require_within(const Value& certificate) const;

 private:
  int ways() const;
  std::optional<double> largest_mu() const;
  PrivacyTarget target_of(double mu) const;
};

/// That of a certificate of additive noise. Throws UsageError where it has none.
double standard_deviation_of(const Certificate& certificate);

/// The plan of a release with additive noise: `plan_at` makes it for a target.
template <class PlanAt>
auto planned_within(const ReleaseBudget& budget, const PlanAt& plan_at) {
  return plan_at(budget.target([&](const PrivacyTarget& target) {
    return standard_deviation_of(plan_at(target).certificate);
  }));
}

/// Who pays, and within which bounds.
struct PaymentTerms {
  const Payer& payer;
  const ReleaseBudget* budget = nullptr;
};

/// The payment of one release: made before its numbers leave the memory, noted after.
class Payment {
 public:
  /// Pays, if somebody does. Throws TargetUnreachable: then nothing may be released.
  Payment(const PaymentTerms& terms, const Value& certificate);
  /// Carries out `write`; what becomes of it is noted. Throws what it throws.
  void around(const std::function<void()>& write, const std::string& certificate_sha256,
              const std::string& file_sha256);
  /// Tells the entry.
  void tell(Reply& reply) const;

 private:
  std::optional<Reservation> reservation_;
  Value certificate_;
};

}  // namespace modicum
