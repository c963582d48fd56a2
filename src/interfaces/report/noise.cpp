// report noise: what records lost to Gaussian noise on a sum, second moments, a vector or a matrix.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>

#include "data/cells/number_text.h"
#include "interfaces/other_table.h"
#include "interfaces/release/output.h"
#include "interfaces/report/question.h"
#include "interfaces/report/report.h"
#include "modicum/data/gram.h"
#include "modicum/release/noise_report.h"
#include "modicum/release/write_file.h"
#include "release/reports/coefficient_file.h"
#include "release/reports/released_objective.h"

namespace modicum {
namespace {

struct NoiseReportJob {
  TableSource table = {};
  ReleaseSource source = {};
  RowChoice rows = {};
  TableSource records = {};
  std::vector<double> shifts = {};
  ConfidentialField shown = {};
  std::string output = {};
  double failure = 0.05;
  std::optional<double> delta = {};

  void fields(Fields& fields) {
    table.fields(fields, false);
    fields.find("table")->help = "with `confidential`: the data of the release";
    source.fields(fields);
    fields.find("release")->help =
        "what was released: `release vector` (sum or given), `release covariance`,\n`release "
        "matrix`";
    rows.column_fields(fields);
    rows.norm_field(fields);
    records
        .files_field(fields, "records",
                     "whose losses are bounded: a table with the columns of "
                     "the data")
        .shown_as("PATH")
        .takes_several = false;
    fields.add("shift", shifts,
               "by how much a record moves the answer, in the Euclidean or Frobenius norm: for\n"
               "vectors and matrices computed elsewhere");
    shown.fields(fields);
    fields.find("confidential")->help =
        "the losses of all rows of the table, for the holder of the data only";
    fields.add("output", output, "with `confidential`: where to write them, .csv; - to show them")
        .shown_as("PATH");
    fields.add("failure", failure, "probability that a bound does not hold, 0.05 by default");
    fields.add("delta", delta, "at which the epsilon of a record is told, that of the release");
  }
};

struct AskedRow {
  double number, mu;
  double epsilon;            // of the pair of data sets, at delta
  double bound;              // on the loss after the fact
  double signed_loss = 0.0;  // confidential
};

AskedRow asked(const GaussianInstance& instance, double number, double mu, double delta,
               double failure) {
  return {number, mu, instance.epsilon(delta).upper(), instance.ex_post_quantile(failure).upper()};
}

// How a table becomes the rows of the release.
struct ReportedRows {
  ReportedRows(const NoiseReportJob& job, const NoisyAnswer& answer, const TableSource& source)
      : table(source.open()), rule(job.rows.rule(table)) {
    if (rule.names() != answer.coordinates)
      throw InvalidParameter("select", "other columns",
                             "must be those of the release: see its certificate");
    bound = job.rows.row_norm_bound || !rule.ranges().empty() ? job.rows.norm_bound(rule)
                                                              : answer.row_norm_bound;
    const PublicRows known(rule, bound, BadRows::dropped);
    const bool scaled = !answer.centers.empty();
    if (scaled ? known.centers != answer.centers || known.scales != answer.scales
               : !rule.ranges().empty())
      throw InvalidParameter("range", "of other columns",
                             "must be as in the release: see `centers` and `scales` of its "
                             "certificate");
    if (bound != answer.row_norm_bound)
      throw InvalidParameter("row_norm_bound", bound,
                             fmt::format("must be {}, that of the release", answer.row_norm_bound));
  }
  // In coordinates, in the order of the file.
  Eigen::MatrixXd all(const ReadOptions& options) const {
    const IntegerClip clip(bound);
    std::vector<std::shared_ptr<RowBlock>> parts;
    Eigen::Index count = 0;
    table.for_each_block(rule.table_columns(), options, [&](const RowBlock& block) {
      auto part = std::make_shared<RowBlock>(rule.apply(block));
      clip.apply(*part);
      *part *= clip.grid();
      return [&, part] {
        count += part->rows();
        parts.push_back(part);
      };
    });
    Eigen::MatrixXd result(count, static_cast<Eigen::Index>(rule.width()));
    Eigen::Index at = 0;
    for (const auto& part : parts) {
      result.middleRows(at, part->rows()) = *part;
      at += part->rows();
    }
    return result;
  }
  Table table;
  RowRule rule;
  double bound = 0.0;
};

double mu_of(const NoisyAnswer& answer, const Eigen::VectorXd& row) {
  const double square = row.squaredNorm();
  return answer.statistic == NoisyStatistic::sum ? std::sqrt(square) / answer.standard_deviation
                                                 : square / (M_SQRT2 * answer.standard_deviation);
}

std::vector<AskedRow> asked_rows(const NoisyAnswer& answer, const Eigen::MatrixXd& rows,
                                 double delta, double failure) {
  std::vector<AskedRow> all;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const Eigen::VectorXd row = rows.row(i);
    all.push_back(asked(answer.instance(row), static_cast<double>(i + 1), mu_of(answer, row), delta,
                        failure));
  }
  return all;
}

// What was released less the true answer.
Eigen::MatrixXd noise_in(const NoiseReportJob& job, const NoisyAnswer& answer,
                         const ReportedRows& rows, const ReadOptions& options) {
  const Eigen::MatrixXd released = job.source.numbers().values;
  const Eigen::Index d = static_cast<Eigen::Index>(rows.rule.width());
  const bool sum = answer.statistic == NoisyStatistic::sum;
  if (released.rows() != d || released.cols() != (sum ? 1 : d))
    throw InvalidParameter("release", "of another size", "must have a number for each coordinate");
  if (!sum) return released - accumulate_gram(rows.table, rows.rule, rows.bound, options).matrix();
  const IntegerSum found = accumulate_sum(rows.table, rows.rule, rows.bound, options);
  Eigen::VectorXd truth(d);
  for (Eigen::Index i = 0; i < d; ++i)
    truth[i] = static_cast<double>(found.entries[static_cast<std::size_t>(i)]) * found.grid;
  return released - truth;
}

std::string as_csv(const std::vector<AskedRow>& rows) {
  std::string out = "row,epsilon_1,signed_loss,bound\n";
  for (const AskedRow& each : rows)
    out += fmt::format("{},{},{},{}\n", each.number, std::abs(each.signed_loss), each.signed_loss,
                       each.bound);
  return out;
}

void begin(Reply& reply, const NoisyAnswer& answer, double delta, double failure) {
  reply.tell("statistic", to_string(answer.statistic))
      .tell("worst_case", tree_of(answer.target))
      .tell("delta", delta)
      .tell("failure", failure);
}

std::string closing_words(const NoisyAnswer& answer, double failure) {
  return fmt::format(
      "`loss at most` bounds what this very answer told about the record, and fails with "
      "probability "
      "{}.\nFor everybody the answer is ({}, {})-differentially private. A number about a record "
      "is "
      "for its owner.\n",
      failure, answer.target.epsilon, answer.target.delta);
}

Reply told_to_owners(const NoiseReportJob& job, const NoisyAnswer& answer, double delta,
                     Progress& progress) {
  if (job.table.given())
    throw UsageError("`table` must not be given without `confidential`: no data are read");
  if (!job.output.empty()) throw UsageError("`output` must not be given without `confidential`");
  if (job.records.given() == !job.shifts.empty())
    throw UsageError("one of `records` and `shift` must be given");
  std::vector<AskedRow> all;
  if (job.records.given()) {
    if (!answer.of_rows())
      throw UsageError("`records` must not be given for what was computed elsewhere: give `shift`");
    const ReportedRows rows(
        job, answer, *[&] {
          auto source = std::make_shared<TableSource>(job.table);
          source->files.paths = job.records.files.paths;
          source->files.memory = job.records.files.memory;
          return source;
        }());
    progress.begin("reading");
    ReadOptions read = job.table.read_options(progress);
    read.bad_rows = BadRows::refused;  // who asks for a record wants an answer for it
    all = asked_rows(answer, rows.all(read), delta, job.failure);
  } else {
    double number = 0.0;
    for (const double shift : job.shifts) {
      const GaussianInstance instance = answer.instance(shift);
      const double deviation =
          answer.standard_deviation * (answer.statistic == NoisyStatistic::matrix ||
                                               answer.statistic == NoisyStatistic::second_moments
                                           ? M_SQRT2
                                           : 1.0);
      all.push_back(asked(instance, number += 1.0, shift / deviation, delta, job.failure));
    }
  }
  Reply reply;
  begin(reply, answer, delta, job.failure);
  reply.say(fmt::format("What records lost to noise ({}):\n", to_string(answer.statistic)));
  ReplyTable table({"record", "mu", fmt::format("epsilon at delta {}", delta), "loss at most"});
  for (const AskedRow& each : all)
    table.add({{"mu", each.mu}, {"epsilon", each.epsilon}, {"bound", each.bound}},
              {fmt::format("{}", each.number), rounded_up(each.mu, 4), rounded_up(each.epsilon, 4),
               rounded_up(each.bound, 4)});
  reply.add("records", table);
  return reply.say(closing_words(answer, job.failure));
}

Reply told_to_the_holder(const NoiseReportJob& job, const NoisyAnswer& answer, double delta,
                         Progress& progress) {
  if (!job.table.given()) throw UsageError("`table` is missing, but must be given");
  if (job.output.empty()) throw UsageError("`output` is missing, but must be given");
  const bool shown = job.output == "-";
  if (!shown && !job.output.ends_with(".csv"))
    throw InvalidParameter("output", in_quotes(job.output), "must end in .csv, or be - to show it");
  if (job.records.given() || !job.shifts.empty())
    throw UsageError("`records` and `shift` must not be given with `confidential`");
  if (!answer.of_rows())
    throw UsageError("`confidential` must not be given for what was computed elsewhere");
  if (!shown) {
    job.table.refuse_overwriting("output", job.output);
    for (const std::string& path : job.source.paths())
      if (same_file(path, job.output))
        throw InvalidParameter("output", in_quotes(job.output), "must be a file of its own");
    require_place("output", job.output);
  }
  const ReportedRows rows(job, answer, job.table);
  progress.begin("reading");
  const ReadOptions read = job.table.read_options(progress);
  const Eigen::MatrixXd noise = noise_in(job, answer, rows, read);
  require_noise_of(answer, noise);
  const Eigen::MatrixXd all = rows.all(read);
  std::vector<AskedRow> found = asked_rows(answer, all, delta, job.failure);
  const Eigen::VectorXd losses = signed_noise_losses(answer, noise, all);
  const auto dropped = rows.table.dropped_rows(rows.rule.table_columns(), read);
  Eigen::VectorXd sizes = losses.cwiseAbs();
  double covered = 0.0;
  std::vector<double> numbers, signed_losses, bounds;
  for (std::size_t i = 0; i < found.size(); ++i) {
    found[i].signed_loss = losses[static_cast<Eigen::Index>(i)];
    found[i].number = static_cast<double>(row_number(dropped, i + 1));
    covered += std::abs(found[i].signed_loss) <= found[i].bound ? 1.0 : 0.0;
    numbers.push_back(found[i].number);
    signed_losses.push_back(found[i].signed_loss);
    bounds.push_back(found[i].bound);
  }
  std::sort(sizes.begin(), sizes.end());
  const auto quantile = [&](double share) {
    if (sizes.size() == 0) return 0.0;
    return sizes[static_cast<Eigen::Index>(share * static_cast<double>(sizes.size() - 1))];
  };
  const double count = static_cast<double>(found.size());
  Reply reply;
  begin(reply, answer, delta, job.failure);
  reply.tell("confidential", true)
      .tell("output", job.output)
      .tell("losses", {{"rows", count},
                       {"median", quantile(0.5)},
                       {"quantile_90", quantile(0.9)},
                       {"largest", quantile(1.0)},
                       {"share_above_bound", count > 0.0 ? 1.0 - covered / count : 0.0}});
  reply.say(confidential_heading);
  if (!shown) reply.show({"written to", job.output});
  reply.show({"rows", fmt::format("{}", count)});
  reply.show({"median loss", fmt::format("{:.4g}", quantile(0.5))});
  reply.show({"90 %", fmt::format("{:.4g}", quantile(0.9))});
  reply.show({"largest loss", fmt::format("{:.4g}", quantile(1.0))});
  reply.say(fmt::format("The guarantee is epsilon {} at delta {}.\n", answer.target.epsilon,
                        answer.target.delta));
  if (shown) {
    reply.tell("inside", {{"row", numbers}, {"signed_loss", signed_losses}, {"bound", bounds}});
    reply.say("\n" + as_csv(found));
  } else {
    const std::string text = as_csv(found);
    write_files({{job.output, text, FileAccess::owner_only}}, OldFiles::replaced);
  }
  return reply;
}

Reply run(const NoiseReportJob& job, Progress& progress) {
  require_open_unit("failure", job.failure);
  const NoisyAnswer answer = noisy_answer_in(job.source.certificate_tree());
  const double delta = job.delta ? require_open_unit("delta", *job.delta) : answer.target.delta;
  if (!(delta > 0.0))
    throw UsageError("`delta` is missing, but must be given: that of the release is 0");
  return job.shown.confidential ? told_to_the_holder(job, answer, delta, progress)
                                : told_to_owners(job, answer, delta, progress);
}

}  // namespace

std::vector<JobKind> noise_report() {
  return {job_kind<NoiseReportJob>(
      "report noise", "what records lost to Gaussian noise on a sum, second moments or a matrix",
      "  modicum report noise --release moments.csv --records mine.csv\n"
      "  modicum report noise --release noisy.csv --shift 0.1\n"
      "  modicum report noise examples/wages.csv --release moments.csv --confidential \\\n"
      "    --output losses.csv")};
}

}  // namespace modicum
