#include "modicum/data/table.h"

#include <fmt/format.h>

#include <algorithm>

#include "data/cells/number_text.h"
#include "data/columns_in_memory.h"
#include "data/csv/byte_stream.h"
#include "data/csv/field_reading.h"
#include "data/files/file_patterns.h"
#include "data/files/pieces.h"
#include "data/kept_blocks.h"
#include "data/ordered_work.h"
#include "data/queries/queried_rows.h"
#include "modicum/data/fields.h"
#include "modicum/data/gathered.h"

namespace modicum {

// Numbers of these columns, for the next pass.
struct data::KeptRows {
  std::vector<std::size_t> columns;
  data::KeptBlocks<RowBlock> blocks;
  std::optional<BadRows> bad_rows = {};  // as in the first pass
};

namespace {

// The pieces of all files, one after the other, and how many bytes they are.
class AllPieces {
 public:
  AllPieces(const TableFiles& files, const std::vector<std::string>& columns,
            const ReadOptions& options, const data::Selection& selection)
      : files_(files), columns_(columns) {
    if (files.memory) {
      reader_ = data::open_memory(*files.memory);
      total_ = files.memory->rows * files.memory->columns * sizeof(double);
    } else if (files.columns) {
      reader_ = data::open_memory(files.columns);
      total_ = files.columns->rows();
    } else if (files.queried) {
      reader_ = files.queried->open(options, wanted_in(selection));
      total_ = files.queried->bytes();
    }
    for (const std::string& path : files.paths) total_ += data::OpenFile(path).size();
  }

  std::uint64_t total() const { return total_; }

  /// Null at the end. Positions count from the first file on.
  std::shared_ptr<data::Piece> next() {
    for (;;) {
      if (!reader_ && !open_next()) return nullptr;
      if (std::shared_ptr<data::Piece> piece = reader_->next()) {
        piece->file_position = std::min(total_, before_ + piece->file_position);
        return piece;
      }
      if (opened_ > 0) before_ += data::OpenFile(files_.paths[opened_ - 1]).size();
      reader_.reset();
    }
  }

 private:
  static std::vector<bool> wanted_in(const data::Selection& selection) {
    std::vector<bool> wanted(selection.names.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      wanted[i] = selection.target[i] >= 0 || selection.category_target[i] >= 0;
    return wanted;
  }
  bool open_next() {
    if (opened_ == files_.paths.size()) return false;
    const std::string& path = files_.paths[opened_++];
    reader_ = data::open_pieces(path, files_);
    if (reader_->columns() != columns_)
      throw UnreadableFile(fmt::format("{}: changed since it was opened first", path));
    return true;
  }

  const TableFiles& files_;
  const std::vector<std::string>& columns_;
  std::unique_ptr<data::PieceReader> reader_;
  std::size_t opened_ = 0;
  std::uint64_t before_ = 0, total_ = 0;
};

void check_fields(const TableFiles& files) {
  if (!files.fields) return;
  constexpr std::size_t most = 1000000;
  const auto fields = static_cast<double>(*files.fields);
  if (files.header)
    throw InvalidParameter("fields", fields, "must be given for files without a header only");
  if (*files.fields < 1 || *files.fields > most)
    throw InvalidParameter("fields", fields, "must be from 1 to 1000000");
}

// Which there are, for who misspelled one: names of columns are public.
std::string known_columns(const std::string& name, const std::vector<std::string>& columns) {
  constexpr std::size_t most = 12;
  const std::string guess = suggestion(name, columns);
  if (!guess.empty() || columns.size() > most) return guess;
  std::string words = " (there are";
  for (const std::string& each : columns)
    words += fmt::format("{} {}", &each == &columns.front() ? "" : ",", one_line(each, 40));
  return words + ")";
}

// `handle` turns a piece into what is to be done in order. It runs on any thread.
template <class Handle>
void run(const TableFiles& files, const std::vector<std::string>& columns,
         const ReadOptions& options, const data::Selection& selection, const Handle& handle) {
  if (files.elsewhere)
    throw UsageError(
        "`gathered` sums are there in place of rows, but this reads rows one by one: give the "
        "table "
        "itself");
  AllPieces pieces(files, columns, options, selection);
  const std::uint64_t total = pieces.total();
  data::run_in_order(options.threads, [&]() -> data::Task {
    std::shared_ptr<data::Piece> piece = pieces.next();
    if (!piece) return {};
    return [&, piece = std::move(piece)]() -> data::Finish {
      data::Finish finish = handle(*piece);
      if (!options.progress) return finish;
      return [&, finish = std::move(finish), done = piece->file_position] {
        if (finish) finish();
        if (done < total) options.progress(done, total);
      };
    };
  });
  if (options.progress) options.progress(total, total);
}

}  // namespace

RowCounts& RowCounts::operator+=(const RowCounts& more) {
  used += more.used;
  other_length += more.other_length;
  broken += more.broken;
  not_numbers += more.not_numbers;
  missing += more.missing;
  return *this;
}

Table::Table(TableFiles files) : files_(std::move(files)) {
  if (files_.memory) {
    file_columns_ = data::open_memory(*files_.memory)->columns();
  } else if (files_.columns) {
    file_columns_ = files_.columns->names();
  } else if (files_.elsewhere) {
    file_columns_ = files_.elsewhere->shape().columns;
    assumptions_ = files_.elsewhere->shape().assumptions;
    files_.rules = assumptions_.rules;
  } else if (!files_.queried && files_.paths.empty()) {
    throw InvalidParameter("the list of data files", "empty", "must name a file");
  }
  if (!files_.names.empty() && !files_.header && !files_.fields)
    files_.fields = files_.names.size();
  check_fields(files_);
  files_.paths = data::expand_patterns(files_.paths);
  if (!files_.queried && data::are_parquet(files_))
    files_.queried = std::make_shared<const data::QueriedRows>("", files_);
  if (files_.queried) {
    file_columns_ = files_.queried->names();
    assumptions_ = files_.queried->assumptions();
    files_.paths.clear();
    files_.names.clear();
  }
  for (const std::string& path : files_.paths) {
    const auto reader = data::open_pieces(path, files_);
    assumptions_.multiline |= reader->assumptions().multiline;
    assumptions_.width_of_first_line |= reader->assumptions().width_of_first_line;
    assumptions_.header |= reader->assumptions().header;
    assumptions_.public_shape |= reader->assumptions().public_shape;
    if (&path == &files_.paths.front()) file_columns_ = reader->columns();
    else if (reader->columns() != file_columns_)
      throw InvalidParameter("data file", path,
                             "must have the same columns as " + files_.paths.front());
    if (files_.fields && file_columns_.size() != *files_.fields)  // NPY has a number of its own
      throw InvalidParameter("fields", static_cast<double>(*files_.fields),
                             "must be the number of columns of " + path);
    if (!files_.names.empty() && reader->has_names())
      throw InvalidParameter("names", files_.names.front(),
                             "must not be given for a file with a header: " + path);
    if (reader->first_row())
      take_shape(static_cast<std::size_t>(&path - files_.paths.data()), *reader->first_row());
  }
  columns_ = files_.names.empty() ? file_columns_ : files_.names;
  if (columns_.size() != file_columns_.size())
    throw InvalidParameter(
        "names", static_cast<double>(columns_.size()),
        fmt::format("must be as many as there are columns, {}", file_columns_.size()));
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const auto [place, is_new] = places_.emplace(columns_[i], i);
    if (!is_new) place->second = columns_.size();
  }
  take_rules();
}

void Table::take_rules() {
  const FieldRules& rules = files_.rules;
  if (rules.decimal != '.' && rules.decimal != ',')
    throw InvalidParameter("decimal", fmt::format("character {}", static_cast<int>(rules.decimal)),
                           "must be a point or a comma");
  data::FieldReading usual;
  usual.order = rules.date_order;
  usual.decimal = rules.decimal;
  usual.missing = rules.missing;
  std::vector<data::FieldReading> readings(columns_.size(), usual);
  const auto declare = [&](const char* option, const std::string& name,
                           data::FieldReading::Kind kind) -> data::FieldReading& {
    data::FieldReading& own = readings[index_of(option, name)];
    if (own.kind != data::FieldReading::Kind::plain)
      throw InvalidParameter(option, fmt::format("'{}'", name), "is declared already");
    own.kind = kind;
    return own;
  };
  for (const std::string& name : rules.booleans)
    declare("booleans", name, data::FieldReading::Kind::boolean);
  for (const auto& [name, unit] : rules.dates)
    declare("dates", name, data::FieldReading::Kind::date).unit = unit;
  readings_ = std::make_shared<const std::vector<data::FieldReading>>(std::move(readings));
  assumptions_.rules = rules;
}

void Table::take_shape(std::size_t file, const std::vector<bool>& numbers) {
  if (numbers.size() != file_columns_.size())
    throw UsageError(
        fmt::format("{}: the first row has {} fields, but there are {} columns (`public_shape`)",
                    files_.paths[file], numbers.size(), file_columns_.size()));
  text_in_.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    if (!numbers[i] && !text_in_[i]) text_in_[i] = file;
}

std::size_t Table::index_of(const std::string& option, const std::string& name) const {
  const auto found = places_.find(name);
  if (found == places_.end())
    throw InvalidParameter(option, fmt::format("'{}'", name),
                           "must be a column of the table" + known_columns(name, columns_));
  if (found->second == columns_.size())
    throw InvalidParameter(option, fmt::format("'{}'", name),
                           "must be the name of one column, not of several");
  return found->second;
}

void Table::require_numbers(std::size_t column) const {
  if (column < text_in_.size() && text_in_[column] && (*readings_)[column].is_plain())
    throw UsageError(
        fmt::format("{}: the first row has no number in column {}, which is to be used as one "
                    "(`public_shape`): `select` other columns, or `exclude` this one",
                    files_.paths[*text_in_[column]], in_quotes(columns_[column])));
}

void Table::for_each_block(const std::vector<std::size_t>& columns, const ReadOptions& options,
                           const BlockWork& work) const {
  const data::Selection selection(columns_, columns, options.bad_rows, *readings_);
  data::KeptRows* const kept = kept_ && kept_->columns == columns ? kept_.get() : nullptr;
  if (kept != nullptr && kept->blocks.are_there() && kept->bad_rows == options.bad_rows)
    return kept->blocks.pass(options.threads, work);
  const bool keep = kept != nullptr && kept->blocks.are_wanted();
  if (keep) {
    kept->blocks.begin();
    kept->bad_rows = options.bad_rows;
  }
  run(files_, file_columns_, options, selection,
      [&](const data::Piece& piece) -> std::function<void()> {
        auto block = std::make_shared<const RowBlock>(piece.numbers(selection));
        if (block->rows() == 0) return nullptr;
        std::function<void()> finish = work(*block);
        if (!keep) return finish;
        return [kept, block, finish = std::move(finish)] {
          kept->blocks.add(block, static_cast<double>(block->size()) * sizeof(double));
          if (finish) finish();
        };
      });
  if (keep) kept->blocks.end();
}

void Table::keep_rows(const std::vector<std::size_t>& columns, double most_bytes) const {
  if (files_.memory || files_.columns || files_.elsewhere) return;
  if (kept_ && kept_->columns == columns) return;
  kept_ = std::make_shared<data::KeptRows>(
      data::KeptRows{columns, data::KeptBlocks<RowBlock>(most_bytes)});
}

void Table::for_each_text_block(const std::vector<std::size_t>& columns, const ReadOptions& options,
                                const TextWork& work) const {
  const data::Selection selection(columns_, columns, options.bad_rows, *readings_);
  run(files_, file_columns_, options, selection,
      [&](const data::Piece& piece) -> std::function<void()> {
        const TextBlock block = piece.text(selection);
        return !block.empty() ? work(block) : nullptr;
      });
}

void Table::for_each_field_block(const std::vector<std::size_t>& categories,
                                 const std::vector<std::size_t>& numbers,
                                 const ReadOptions& options, const FieldWork& work) const {
  const data::Selection selection(columns_, numbers, options.bad_rows, *readings_, categories);
  run(files_, file_columns_, options, selection,
      [&](const data::Piece& piece) -> std::function<void()> {
        const FieldBlock block = piece.fields(selection);
        return block.rows > 0 ? work(block) : nullptr;
      });
}

std::string Table::category(std::size_t column, const std::string& text) const {
  std::string made;
  return std::string(readings_->at(column).category(text, made).value_or(text));
}

std::vector<std::string> Table::all_categories(std::size_t column) const {
  if (readings_->at(column).kind != data::FieldReading::Kind::boolean) return {};
  if (readings_->at(column).missing == MissingValues::dropped) return {"false", "true"};
  return {"false", "true", std::string(data::missing_category)};
}

RowCounts Table::count_rows(const std::vector<std::size_t>& columns, const ReadOptions& options,
                            const std::vector<std::size_t>& categories) const {
  const data::Selection selection(columns_, columns, BadRows::dropped, *readings_, categories);
  RowCounts total;
  run(files_, file_columns_, options, selection,
      [&](const data::Piece& piece) -> std::function<void()> {
        return [&total, counts = piece.count(selection)] { total += counts; };
      });
  return total;
}

std::vector<std::uint64_t> Table::dropped_rows(const std::vector<std::size_t>& columns,
                                               const ReadOptions& options) const {
  const data::Selection selection(columns_, columns, BadRows::dropped, *readings_);
  std::vector<std::uint64_t> numbers;
  std::uint64_t before = 0;
  run(files_, file_columns_, options, selection,
      [&](const data::Piece& piece) -> std::function<void()> {
        auto here = std::make_shared<const data::Piece::Dropped>(piece.dropped(selection));
        return [&numbers, &before, here] {
          for (const std::uint64_t place : here->places) numbers.push_back(before + place + 1);
          before += here->rows;
        };
      });
  return numbers;
}

// Of the first i + 1 dropped rows all come before it if the last does: dropped[i] - i <= used.
std::uint64_t row_number(const std::vector<std::uint64_t>& dropped, std::uint64_t used) {
  std::uint64_t low = 0, high = dropped.size();
  while (low < high) {
    const std::uint64_t middle = (low + high) / 2;
    if (dropped[middle] - middle <= used) low = middle + 1;
    else high = middle;
  }
  return used + low;
}

}  // namespace modicum
