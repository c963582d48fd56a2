// audit inherent: what projection and least squares give away on one data set without any noise.
#include "modicum/release/inherent.h"

#include <fmt/format.h>

#include "data/cells/number_text.h"
#include "data/counted.h"
#include "interfaces/audit/audit.h"
#include "interfaces/plot/picture.h"
#include "interfaces/release/output.h"

namespace modicum {
namespace {

struct InherentJob {
  TableSource source = {};
  ConfidentialField shown = {};
  RowChoice choice = {};
  double columns = 0.0;
  std::string target = {};
  std::vector<double> epsilons{0.25, 0.5, 1.0, 2.0, 4.0};

  void fields(Fields& fields) {
    source.fields(fields);
    shown.required_field(fields);
    choice.column_fields(fields);
    choice.intercept_field(fields);
    fields.add("columns", columns, "columns of the sketch").required();
    fields.add("target", target, "the column to be predicted: least squares, too").shown_as("NAME");
    add_numbers(fields, "epsilon", epsilons, "privacy loss bounds");
  }
};

void add_facts(Reply& reply, const InherentPrivacy& privacy) {
  const auto number = [](double value) { return fmt::format("{:.7g}", value); };
  reply.tell("confidential", true);
  reply.add("rows", "rows", privacy.rows, number(privacy.rows));
  reply.add("dimension", "coordinates", privacy.dimension, number(privacy.dimension));
  reply.add("rank", "rank", privacy.rank, number(privacy.rank));
  reply.add("leverage", "largest leverage", privacy.leverage, rounded_up(privacy.leverage));
  if (!privacy.regression) return;
  const InherentRegression& regression = *privacy.regression;
  reply.tell("regression", {{"set_leverage", regression.leverage},
                            {"set_residual", regression.residual},
                            {"solution_sensitivity", regression.solution_sensitivity},
                            {"undominated_pairs", regression.worst.size()}});
  reply.show({"largest leverage in the features", rounded_up(regression.leverage)});
  reply.show({"largest share of the squared residual", rounded_up(regression.residual)});
  reply.show(
      {"largest move of the solution by a row", rounded_up(regression.solution_sensitivity)});
}

void add_curve(Reply& reply, const InherentPrivacy& privacy, const InherentJob& job) {
  std::vector<std::string> heading{"epsilon", "delta of a projection"};
  if (privacy.regression) heading.emplace_back("delta of approximate least squares");
  ReplyTable rows(std::move(heading));
  for (const double epsilon : job.epsilons) {
    const double projection = inherent_projection_delta(privacy, job.columns, epsilon);
    Value entry{{"epsilon", epsilon}, {"projection_delta", projection}};
    std::vector<std::string> cells{fmt::format("{}", epsilon), rounded_up(projection)};
    if (privacy.regression) {
      const double solution = inherent_least_squares_delta(privacy, job.columns, epsilon);
      entry["least_squares_delta"] = solution;
      cells.push_back(rounded_up(solution));
    }
    rows.add(std::move(entry), std::move(cells));
  }
  reply.add("points", rows);
}

Reply run(const InherentJob& job, Progress& progress) {
  job.shown.require(
      "the set of this data set and its neighbors is private itself, so that nothing here may be "
      "published");
  require_count("columns", job.columns);
  for (const double epsilon : job.epsilons) require_non_negative("epsilon", epsilon);
  const Table table = job.source.open();
  const RowRule rule = job.choice.rule(table, job.target);
  progress.begin("reading");
  const InherentPrivacy privacy =
      analyze_inherent(table, rule, !job.target.empty(), job.source.read_options(progress));
  Reply reply;
  reply.say(fmt::format("{}\nThis data set and its neighbors by one of its own rows:\n",
                        confidential_heading));
  add_facts(reply, privacy);
  reply.tell("columns", job.columns);
  reply.say(fmt::format("Without any noise, with {}:\n", counted(job.columns, "column")));
  add_curve(reply, privacy, job);
  return reply.say(fmt::format(
      "Estimated in double arithmetic. A guarantee relative to this set is not one for\nthe "
      "public: "
      "which data sets are in it is private.{}\n",
      privacy.regression
          ? " The delta of approximate least\nsquares holds in the limit of many columns."
          : ""));
}

}  // namespace

std::vector<JobKind> inherent_audit() {
  return {job_kind<InherentJob>(
      "audit inherent", "what sketches of one data set give away without any noise",
      "  modicum audit inherent examples/wages.csv --target wage --columns 1000 --confidential")};
}

}  // namespace modicum
