#include "modicum/release/multinomial_release.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>

#include "data/cells/number_text.h"
#include "data/moment_width.h"
#include "modicum/mechanisms/gaussian.h"
#include "modicum/release/gradient_release.h"
#include "release/certificates/public_certificate.h"
#include "release/classification/descent.h"
#include "release/classification/softmax_sums.h"
#include "release/classification/standardized_rows.h"
#include "release/descriptions/mechanisms.h"
#include "release/regression/coefficients.h"
#include "release/tables/kept_rows.h"
#include "release/tables/whole_numbers.h"

namespace modicum {
namespace {

void require_classes(const ClassRule& rule) {
  if (rule.classes.size() < 2 || rule.classes.size() > most_classes)
    throw InvalidParameter("labels", fmt::format("{} classes", rule.classes.size()),
                           "must be two at least, and 1000 at most");
}

// Along the gradient of the clipped losses over the released count; the mean of the later half. The
// gradients of all classes add up to 0, and so may the noise: what it adds to all of them alike is
// taken off.
Eigen::MatrixXd descend_softmax(const MultinomialPlan& plan, const Standardization& look,
                                const PassOverRows& pass, RandomSource& source) {
  const auto classes = static_cast<Eigen::Index>(plan.rule.classes.size());
  const Eigen::Index d = plan.rows.dimension();
  const auto count = static_cast<double>(classes);
  // Rounded upwards by more than all roundings here.
  const double deviation = plan.clip / plan.step_mu * (1.0 + 0x1p-40);
  const double grid = grid_below(deviation);
  // The length of a gradient at the start is sqrt(1 - 1/classes) |x|; clipping shortens it.
  const double usual = std::sqrt((1.0 - 1.0 / count) * static_cast<double>(d));
  const double length =
      std::min(1.0, 0.25 * count) / (look.count() * std::min(1.0, plan.clip / usual));
  Eigen::MatrixXd theta = Eigen::MatrixXd::Zero(classes, d), mean = theta;
  const int kept_from = plan.steps / 2;
  for (int step = 0; step < plan.steps; ++step) {
    const GradientSum sum = softmax_gradient_sum(pass, look.clip(), theta, plan.clip);
    Eigen::MatrixXd noisy(classes, d);
    std::size_t at = 0;
    for (Eigen::Index k = 0; k < classes; ++k)
      for (Eigen::Index j = 0; j < d; ++j)
        noisy(k, j) = to_double(
            add_rounded_normal(split(sum.values[at++], sum.grid, grid), deviation, grid, source),
            grid);
    noisy.rowwise() -= noisy.colwise().mean().eval();
    theta -= length * noisy;
    if (step >= kept_from) mean += theta / static_cast<double>(plan.steps - kept_from);
  }
  return mean;
}

}  // namespace

ClassedRows::ClassedRows(const Table& table, RowRule features, ClassRule rule,
                         double row_norm_bound)
    : table_(table),
      features_(std::move(features)),
      rule_(std::move(rule)),
      clip_(row_norm_bound),
      place_(table.index_of("target", rule_.column)) {
  data::require_moment_width(features_.width());
  require_classes(rule_);
  const std::vector<std::size_t>& columns = features_.table_columns();
  if (std::find(columns.begin(), columns.end(), place_) != columns.end())
    throw InvalidParameter("target", in_quotes(rule_.column), "must not be one of the features");
  for (const std::string& each : rule_.classes) {
    std::string category = table.category(place_, each);
    if (std::find(categories_.begin(), categories_.end(), category) != categories_.end())
      throw InvalidParameter("labels", in_quotes(each), "must be there once");
    categories_.push_back(std::move(category));
  }
}

PassOverRows ClassedRows::pass(const ReadOptions& options) const {
  std::map<std::string, double, std::less<>> numbers;
  for (std::size_t k = 0; k < categories_.size(); ++k)
    numbers[categories_[k]] = static_cast<double>(k);
  return [this, &options, numbers = std::move(numbers)](const LabeledWork& work) {
    table_.for_each_field_block(
        {place_}, features_.table_columns(), options,
        [&](const FieldBlock& block) -> std::function<void()> {
          std::vector<double> labels;
          std::vector<Eigen::Index> rows;
          for (std::size_t i = 0; i < block.rows; ++i) {
            const auto found = numbers.find(*block.categories_of(i));
            if (found == numbers.end()) continue;
            rows.push_back(static_cast<Eigen::Index>(i));
            labels.push_back(found->second);
          }
          if (rows.empty()) return [] {};
          RowBlock chosen(static_cast<Eigen::Index>(rows.size()), block.numbers.cols());
          for (std::size_t i = 0; i < rows.size(); ++i)
            chosen.row(static_cast<Eigen::Index>(i)) = block.numbers.row(rows[i]);
          LabeledBlock labeled;
          labeled.features = features_.apply(chosen);
          clip_.apply(labeled.features);
          labeled.labels = Eigen::Map<const Eigen::VectorXd>(
              labels.data(), static_cast<Eigen::Index>(labels.size()));
          return work(labeled);
        });
  };
}

MultinomialPlan plan_multinomial(const PrivacyTarget& target, const PublicRows& features,
                                 const ClassRule& rule, std::optional<double> steps) {
  require_classes(rule);
  // The longest gradient is that of a sure mistake, sqrt 2 times the row.
  Descent descent =
      plan_descent(target, features, steps, M_SQRT2, "multinomial", [&](Certificate& certificate) {
        certificate.set("label", rule.column);
        certificate.set("labels", rule.classes);
      });
  descent.certificate.assumptions.push_back(
      "the labels are public; rows with another one are dropped, each by itself");
  return {features,
          rule,
          descent.steps,
          descent.look_mu,
          descent.step_mu,
          descent.clip,
          std::move(descent.certificate)};
}

Released release_multinomial(const MultinomialPlan& plan, const ClassedRows& rows,
                             RandomSource& source, const ReadOptions& options) {
  if (!(rows.clip().row_norm_bound() == plan.rows.row_norm_bound))
    throw InvalidParameter("row_norm_bound", rows.clip().row_norm_bound(),
                           "must be that of the plan");
  if (!(rows.rule() == plan.rule))
    throw InvalidParameter("labels", "others", "must be those of the plan");
  plan.rows.require_same(rows.features());
  const PassOverRows pass = rows.pass(options);
  const Standardization look(plan.rows, pass, plan.look_mu, source);
  const Eigen::MatrixXd found =
      descend_softmax(plan, look, kept_rows(look.pass(pass), options.threads), source);
  const PublicRows units = look.rows(plan.rows);
  std::optional<Released> released;
  for (Eigen::Index k = 0; k < found.rows(); ++k) {
    const Released one =
        coefficients_in_units(units, {0.0, 1.0}, found.row(k).transpose(), plan.certificate);
    if (!released) {
      released = one;
      released->values.resize(one.values.rows(), found.rows());
    }
    released->values.col(k) = one.values.col(0);
  }
  released->column_names = plan.rule.classes;
  released->certificate.set("released_centers", units.centers);
  released->certificate.set("released_scales", units.scales);
  return *released;
}

Diagnostics diagnose_multinomial(const Released& released, const PublicRows& first,
                                 const ClassedRows& rows, const ReadOptions& options) {
  const Eigen::Index d = first.dimension(), classes = released.values.cols();
  // The last d rows are the coefficients; a row before them is what centers add.
  const Eigen::MatrixXd own = released.values.bottomRows(d);
  const bool moved = released.values.rows() > d;
  double used = 0.0, right = 0.0;
  const double grid = rows.clip().grid();
  rows.pass(options)([&](const LabeledBlock& block) -> std::function<void()> {
    double here = 0.0;
    for (Eigen::Index i = 0; i < block.features.rows(); ++i) {
      Eigen::VectorXd scores =
          moved ? Eigen::VectorXd(released.values.row(0)) : Eigen::VectorXd::Zero(classes);
      for (Eigen::Index j = 0; j < d; ++j) {
        const auto place = static_cast<std::size_t>(j);
        const double value =
            first.intercept && j == 0
                ? 1.0
                : first.centers[place] + first.scales[place] * grid * block.features(i, j);
        scores += value * own.row(j).transpose();
      }
      Eigen::Index best = 0;
      scores.maxCoeff(&best);
      here += best == static_cast<Eigen::Index>(block.labels[i]) ? 1.0 : 0.0;
    }
    const auto count = static_cast<double>(block.features.rows());
    return [&used, &right, here, count] {
      used += count;
      right += here;
    };
  });
  return {{"rows", used}, {"share_classified_right", used > 0.0 ? right / used : 0.0}};
}

}  // namespace modicum
