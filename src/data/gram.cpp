#include "modicum/data/gram.h"

#include <cblas.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>

#include "data/moment_width.h"
#include "modicum/data/gathered.h"
#include "modicum/randomness/samplers.h"
#include "numerics/single_threaded_blas.h"

namespace modicum {
namespace {

// Why the sums of whole numbers in doubles are exact. Clipped rows v have whole entries with
// |v|^2 <= 2^40 (IntegerClip), so |v_i v_j| <= (v_i^2 + v_j^2) / 2 <= 2^40 at most, which is a
// double, and over at most 2^13 rows the sum of all |v_i v_j| is at most 2^53. Whatever order BLAS
// adds in, blocked or with fused operations, each intermediate value is a sum of some of these
// products: a whole number of size at most 2^53, hence a double. Nothing is ever rounded.
constexpr Eigen::Index exact_rows = 8192;

// sums += rows^T rows, its lower triangle; rows is count x d, both stored by rows.
void add_products(const double* rows, Eigen::Index count, RowBlock& sums) {
  const auto dimension = static_cast<blasint>(sums.rows());
  const SingleThreadedBlas no_threads_below;
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, dimension, static_cast<blasint>(count), 1.0,
              rows, dimension, 1.0, sums.data(), dimension);
}

IntegerGram empty_gram(std::size_t width, const IntegerClip& clip) {
  data::require_moment_width(width);
  IntegerGram gram;
  gram.dimension = static_cast<Eigen::Index>(width);
  gram.grid = clip.grid();
  gram.row_norm_bound = clip.row_norm_bound();
  gram.entries.assign(width * (width + 1) / 2, 0);
  return gram;
}

// Adds up to 8192 rows in doubles, then goes over to the whole numbers of the result.
class ExactSums {
 public:
  explicit ExactSums(Eigen::Index dimension) : sums_(RowBlock::Zero(dimension, dimension)) {}

  void add(const RowBlock& rows, IntegerGram& gram, std::mutex& gram_mutex) {
    for (Eigen::Index first = 0; first < rows.rows();) {
      const Eigen::Index count = std::min(exact_rows - held_, rows.rows() - first);
      add_products(rows.data() + first * rows.cols(), count, sums_);
      held_ += count;
      first += count;
      if (held_ == exact_rows) flush(gram, gram_mutex);
    }
  }

  void flush(IntegerGram& gram, std::mutex& gram_mutex) {
    const std::lock_guard lock(gram_mutex);
    Integer128* entry = gram.entries.data();
    for (Eigen::Index i = 0; i < sums_.rows(); ++i)
      for (Eigen::Index j = 0; j <= i; ++j) *entry++ += static_cast<std::int64_t>(sums_(i, j));
    sums_.setZero();
    held_ = 0;
  }

 private:
  RowBlock sums_;
  Eigen::Index held_ = 0;
};

// As many as are in use at the same time, that is at most one a thread.
class SumsInUse {
 public:
  explicit SumsInUse(IntegerGram& gram) : gram_(gram) {}

  void add(const RowBlock& rows) {
    std::unique_ptr<ExactSums> sums = take();
    sums->add(rows, gram_, gram_mutex_);
    const std::lock_guard lock(mutex_);
    idle_.push_back(std::move(sums));
  }

  void flush() {
    for (const auto& sums : idle_) sums->flush(gram_, gram_mutex_);
  }

 private:
  std::unique_ptr<ExactSums> take() {
    const std::lock_guard lock(mutex_);
    if (idle_.empty()) return std::make_unique<ExactSums>(gram_.dimension);
    std::unique_ptr<ExactSums> sums = std::move(idle_.back());
    idle_.pop_back();
    return sums;
  }

  IntegerGram& gram_;
  std::mutex mutex_, gram_mutex_;
  std::vector<std::unique_ptr<ExactSums>> idle_;
};

RowBlock clipped(const RowBlock& block, const RowRule& rule, const IntegerClip& clip) {
  RowBlock rows = rule.apply(block);
  clip.apply(rows);
  return rows;
}

RowBlock clipped(const RowBlock& block, const RowRule& rule, const RowMap& map,
                 const IntegerClip& clip) {
  RowBlock rows = map.apply(rule.apply(block));
  if (rows.rows() != block.rows() || static_cast<std::size_t>(rows.cols()) != map.width)
    throw Error("a map of rows has made another number of them, or of coordinates");
  clip.apply(rows);
  return rows;
}

using MakeRows = std::function<RowBlock(const RowBlock&)>;

Value rows_question(const char* kind, const RowRule& rule, const IntegerClip& clip,
                    const RowMap* map = nullptr) {
  Value question{
      {"sums", kind}, {"rows", to_value(rule)}, {"row_norm_bound", clip.row_norm_bound()}};
  if (map != nullptr) question["map"] = map->description;
  return question;
}

IntegerGram gram_of(const Table& table, const RowRule& rule, const Value& question,
                    std::size_t width, const IntegerClip& clip, const MakeRows& made,
                    const ReadOptions& options) {
  IntegerGram gram = empty_gram(width, clip);
  WholeSums found = sums_over(table, question, gram.entries.size(), [&]() -> WholeSums {
    SumsInUse sums(gram);
    table.for_each_block(rule.table_columns(), options,
                         [&](const RowBlock& block) -> std::function<void()> {
                           sums.add(made(block));
                           return {};
                         });
    sums.flush();
    return {std::move(gram.entries)};
  });
  gram.entries = std::move(found.entries);
  return gram;
}

// The entries, and behind them the number of rows.
WholeSums read_sum(const Table& table, const RowRule& rule, std::size_t width, const MakeRows& made,
                   const ReadOptions& options) {
  WholeSums sum{std::vector<Integer128>(width + 1, 0)};
  table.for_each_block(rule.table_columns(), options, [&](const RowBlock& block) {
    const RowBlock rows = made(block);
    std::vector<std::int64_t> part(width);  // at most 2^20 a row: no overflow
    for (Eigen::Index i = 0; i < rows.rows(); ++i)
      for (Eigen::Index j = 0; j < rows.cols(); ++j)
        part[static_cast<std::size_t>(j)] += static_cast<std::int64_t>(rows(i, j));
    return [&sum, part = std::move(part), count = rows.rows()] {
      for (std::size_t j = 0; j < part.size(); ++j) sum.entries[j] += part[j];
      sum.entries.back() += count;
    };
  });
  return sum;
}

IntegerSum sum_of(const Table& table, const RowRule& rule, const Value& question, std::size_t width,
                  const IntegerClip& clip, const MakeRows& made, const ReadOptions& options) {
  WholeSums found = sums_over(table, question, width + 1,
                              [&] { return read_sum(table, rule, width, made, options); });
  IntegerSum sum{clip.grid(), clip.row_norm_bound(), std::move(found.entries), 0};
  sum.rows = sum.entries.back();
  sum.entries.pop_back();
  return sum;
}

// Moves the rows that are drawn to the front and tells how many.
Eigen::Index keep_sampled(RowBlock& rows, double rate, RandomSource& source) {
  Eigen::Index kept = 0;
  for (Eigen::Index row = 0; row < rows.rows(); ++row) {
    if (!bernoulli(rate, source)) continue;
    if (kept != row) rows.row(kept) = rows.row(row);
    ++kept;
  }
  return kept;
}

}  // namespace

Integer128 IntegerGram::at(Eigen::Index i, Eigen::Index j) const {
  if (i < j) std::swap(i, j);
  return entries.at(static_cast<std::size_t>(i * (i + 1) / 2 + j));
}

Eigen::MatrixXd IntegerGram::matrix() const {
  Eigen::MatrixXd result(dimension, dimension);
  for (Eigen::Index i = 0; i < dimension; ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      result(i, j) = result(j, i) = static_cast<double>(at(i, j)) * (grid * grid);
  return result;
}

IntegerGram accumulate_gram(const Table& table, const RowRule& rule, double row_norm_bound,
                            const ReadOptions& options) {
  const IntegerClip clip(row_norm_bound);
  return gram_of(
      table, rule, rows_question("moments", rule, clip), rule.width(), clip,
      [&](const RowBlock& block) { return clipped(block, rule, clip); }, options);
}

IntegerGram accumulate_gram(const Table& table, const RowRule& rule, const RowMap& map,
                            double row_norm_bound, const ReadOptions& options) {
  const IntegerClip clip(row_norm_bound);
  return gram_of(
      table, rule, rows_question("moments", rule, clip, &map), map.width, clip,
      [&](const RowBlock& block) { return clipped(block, rule, map, clip); }, options);
}

// Rows are clipped on all threads; drawn and added in order, so that the same bits of the source
// choose the same rows for any number of threads.
IntegerGram accumulate_sampled_gram(const Table& table, const RowRule& rule, double row_norm_bound,
                                    double sampling_rate, RandomSource& source,
                                    const ReadOptions& options) {
  require_probability("sampling rate", sampling_rate);
  const IntegerClip clip(row_norm_bound);
  IntegerGram gram = empty_gram(rule.width(), clip);
  gram.sampling_rate = sampling_rate;
  SumsInUse sums(gram);
  table.for_each_block(rule.table_columns(), options, [&](const RowBlock& block) {
    auto rows = std::make_shared<RowBlock>(clipped(block, rule, clip));
    return [&, rows] {
      rows->conservativeResize(keep_sampled(*rows, sampling_rate, source), rows->cols());
      sums.add(*rows);
    };
  });
  sums.flush();
  return gram;
}

IntegerSum accumulate_sum(const Table& table, const RowRule& rule, double row_norm_bound,
                          const ReadOptions& options) {
  const IntegerClip clip(row_norm_bound);
  return sum_of(
      table, rule, rows_question("sum", rule, clip), rule.width(), clip,
      [&](const RowBlock& block) { return clipped(block, rule, clip); }, options);
}

IntegerSum accumulate_sum(const Table& table, const RowRule& rule, const RowMap& map,
                          double row_norm_bound, const ReadOptions& options) {
  const IntegerClip clip(row_norm_bound);
  return sum_of(
      table, rule, rows_question("sum", rule, clip, &map), map.width, clip,
      [&](const RowBlock& block) { return clipped(block, rule, map, clip); }, options);
}

// The products of a block are found on any thread, unless they are larger than the block itself:
// then in order, so that only blocks wait for their turn. Which of both depends on the shape of the
// block alone.
Eigen::MatrixXd accumulate_plain_gram(const Table& table, const RowRule& rule,
                                      const ReadOptions& options) {
  data::require_moment_width(rule.width());
  const auto dimension = static_cast<Eigen::Index>(rule.width());
  RowBlock sums = RowBlock::Zero(dimension, dimension);
  table.for_each_block(
      rule.table_columns(), options, [&](const RowBlock& block) -> std::function<void()> {
        auto rows = std::make_shared<RowBlock>(rule.apply(block));
        if (rows->rows() < dimension)
          return [&sums, rows] { add_products(rows->data(), rows->rows(), sums); };
        auto part = std::make_shared<RowBlock>(RowBlock::Zero(dimension, dimension));
        add_products(rows->data(), rows->rows(), *part);
        return [&sums, part] { sums += *part; };
      });
  return sums.selfadjointView<Eigen::Lower>();
}

}  // namespace modicum
