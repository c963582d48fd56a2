#include "interfaces/report/question.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace modicum {
namespace {

constexpr const char* costs_nothing = "for a data-independent report: it costs nothing";

using GivenFields = std::initializer_list<std::pair<const char*, bool>>;

void refuse_given(GivenFields all, const char* because) {
  for (const auto& [name, given] : all)
    if (given) throw UsageError(fmt::format("`{}` must not be given {}", name, because));
}

}  // namespace

void ReportQuestion::fields(Fields& fields, bool required) {
  source.fields(fields);
  fields.choice("method", method, report_kinds(), "what the report is made from").is_required =
      required;
  fields.add("failure", failure, "probability that a bound does not hold, 0.05 by default");
  fields.choice("cover", cover, coverages(),
                "for whom the bounds hold at once, one-record by default");
  fields.add("largest_rows", largest_rows,
             "a promise that there are at most this many rows, 1000000 by default; required\n"
             "for all-rows");
  Field& divided = fields
                       .add("shares", shares,
                            "how the privacy of the report is divided between gradient, matrix "
                            "and, for\nadaptive, eigenvalue: numbers with commas between them")
                       .shown_as("NUMBERS");
  divided.in_one_word = true;
  divided.takes_several = false;
  Field& failing =
      fields
          .add("failure_shares", failure_shares,
               "how the failure is divided: gradient, matrix, for adaptive eigenvalue, and what\n"
               "the data-independent report keeps, above which no bound is then")
          .shown_as("NUMBERS");
  failing.in_one_word = true;
  failing.takes_several = false;
  fields.add("epsilon", epsilon, "what coefficients and report together may cost, with `delta`")
      .is_required = required;
  fields.add("delta", delta, "above 0 and below 1").is_required = required;
}

void ReportQuestion::refuse_report(const char* because) const {
  refuse_given({{"method", method.has_value()},
                {"cover", cover.has_value()},
                {"largest_rows", largest_rows.has_value()},
                {"shares", !shares.empty()},
                {"failure_shares", !failure_shares.empty()},
                {"epsilon", epsilon.has_value()},
                {"delta", delta.has_value()}},
               because);
}

double ReportQuestion::checked_failure() const { return require_open_unit("failure", failure); }

ReportRequest ReportQuestion::request() const {
  if (!method) throw UsageError("`method` is missing, but must be given");
  ReportRequest request{.kind = *method,
                        .coverage = cover.value_or(Coverage::one_record),
                        .failure = checked_failure(),
                        .largest_rows = largest_rows,
                        .shares = {},
                        .failure_shares = {}};
  if (largest_rows) require_count("largest_rows", *largest_rows);
  if (request.coverage == Coverage::all_rows && !largest_rows)
    throw UsageError("`largest_rows` is missing, but must be given with `cover` all-rows");
  request.shares = checked_shares();
  request.failure_shares = checked_failure_shares();
  return request;
}

std::optional<ReportShares> ReportQuestion::checked_shares() const {
  if (shares.empty()) return std::nullopt;
  if (method == ReportKind::data_independent) refuse_given({{"shares", true}}, costs_nothing);
  const std::size_t count = method == ReportKind::adaptive ? 3 : 2;
  if (shares.size() != count)
    throw InvalidParameter("shares", fmt::format("\"{}\"", fmt::join(shares, ",")),
                           count == 3 ? "must be three numbers: of gradient, matrix and eigenvalue"
                                      : "must be two numbers: of gradient and matrix");
  for (const double share : shares) require_positive("shares", share);
  return ReportShares{shares[0], shares[1], count == 3 ? shares[2] : 0.0};
}

std::optional<FailureShares> ReportQuestion::checked_failure_shares() const {
  if (failure_shares.empty()) return std::nullopt;
  if (method == ReportKind::data_independent)
    refuse_given({{"failure_shares", true}}, "for a data-independent report: nothing is divided");
  const bool adaptive = method == ReportKind::adaptive;
  if (failure_shares.size() != (adaptive ? 4 : 3))
    throw InvalidParameter(
        "failure_shares", fmt::format("\"{}\"", fmt::join(failure_shares, ",")),
        adaptive ? "must be four numbers: of gradient, matrix, eigenvalue and the free report"
                 : "must be three numbers: of gradient, matrix and the free report");
  for (std::size_t i = 0; i + 1 < failure_shares.size(); ++i)
    require_positive("failure_shares", failure_shares[i]);
  FailureShares divided;
  divided.gradient = failure_shares[0];
  divided.matrix = failure_shares[1];
  if (adaptive) divided.eigenvalue = failure_shares[2];
  divided.free = require_non_negative("failure_shares", failure_shares.back());
  return divided;
}

std::optional<PrivacyTarget> ReportQuestion::total() const {
  const GivenFields budget{{"epsilon", epsilon.has_value()}, {"delta", delta.has_value()}};
  if (method == ReportKind::data_independent) {
    refuse_given(budget, costs_nothing);
    return std::nullopt;
  }
  for (const auto& [name, given] : budget)
    if (!given)
      throw UsageError(fmt::format(
          "`{}` is missing, but must be given: what coefficients and report may cost together",
          name));
  return PrivacyTarget(*epsilon, *delta);
}

}  // namespace modicum
