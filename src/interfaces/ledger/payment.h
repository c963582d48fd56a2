// What a release may cost, and who pays for it.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "interfaces/reply.h"
#include "modicum/calibration/calibrate.h"
#include "modicum/data/fields.h"
#include "modicum/ledger/allowance.h"
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

/// What a release would be for a target.
struct PlannedAt {
  std::function<Certificate(const PrivacyTarget&)> certificate;
  /// Of additive Gaussian noise; nothing where there is none.
  std::function<double(const PrivacyTarget&)> standard_deviation = nullptr;
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
  /// The target that noise is calibrated to. Of mu, rho and shares: that of Gaussian noise as
  /// below, and for other noise the largest whose own price is within them. Of a standard
  /// deviation: the one at which noise is calibrated to it; refused where the release adds no such
  /// noise. Throws UsageError, InvalidParameter, TargetUnreachable.
  PrivacyTarget target(const PlannedAt& planned) const;
  /// Of Gaussian noise: of mu, rho and shares a point of the profile of that Gaussian, so that
  /// noise which meets it has no larger mu. For choices by public numbers.
  PrivacyTarget gaussian_target() const;
  /// Throws TargetUnreachable unless the loss of the certificate is within mu or rho, where one was
  /// asked for.
  void require_within(const Value& certificate) const;
  /// Of what the ledger has left, where a share was asked for.
  std::optional<Clocks> most_of_ledger() const;
  /// What could be asked for in place of a release that does not fit any more, as the end of a
  /// sentence; in numbers where it adds Gaussian noise.
  std::string advice(const Value& certificate) const;

 private:
  int ways() const;
  std::optional<Clocks> most() const;
  PrivacyTarget gaussian_target_of(const Clocks& most) const;
  PrivacyTarget target_of_noise(const PlannedAt& planned) const;
};

/// That of a certificate of additive noise. Throws UsageError where it has none.
double standard_deviation_of(const Certificate& certificate);

/// The plan of a release: `plan_at` makes it for a target, `certificate_of` finds its certificate.
template <class PlanAt, class CertificateOf>
auto planned_within(const ReleaseBudget& budget, const PlanAt& plan_at,
                    const CertificateOf& certificate_of) {
  return plan_at(budget.target(
      {[&](const PrivacyTarget& target) { return certificate_of(plan_at(target)); }}));
}
template <class PlanAt>
auto planned_within(const ReleaseBudget& budget, const PlanAt& plan_at) {
  return planned_within(budget, plan_at, [](const auto& plan) { return plan.certificate; });
}

/// The same of one that adds Gaussian noise, whose standard deviation may be asked for.
template <class PlanAt, class NoiseOf>
auto planned_with_noise(const ReleaseBudget& budget, const PlanAt& plan_at,
                        const NoiseOf& noise_of) {
  return plan_at(
      budget.target({[&](const PrivacyTarget& target) { return plan_at(target).certificate; },
                     [&](const PrivacyTarget& target) { return noise_of(plan_at(target)); }}));
}
template <class PlanAt>
auto planned_with_noise(const ReleaseBudget& budget, const PlanAt& plan_at) {
  return planned_with_noise(
      budget, plan_at, [](const auto& plan) { return standard_deviation_of(plan.certificate); });
}

/// Who pays, and within which bounds.
struct PaymentTerms {
  const Payer& payer;
  const ReleaseBudget* budget = nullptr;
  /// Throws as `Payer::payment`.
  LedgerChoice payment() const;
};

/// What a ledger says to a release that does not fit, with what could be asked for.
std::string refusal_in_words(const DoesNotFit& refusal, const PaymentTerms& terms,
                             const Value& certificate);

/// What a release gives out.
struct GivenOut {
  Value certificate;
  std::string certificate_sha256, file_sha256;
  std::function<void()> write;  ///< to its files, the last step
};

/// The payment of one release: made before a row is read, noted when its numbers are given out.
class Payment {
 public:
  /// Pays what the certificate of the plan says, if somebody does. Throws TargetUnreachable: then
  /// nothing may be read.
  Payment(const PaymentTerms& terms, const Value& certificate);
  /// Carries out `release`, which reads and draws, then writes what it gives out; what becomes of
  /// it is noted. Throws what they throw, and Error, with nothing written, for a certificate of
  /// another loss than the one that was paid.
  void around(const std::function<GivenOut()>& release);
  /// Tells the entry.
  void tell(Reply& reply) const;

 private:
  void require_paid(const Value& certificate) const;
  std::optional<Reservation> reservation_;
  Value paid_;  // the certificate of the plan
};

}  // namespace modicum
