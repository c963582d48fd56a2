#include "release/certificates/public_certificate.h"

#include <fmt/format.h>

#include <algorithm>

#include "release/descriptions/mechanisms.h"

namespace modicum {

namespace {

// Of rules that are not the usual ones.
void describe_rules(Certificate& certificate, const FieldRules& rules) {
  if (rules.decimal != '.') certificate.set("decimal", "comma");
  if (rules.missing == MissingValues::category) certificate.set("missing", "category");
  if (!rules.booleans.empty()) certificate.set("booleans", rules.booleans);
  if (rules.dates.empty()) return;
  std::vector<std::string> dates;
  for (const auto& [name, unit] : rules.dates)
    dates.push_back(fmt::format("{}={}", name, to_string(unit)));
  certificate.set("dates", dates);
  certificate.set("date_order", to_string(rules.date_order));
}

}  // namespace

void describe_table(Certificate& certificate, BadRows bad_rows, const FileAssumptions& files) {
  certificate.adjacency = add_or_remove_one_row;
  certificate.bad_rows = bad_rows;
  describe_rules(certificate, files.rules);
  auto& assumptions = certificate.assumptions;
  assumptions.push_back("what one person contributes is one row at most");
  assumptions.push_back(
      "names of columns and files, and all parameters, were chosen without looking at the rows");
  if (bad_rows == BadRows::refused)
    assumptions.push_back(
        "no row is malformed: a run that ends because one is tells so, and that is not covered");
  if (!files.query.empty()) certificate.set("query", files.query);
  if (files.typed)
    assumptions.push_back(
        "the files, or the database, can be read to their end, whatever the rows are");
  if (files.multiline)
    assumptions.push_back(
        "every row of the files is a well-formed CSV record: a row with an unbalanced quote would "
        "change others");
  if (files.width_of_first_line)
    assumptions.push_back("the number of fields in the first line is public");
  if (files.header)
    assumptions.push_back("the first line of each file is a header: names of columns, and no row");
  if (files.public_shape)
    assumptions.push_back(
        "how many fields the first row of each file has, and which of them are numbers, is public");
  assumptions.push_back("that the run came to its end, and how long it took, is not observed");
}

void describe_columns(Certificate& certificate, const PublicRows& rows) {
  certificate.set("coordinates", rows.names);
  const auto differs_from = [](double value) { return [value](double x) { return x != value; }; };
  const bool scaled = std::any_of(rows.centers.begin(), rows.centers.end(), differs_from(0.0)) ||
                      std::any_of(rows.scales.begin(), rows.scales.end(), differs_from(1.0));
  if (scaled) {
    certificate.set("centers", rows.centers);
    certificate.set("scales", rows.scales);
  }
}

void describe_rows(Certificate& certificate, const PublicRows& rows) {
  describe_columns(certificate, rows);
  certificate.set("row_norm_bound", rows.row_norm_bound);
  describe_table(certificate, rows.bad_rows, rows.files);
}

void describe_loss(Certificate& certificate, Value loss) {
  if (certificate.guarantee == Guarantee::proved) certificate.loss = std::move(loss);
}

void describe_loss_by_target(Certificate& certificate) {
  const auto& [epsilon, delta] = certificate.target;
  describe_loss(certificate, delta > 0.0 ? description_of(described::Approximate{epsilon, delta})
                                         : description_of(described::Pure{epsilon}));
}

void describe_sharper_loss(Certificate& certificate, Value loss) {
  if (certificate.guarantee != Guarantee::proved) return;
  const auto& [epsilon, delta] = certificate.target;
  const PrivacyLoss own = describe(loss, Accuracy::certified).loss;
  if (profile(own, epsilon, Accuracy::certified).delta().upper() <= delta)
    describe_loss(certificate, std::move(loss));
  else describe_loss_by_target(certificate);
}

void describe_bound(Certificate& certificate) {
  ProfilePoint& achieved = certificate.achieved;
  achieved.forward = {0.0, achieved.forward.upper()};
  achieved.reverse = {0.0, achieved.reverse.upper()};
  certificate.attained = false;
}

void describe_lift(Certificate& certificate, const LiftCalibration& found) {
  const OutputSensitivity& sensitivity = found.sensitivity;
  certificate.attained = false;
  certificate.set("noise_variance", found.noise_variance);
  certificate.set("mean_shift", sensitivity.mean_shift);
  certificate.set("variance_excess", sensitivity.variance_excess);
  certificate.set("rank", sensitivity.rank);
  certificate.set("triangle_bound", found.bounds.triangle);
  certificate.set("composition_bound", found.bounds.composition);
  certificate.set("cover_bound", found.bounds.cover);
  certificate.set("worst_pair_found", found.bounds.worst_found);
  describe_sharper_loss(
      certificate, description_of(described::LiftedRelease{
                       sensitivity.mean_shift, sensitivity.variance_excess, sensitivity.rank}));
}

void describe_arithmetic(Certificate& certificate, Exactness arithmetic, double grid) {
  certificate.set("grid", grid);
  certificate.arithmetic = arithmetic;
  if (arithmetic == Exactness::mitigated)
    certificate.assumptions.push_back(
        "draws in double arithmetic, rounded to the grid, are as good as draws from the continuous "
        "distribution");
  certificate.assumptions.push_back("the operating system's random bits are fair and independent");
}

void describe_solver(Certificate& certificate) {
  certificate.assumptions.push_back(
      "the solver reaches minimizer_error: a run that ends because it does not tells so, and that "
      "is not covered");
  certificate.assumptions.push_back(
      "the exponential function of the system is right to 4 units in the last place");
}

double require_regularization(double regularization, double row_norm_bound) {
  const double ratio = regularization / row_norm_bound / row_norm_bound;
  if (!(ratio >= 1e-8 && ratio <= 1e12))
    throw InvalidParameter("regularization", regularization,
                           "must lie between 1e-8 and 1e12 times the squared row norm bound");
  return regularization;
}

void refuse_unused(const char* option, const std::optional<double>& value, bool used) {
  if (value && !used)
    throw InvalidParameter(option, *value, "must not be given: this method does not use it");
}

double require_given(const char* option, const std::optional<double>& value) {
  if (!value) throw InvalidParameter(option, "missing", "must be given for this method");
  return *value;
}

void require_achieved(const PrivacyTarget& target, const ProfilePoint& achieved) {
  if (achieved.proof != Proof::certified || !(achieved.delta().upper() <= target.delta))
    throw CalibrationFailed(
        fmt::format("the release could not be proved to meet epsilon = {}, delta = {}",
                    target.epsilon, target.delta));
}

}  // namespace modicum
