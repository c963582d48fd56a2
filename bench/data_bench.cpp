// How fast a table in a file becomes its Gram matrix, against the parts this is made of: reading
// the bytes, parsing them, and one matrix product in memory.
//
//   data_bench [rows [columns [folder]]]
#include <cblas.h>
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <functional>
#include <random>
#include <string>

#include "modicum/data/gram.h"

namespace modicum {
namespace {

// The least wall time of three, in seconds.
double seconds(const std::function<void()>& work) {
  double least = 1e300;
  for (int repeat = 0; repeat < 3; ++repeat) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    least = std::min(least, taken.count());
  }
  return least;
}

void write_table(const std::string& path, int rows, int columns) {
  std::ofstream file(path, std::ios::binary);
  std::mt19937_64 generator(1);
  std::normal_distribution<double> normal;
  std::string text;
  for (int j = 0; j < columns; ++j) text += fmt::format("{}x{}", j > 0 ? "," : "", j);
  text += '\n';
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < columns; ++j)
      text += fmt::format("{:.5f}{}", normal(generator), j + 1 < columns ? ',' : '\n');
    if (text.size() > 1000000 || i + 1 == rows) {
      file << text;
      text.clear();
    }
  }
}

void read_raw(const std::string& path) {
  static std::string buffer(std::size_t{1} << 20, '\0');
  std::FILE* const file = std::fopen(path.c_str(), "rb");
  std::setvbuf(file, nullptr, _IONBF, 0);
  while (std::fread(buffer.data(), 1, buffer.size(), file) == buffer.size()) {
  }
  std::fclose(file);
}

void parse(const Table& table, const std::vector<std::size_t>& columns, unsigned threads) {
  ReadOptions options;
  options.threads = threads;
  table.for_each_block(columns, options, [](const RowBlock&) { return std::function<void()>(); });
}

void multiply_in_memory(const RowBlock& matrix, unsigned threads) {
  openblas_set_num_threads(static_cast<int>(threads));
  const auto rows = static_cast<blasint>(matrix.rows()),
             columns = static_cast<blasint>(matrix.cols());
  RowBlock product(columns, columns);
  cblas_dsyrk(CblasRowMajor, CblasLower, CblasTrans, columns, rows, 1.0, matrix.data(), columns,
              0.0, product.data(), columns);
}

void run(int rows, int columns, const std::string& folder) {
  const std::string path = folder + "/modicum_data_bench.csv";
  write_table(path, rows, columns);
  const auto megabytes = static_cast<double>(std::filesystem::file_size(path)) * 1e-6;
  fmt::print("{} rows of {} columns, {:.0f} MB\n", rows, columns, megabytes);
  const auto show = [&](const char* what, double taken) {
    fmt::print("{:<42} {:8.3f} s {:8.0f} MB/s\n", what, taken, megabytes / taken);
  };

  TableFiles files;
  files.paths = {path};
  const Table table(files);
  const RowRule rule(table, {});
  const auto gram = [&](unsigned threads) {
    ReadOptions options;
    options.threads = threads;
    accumulate_gram(table, rule, 10.0, options);
  };
  show("bytes read", seconds([&] { read_raw(path); }));
  show("all columns parsed, 1 thread", seconds([&] { parse(table, rule.table_columns(), 1); }));
  show("all columns parsed, 2 threads", seconds([&] { parse(table, rule.table_columns(), 2); }));
  show("1 column of all parsed, 1 thread", seconds([&] { parse(table, {0}, 1); }));
  show("exact Gram matrix, 1 thread", seconds([&] { gram(1); }));
  show("exact Gram matrix, 2 threads", seconds([&] { gram(2); }));
  const RowBlock matrix = RowBlock::Random(rows, columns);
  show("dsyrk of the same size in memory, 1 thread",
       seconds([&] { multiply_in_memory(matrix, 1); }));
  show("dsyrk of the same size in memory, 2 threads",
       seconds([&] { multiply_in_memory(matrix, 2); }));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace modicum

int main(int count, char** arguments) {
  const int rows = count > 1 ? std::stoi(arguments[1]) : 500000;
  const int columns = count > 2 ? std::stoi(arguments[2]) : 91;
  modicum::run(rows, columns, count > 3 ? arguments[3] : "/tmp");
  return 0;
}
