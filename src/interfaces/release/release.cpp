#include "interfaces/release/release.h"

#include <fmt/format.h>

#include "data/cells/number_text.h"

namespace modicum {

void TableRelease::fields_without_budget(Fields& fields) {
  source.fields(fields);
  source.gathering_fields(fields);
  explain.fields(fields);
  confidential.fields(fields);
  place.fields(fields);
}

void TableRelease::fields(Fields& fields) {
  fields_without_budget(fields);
  budget.fields(fields, place.payer);
}

std::vector<Value> questions_of(const Planned& planned, Progress& progress) {
  SecureSource random;
  return questions_of([&] { planned.draw(random, progress); });
}

Diagnostics moment_diagnostics(const TableSource& source, const OpenedTable& from,
                               const IntegerGram& gram, Progress& progress,
                               const Diagnostics& of_this_release) {
  progress.begin("reading again");
  Diagnostics all =
      diagnose_rows(from.table, from.rule, from.rows.row_norm_bound, source.read_options(progress));
  for (const Diagnostics& more : {diagnose_spectrum(gram), of_this_release})
    all.insert(all.end(), more.begin(), more.end());
  return all;
}

std::shared_ptr<const IntegerGram> second_moments(const TableSource& source,
                                                  const OpenedTable& from, Progress& progress) {
  progress.begin("reading");
  return std::make_shared<const IntegerGram>(accumulate_gram(
      from.table, from.rule, from.rows.row_norm_bound, source.read_options(progress)));
}

GivenMatrix::GivenMatrix(const TableSource& source, const std::string& what) : source_(&source) {
  if (const auto& memory = source.files.memory) {
    shape_ = {static_cast<Eigen::Index>(memory->rows), static_cast<Eigen::Index>(memory->columns)};
    return;
  }
  if (source.files.paths.size() != 1)
    throw UsageError(fmt::format("FILE must be one file for a {}", what));
  shape_ = matrix_shape(source.files.paths.front(), source.files.header_declared);
}

std::string GivenMatrix::name() const {
  return source_->files.paths.empty() ? "the array" : in_quotes(source_->files.paths.front());
}

RowBlock GivenMatrix::read() const {
  if (const auto& memory = source_->files.memory) {
    RowBlock matrix(static_cast<Eigen::Index>(memory->rows),
                    static_cast<Eigen::Index>(memory->columns));
    for (Eigen::Index i = 0; i < matrix.rows(); ++i)
      for (Eigen::Index j = 0; j < matrix.cols(); ++j)
        matrix(i, j) = memory->values[i * memory->row_step + j * memory->column_step];
    return matrix;
  }
  RowBlock matrix = read_matrix(source_->files.paths.front(), source_->files.header_declared);
  if (MatrixShape{matrix.rows(), matrix.cols()} != shape_)
    throw UnreadableFile(fmt::format("{} was changed while it was read", name()));
  return matrix;
}

std::vector<JobKind> release_jobs() {
  return joined({{joint_release(), gather_job()},
                 everyday_releases(),
                 vector_releases(),
                 moment_releases(),
                 regression_releases(),
                 classification_releases(),
                 gaussian_process_releases(),
                 matrix_releases(),
                 component_releases()});
}

}  // namespace modicum
