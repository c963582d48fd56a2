#include "data/queries/text_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <exception>

#include "data/cells/text_character.h"
#include "data/csv/byte_stream.h"
#include "data/files/pieces.h"
#include "modicum/data/fields.h"

namespace modicum::data {
namespace {

class CsvTextRows final : public TextRows {
 public:
  CsvTextRows(const TableFiles& files, BadRows bad_rows) : files_(files), bad_rows_(bad_rows) {
    for (const std::string& path : files_.paths) {
      const auto reader = open_pieces(path, files_);
      if (&path == &files_.paths.front()) file_names_ = reader->columns();
      else if (reader->columns() != file_names_)
        throw InvalidParameter("data file", path,
                               "must have the same columns as " + files_.paths.front());
      if (!files_.names.empty() && reader->has_names())
        throw InvalidParameter("names", files_.names.front(),
                               "must not be given for a file with a header: " + path);
    }
    names_ = files_.names.empty() ? file_names_ : files_.names;
    if (names_.size() != file_names_.size())
      throw InvalidParameter(
          "names", static_cast<double>(names_.size()),
          fmt::format("must be as many as there are columns, {}", file_names_.size()));
    readings_.resize(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) places_.push_back(i);
  }
  const std::vector<std::string>& names() const override { return names_; }
  void need(const std::vector<std::string>& columns) override {
    places_ = places_among(names_, columns);
  }
  bool next(Row& row) override {
    while (used_ == block_.size())
      if (!read_more()) return false;
    std::vector<std::string>& fields = block_[used_++];
    row.assign(names_.size(), std::nullopt);
    for (std::size_t i = 0; i < fields.size(); ++i)
      if (!fields[i].empty()) row[places_[i]] = std::move(fields[i]);
    return true;
  }

 private:
  bool read_more() {
    const Selection selection(names_, places_, bad_rows_, readings_);
    for (;;) {
      if (!reader_) {
        if (opened_ == files_.paths.size()) return false;
        reader_ = open_pieces(files_.paths[opened_++], files_);
      }
      if (const auto piece = reader_->next()) {
        block_ = piece->text(selection);
        used_ = 0;
        return true;
      }
      reader_.reset();
    }
  }

  TableFiles files_;
  BadRows bad_rows_;
  std::vector<std::string> file_names_, names_;
  std::vector<FieldReading> readings_;
  std::vector<std::size_t> places_;
  std::unique_ptr<PieceReader> reader_;
  TextBlock block_;
  std::size_t opened_ = 0, used_ = 0;
};

class LineTextRows final : public TextRows {
 public:
  explicit LineTextRows(const std::vector<std::string>& paths) : paths_(paths) {
    for (const std::string& path : paths_) OpenFile{path};
  }
  const std::vector<std::string>& names() const override {
    static const std::vector<std::string> line{"line"};
    return line;
  }
  bool next(Row& row) override {
    row.resize(1);
    for (;;) {
      std::string line;
      if (!next_line(line)) return false;
      if (line.empty()) continue;
      row[0] = std::move(line);
      return true;
    }
  }

 private:
  static constexpr std::size_t longest = std::size_t{64} << 20;

  // A line that is too long is empty.
  bool next_line(std::string& line) {
    bool any = false, too_long = false;
    for (;;) {
      if (used_ == buffer_.size() && !refill()) {
        if (too_long) line.clear();
        if (any) return true;
        if (opened_ == paths_.size()) return false;
        stream_ = std::make_unique<ByteStream>(paths_[opened_++]);
        continue;
      }
      any = true;
      const std::size_t stop = buffer_.find('\n', used_);
      const std::size_t end = stop == std::string::npos ? buffer_.size() : stop;
      if (!too_long) line.append(buffer_, used_, end - used_);
      if (line.size() > longest) {
        too_long = true;
        line.clear();
      }
      used_ = stop == std::string::npos ? end : stop + 1;
      if (stop != std::string::npos) return true;
    }
  }
  bool refill() {
    if (!stream_) return false;
    buffer_.resize(usual_piece_bytes);
    buffer_.resize(stream_->read(buffer_.data(), buffer_.size()));
    used_ = 0;
    if (buffer_.empty()) stream_.reset();
    return !buffer_.empty();
  }

  std::vector<std::string> paths_;
  std::unique_ptr<ByteStream> stream_;
  std::string buffer_;
  std::size_t opened_ = 0, used_ = 0;
};

}  // namespace

std::unique_ptr<TextRows> csv_text_rows(const TableFiles& files, BadRows bad_rows) {
  for (const std::string& path : files.paths)
    if (files.header ? starts_as_npy(path) : path.ends_with(".npy") || path.ends_with(".npy.gz"))
      throw UsageError("`query` reads no NPY files");
  return std::make_unique<CsvTextRows>(files, bad_rows);
}

std::unique_ptr<TextRows> line_text_rows(const std::vector<std::string>& paths) {
  return std::make_unique<LineTextRows>(paths);
}

std::vector<std::size_t> places_among(const std::vector<std::string>& names,
                                      const std::vector<std::string>& columns) {
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (std::find(columns.begin(), columns.end(), names[i]) != columns.end()) places.push_back(i);
  return places;
}

bool is_utf8(std::string_view text) {
  while (!text.empty()) {
    const std::size_t length = utf8_character(text);
    if (length == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

struct FedRows::Feed {
  std::unique_ptr<TextRows> rows;
  std::exception_ptr problem = nullptr;
  bool ended = false;

  static void bind(void* info) {
    const DuckDbFunctions& own = duckdb();
    const auto& feed = *static_cast<Feed*>(own.bind_get_extra_info(info));
    void* type = own.create_logical_type(DuckDbType::text);
    for (std::size_t i = 0; i < feed.rows->names().size(); ++i)  // names may be none, or equal
      own.bind_add_result_column(info, fmt::format("f{}", i + 1).c_str(), type);
    own.destroy_logical_type(&type);
  }
  static void start(void* info) { duckdb().init_set_max_threads(info, 1); }
  static void fill(void* info, void* chunk) {
    auto& feed = *static_cast<Feed*>(duckdb().function_get_extra_info(info));
    try {
      feed.fill_chunk(chunk);
    } catch (...) {
      feed.problem = std::current_exception();
      feed.ended = true;
      duckdb().function_set_error(info, "the rows cannot be read");
    }
  }

 private:
  void fill_chunk(void* chunk) {
    const DuckDbFunctions& own = duckdb();
    std::vector<void*> vectors;
    for (std::size_t i = 0; i < rows->names().size(); ++i)
      vectors.push_back(own.data_chunk_get_vector(chunk, i));
    const std::uint64_t most = own.vector_size();
    std::uint64_t count = 0;
    TextRows::Row row;
    while (count < most && !ended) {
      if (!rows->next(row)) {
        ended = true;
        break;
      }
      for (std::size_t i = 0; i < vectors.size(); ++i) {
        if (row[i] && is_utf8(*row[i])) {
          own.vector_assign_string_element_len(vectors[i], count, row[i]->data(), row[i]->size());
        } else {
          own.vector_ensure_validity_writable(vectors[i]);
          own.validity_set_row_invalid(own.vector_get_validity(vectors[i]), count);
        }
      }
      ++count;
    }
    own.data_chunk_set_size(chunk, count);
  }
};

FedRows::FedRows(DuckDbSession& session, std::unique_ptr<TextRows> rows)
    : feed_(std::make_unique<Feed>()) {
  feed_->rows = std::move(rows);
  const DuckDbFunctions& own = duckdb();
  void* function = own.create_table_function();
  own.table_function_set_name(function, "modicum_rows");
  own.table_function_set_extra_info(function, feed_.get(), nullptr);
  own.table_function_set_bind(function, &Feed::bind);
  own.table_function_set_init(function, &Feed::start);
  own.table_function_set_function(function, &Feed::fill);
  const bool good = own.register_table_function(session.connection(), function) == 0;
  own.destroy_table_function(&function);
  if (!good) throw Error("the rows cannot be given to DuckDB");
}

FedRows::~FedRows() = default;

void FedRows::rethrow() const {
  if (feed_->problem) std::rethrow_exception(feed_->problem);
}

}  // namespace modicum::data
