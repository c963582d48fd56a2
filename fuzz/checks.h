// What must hold of every privacy loss, whatever it is made of.
#pragma once

#include <cmath>
#include <exception>
#include <functional>
#include <optional>

#include "input.h"
#include "modicum/numerics/errors.h"
#include "modicum/privacy/profile.h"

namespace modicum::fuzz {

/// Runs an attempt that may fail with the library's own errors only; tells whether it succeeded.
inline bool succeeds(const Record& record, const char* what, const std::function<void()>& attempt) {
  try {
    attempt();
    return true;
  } catch (const Error&) {
    return false;
  } catch (const std::exception& error) {
    record.require(false, "{} threw {}, which is no modicum::Error", what, error.what());
  }
  return false;
}

/// The same with arguments that are valid or not: these must be refused, those may at most be out
/// of reach.
inline bool succeeds_if_valid(Record& record, const char* what, bool valid,
                              const std::function<void()>& attempt) {
  try {
    attempt();
    record.require(valid, "{} took an invalid argument", what);
    return true;
  } catch (const TargetUnreachable& error) {
    record.require(valid, "{} did not refuse an invalid argument: {}", what, error.what());
    record.note("  {}: {}", what, error.what());
  } catch (const InvalidParameter& error) {
    record.require(!valid, "{} refused a valid argument: {}", what, error.what());
  } catch (const std::exception& error) {
    record.require(false, "{} threw {}", what, error.what());
  }
  return false;
}

inline void require_within(const Record& record, const char* what, const Enclosure& value,
                           double low, double high) {
  record.require(low <= value.lower() && value.lower() <= value.upper() && value.upper() <= high,
                 "{} is [{}, {}]", what, value.lower(), value.upper());
}

inline void require_overlap(const Record& record, const char* what, const Enclosure& a,
                            const Enclosure& b) {
  record.require(a.overlaps(b), "{}: [{}, {}] and [{}, {}] do not overlap", what, a.lower(),
                 a.upper(), b.lower(), b.upper());
}

/// delta of the other direction at -epsilon, from this one's at epsilon:
/// 1 - exp(-epsilon) (1 - delta), widened by the rounding of this line.
inline Enclosure dual(const Enclosure& delta, double epsilon) {
  const auto end = [&](double value, double direction) {
    const double exact = std::exp(-epsilon) * (1.0 - value), slack = 1e-15 * (2.0 + exact);
    return 1.0 - exact + direction * slack * (3.0 + std::abs(epsilon));
  };
  return {end(delta.lower(), -1.0), end(delta.upper(), 1.0)};
}

/// Which questions are put, and to which effort.
struct Questions {
  double epsilon, delta, type1, order;
  Accuracy accuracy;  // of the answers checked; fast and certified must agree on delta
  bool certify;       // ask for proofs of delta, too
  bool epsilon_at, tradeoff, renyi;

  static Questions read(Input& input, Record& record) {
    Questions q{};
    q.epsilon = input.number();
    q.delta = input.one_in(4) ? input.number() : input.fraction();
    q.type1 = input.one_in(4) ? input.number() : input.fraction();
    q.order = input.number();
    q.accuracy = input.one_in(8) ? Accuracy::automatic : Accuracy::fast;
    q.certify = input.one_in(4);
    const unsigned asked = input.below(8);
    q.epsilon_at = asked == 1 || asked == 7;
    q.tradeoff = asked == 2 || asked == 7;
    q.renyi = asked >= 3;
    record.note(
        "epsilon={} delta={} type1={} order={} mode={} certify={} epsilon_at={} tradeoff={} "
        "renyi={}",
        q.epsilon, q.delta, q.type1, q.order, to_string(q.accuracy), q.certify, q.epsilon_at,
        q.tradeoff, q.renyi);
    return q;
  }
};

inline std::optional<ProfilePoint> ask_profile(Record& record, const PrivacyLoss& loss,
                                               double epsilon, Accuracy accuracy) {
  std::optional<ProfilePoint> point;
  succeeds_if_valid(record, "profile", std::isfinite(epsilon),
                    [&] { point = profile(loss, epsilon, accuracy); });
  if (!point) return point;
  require_within(record, "forward delta", point->forward, 0.0, 1.0);
  require_within(record, "reverse delta", point->reverse, 0.0, 1.0);
  record.note("  profile at {}: forward [{}, {}] reverse [{}, {}]", epsilon, point->forward.lower(),
              point->forward.upper(), point->reverse.lower(), point->reverse.upper());
  return point;
}

// The point at -epsilon says the same as the one at epsilon, the directions swapped.
inline void check_duality(const Record& record, const ProfilePoint& point,
                          const ProfilePoint& mirrored) {
  if (std::abs(point.epsilon) > 600.0) return;
  require_overlap(record, "reverse delta at -epsilon, and from epsilon", mirrored.reverse,
                  dual(point.forward, point.epsilon));
  require_overlap(record, "forward delta at -epsilon, and from epsilon", mirrored.forward,
                  dual(point.reverse, point.epsilon));
}

inline void check_profile(Record& record, const PrivacyLoss& loss, const Questions& q) {
  const auto point = ask_profile(record, loss, q.epsilon, q.accuracy);
  if (!point) return;
  const auto mirrored = ask_profile(record, loss, -q.epsilon, q.accuracy);
  if (mirrored) check_duality(record, *point, *mirrored);
  if (!q.certify) return;
  const auto proved = ask_profile(record, loss, q.epsilon, Accuracy::certified);
  if (!proved) return;
  record.require(proved->proof == Proof::certified, "a certified answer is none");
  require_overlap(record, "forward delta, estimated and certified", point->forward,
                  proved->forward);
  require_overlap(record, "reverse delta, estimated and certified", point->reverse,
                  proved->reverse);
}

// The epsilon found must have the delta asked for; one that is smaller must not.
inline void check_epsilon(Record& record, const PrivacyLoss& loss, const Questions& q) {
  std::optional<Answer> answer;
  succeeds_if_valid(record, "epsilon_at", q.delta >= 0.0 && q.delta <= 1.0,
                    [&] { answer = epsilon_at(loss, q.delta, q.accuracy); });
  if (!answer) return;
  const Enclosure& value = answer->value;
  record.note("  epsilon at {}: [{}, {}]", q.delta, value.lower(), value.upper());
  require_within(record, "epsilon", value, 0.0, std::numeric_limits<double>::max());
  if (const auto above = ask_profile(record, loss, value.upper(), q.accuracy))
    record.require(above->delta().lower() <= q.delta, "delta at the upper epsilon exceeds {}",
                   q.delta);
  if (value.lower() == 0.0) return;
  if (const auto below = ask_profile(record, loss, value.lower(), q.accuracy))
    record.require(below->delta().upper() >= q.delta, "delta at the lower epsilon is below {}",
                   q.delta);
}

// f(a) >= 1 - delta - exp(epsilon) a, at any epsilon.
inline void check_tradeoff(Record& record, const PrivacyLoss& loss, const Questions& q) {
  std::optional<Answer> answer;
  succeeds_if_valid(record, "tradeoff", q.type1 >= 0.0 && q.type1 <= 1.0,
                    [&] { answer = tradeoff(loss, q.type1, q.accuracy); });
  if (!answer) return;
  record.note("  tradeoff at {}: [{}, {}]", q.type1, answer->value.lower(), answer->value.upper());
  require_within(record, "type II error", answer->value, 0.0, 1.0);
  if (!std::isfinite(q.epsilon) || q.epsilon > 700.0) return;
  const auto point = ask_profile(record, loss, q.epsilon, q.accuracy);
  if (!point) return;
  const double least = 1.0 - point->delta().upper() - std::exp(q.epsilon) * q.type1;
  record.require(answer->value.upper() >= least - 1e-14 * (3.0 + std::abs(q.epsilon)),
                 "the type II error is below its bound {}", least);
}

// delta <= exp((order - 1) (divergence - epsilon)) for orders above 1.
inline void check_renyi(Record& record, const PrivacyLoss& loss, const Questions& q) {
  std::optional<Enclosure> value;
  succeeds_if_valid(record, "renyi_divergence", q.order > 0.0,
                    [&] { value = renyi_divergence(loss, q.order).value; });
  if (!value) return;
  record.note("  divergence of order {}: [{}, {}]", q.order, value->lower(), value->upper());
  require_within(record, "divergence", *value, 0.0, std::numeric_limits<double>::infinity());
  if (!(q.order > 1.0 && q.order < 1e100) || !std::isfinite(q.epsilon)) return;
  const auto point = ask_profile(record, loss, q.epsilon, q.accuracy);
  if (!point) return;
  const double exponent = (q.order - 1.0) * (value->upper() - q.epsilon);
  const double size = (q.order - 1.0) * (value->upper() + std::abs(q.epsilon));
  if (!std::isfinite(size)) return;
  record.require(point->delta().lower() <= std::exp(exponent + 1e-14 * (1.0 + size)),
                 "delta exceeds its bound exp({})", exponent);
}

inline void check_loss(Record& record, const PrivacyLoss& loss, const Questions& q) {
  check_profile(record, loss, q);
  if (q.epsilon_at) check_epsilon(record, loss, q);
  if (q.tradeoff) check_tradeoff(record, loss, q);
  if (q.renyi) check_renyi(record, loss, q);
}

}  // namespace modicum::fuzz
