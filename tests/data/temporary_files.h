// Files that are gone when the test is over.
#pragma once

#include <gtest/gtest.h>
#include <zlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <string_view>

#include "modicum/data/table.h"
#include "support/temporary_folder.h"

namespace modicum::testing {

inline std::string gzipped(std::string_view content) {
  z_stream state{};
  deflateInit2(&state, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
  std::string result(deflateBound(&state, content.size()), '\0');
  state.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
  state.avail_in = static_cast<uInt>(content.size());
  state.next_out = reinterpret_cast<Bytef*>(result.data());
  state.avail_out = static_cast<uInt>(result.size());
  deflate(&state, Z_FINISH);
  result.resize(state.total_out);
  deflateEnd(&state);
  return result;
}

/// With any header.
inline Table table_of(const std::string& path, bool header = true, char separator = ',') {
  TableFiles files;
  files.paths = {path};
  files.header = header;
  files.header_declared = true;
  files.separator = separator;
  return Table(files);
}

inline Table table_without_header(const std::string& path, std::optional<std::size_t> fields) {
  TableFiles files;
  files.paths = {path};
  files.header = false;
  files.fields = fields;
  return Table(files);
}

inline ReadOptions strict(unsigned threads = 0) {
  ReadOptions options;
  options.bad_rows = BadRows::refused;
  options.threads = threads;
  return options;
}

inline std::vector<std::size_t> all_columns(const Table& table) {
  std::vector<std::size_t> columns(table.columns().size());
  for (std::size_t i = 0; i < columns.size(); ++i) columns[i] = i;
  return columns;
}

/// All rows, one after the other.
inline RowBlock rows_of(const Table& table, std::vector<std::size_t> columns,
                        const ReadOptions& options = {}) {
  RowBlock all(0, static_cast<Eigen::Index>(columns.size()));
  table.for_each_block(columns, options, [&](const RowBlock& block) {
    return [&, block] {
      all.conservativeResize(all.rows() + block.rows(), Eigen::NoChange);
      all.bottomRows(block.rows()) = block;
    };
  });
  return all;
}

inline RowBlock rows_of(const Table& table, const ReadOptions& options = {}) {
  return rows_of(table, all_columns(table), options);
}

inline TextBlock text_of(const Table& table, const ReadOptions& options = {}) {
  TextBlock all;
  table.for_each_text_block(all_columns(table), options, [&](const TextBlock& block) {
    return [&, block] { all.insert(all.end(), block.begin(), block.end()); };
  });
  return all;
}

inline RowBlock matrix(std::initializer_list<std::initializer_list<double>> rows) {
  RowBlock result(static_cast<Eigen::Index>(rows.size()),
                  static_cast<Eigen::Index>(rows.begin()->size()));
  Eigen::Index i = 0;
  for (const auto& row : rows) {
    Eigen::Index j = 0;
    for (const double x : row) result(i, j++) = x;
    ++i;
  }
  return result;
}

/// The one-line message of an UnreadableFile, or another exception, that must come.
template <class Exception = UnreadableFile>
std::string refusal(const std::function<void()>& attempt) {
  try {
    attempt();
  } catch (const Exception& error) {
    const std::string message = error.what();
    EXPECT_EQ(message.find('\n'), std::string::npos) << message;
    return message;
  }
  ADD_FAILURE() << "nothing was refused";
  return {};
}

#define EXPECT_CONTAINS(text, part) \
  EXPECT_NE(std::string(text).find(part), std::string::npos) << (text) << " lacks " << (part)

}  // namespace modicum::testing
