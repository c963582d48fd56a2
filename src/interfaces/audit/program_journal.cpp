#include "interfaces/audit/program_journal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "data/cells/number_text.h"
#include "modicum/data/json.h"

namespace modicum {
namespace {

constexpr const char* hexadecimal = "0123456789abcdef";

std::string to_text(const std::vector<bool>& bits) {
  std::string text;
  for (std::size_t i = 0; i < bits.size(); i += 4) {
    unsigned digit = 0;
    for (std::size_t j = 0; j < 4 && i + j < bits.size(); ++j)
      if (bits[i + j]) digit |= 1u << j;
    text += hexadecimal[digit];
  }
  return text;
}

std::vector<bool> to_bits(const std::string& text, std::size_t count) {
  if (text.size() != (count + 3) / 4) throw Error("the bits are not as many as they should be");
  std::vector<bool> bits(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto digit = std::string_view(hexadecimal).find(text[i / 4]);
    if (digit == std::string_view::npos) throw Error("the bits are not hexadecimal");
    bits[i] = ((digit >> (i % 4)) & 1u) != 0;
  }
  return bits;
}

// JSON has no word for these; programs may print them all the same.
Value number_json(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0.0 ? "inf" : "-inf";
  return value;
}

double number_of(const Value& value) {
  if (value.is_number()) return value.number();
  const std::string& word = value.text();
  const double infinite = std::numeric_limits<double>::infinity();
  if (word == "inf") return infinite;
  if (word == "-inf") return -infinite;
  return std::numeric_limits<double>::quiet_NaN();
}

Value samples_json(const Samples& samples) {
  Value result = Value::list();
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (samples.failed(i)) {
      result.push_back(nullptr);
      continue;
    }
    Value output = Value::list();
    for (const double value : samples.at(i)) output.push_back(number_json(value));
    result.push_back(std::move(output));
  }
  return result;
}

Samples samples_of(const Value& list) {
  Samples samples;
  std::vector<double> output;
  for (const Value& one : list.items()) {
    if (one.is_null()) {
      samples.add_failure();
      continue;
    }
    output.clear();
    for (const Value& value : one.items()) output.push_back(number_of(value));
    samples.add(output);
  }
  return samples;
}

[[noreturn]] void refuse(const std::string& path, const std::string& rule) {
  throw InvalidParameter("journal", in_quotes(path), rule);
}

// Nothing, where the line is not JSON.
Value read_line(const std::string& line) {
  try {
    return parse_json(line);
  } catch (const InvalidDescription&) {
    return {};
  }
}

// The first thing that another audit had otherwise.
void require_same(const std::string& path, const Value& header, const Value& identity) {
  for (const auto& [key, value] : identity.members())
    if (!header.contains(key) || header.at(key) != value)
      refuse(path, fmt::format("must belong to this audit, but its {} is another", key));
}

}  // namespace

ProgramJournal::ProgramJournal(const std::string& path, const Value& identity,
                               const std::vector<bool>& bits)
    : path_(path), bits_(bits) {
  descriptor_ = ::open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
  if (descriptor_ < 0)
    throw Error(fmt::format("{} cannot be written: {}", in_quotes(path), std::strerror(errno)));
  try {
    if (::flock(descriptor_, LOCK_EX | LOCK_NB) != 0)
      throw Error(fmt::format("{} is in use by another audit", in_quotes(path)));
    std::ifstream file(path, std::ios::binary);
    std::string line;
    std::getline(file, line);
    if (line.empty() || file.eof()) {  // nothing, or not even one line
      if (!line.empty() && !line.starts_with("{\"modicum_audit\""))
        refuse(path, "must be a journal");
      if (::ftruncate(descriptor_, 0) != 0)
        throw Error(fmt::format("{} cannot be written", in_quotes(path)));
      Value header{{"modicum_audit", 1}};
      for (const auto& [key, value] : identity.members()) header[key] = value;
      header["bits"] = to_text(bits);
      line = json_line(header);
      write(line);
      line.pop_back();
    } else {
      const Value header = read_line(line);
      if (!header.is_record() || !header.contains("modicum_audit"))
        refuse(path, "must be a journal of an audit, or not be there yet");
      require_same(path, header, identity);
      if (!header.contains("bits") || !header.at("bits").is_text())
        refuse(path, "must hold its bits");
      bits_ = to_bits(header.at("bits").text(), bits.size());
    }
    header_ = line.size() + 1;
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

ProgramJournal::~ProgramJournal() { ::close(descriptor_); }

void ProgramJournal::replay(const Take& take) {
  std::ifstream file(path_, std::ios::binary);
  file.seekg(static_cast<std::streamoff>(header_));
  std::size_t good = header_;
  for (std::string line; std::getline(file, line) && !file.eof(); good += line.size() + 1) {
    try {
      const Value run = parse_json(line);
      const auto side = static_cast<std::size_t>(run.at("side").whole());
      if (side > 1) throw Error("no such side");
      take(side, static_cast<std::size_t>(run.at("run").whole()), samples_of(run.at("samples")),
           run.at("failure").text());
    } catch (const std::exception& error) {
      refuse(path_, fmt::format("must hold runs, but has a line after byte {} that does not: {}",
                                good, error.what()));
    }
  }
  // What an end in the middle of a line left behind.
  if (::ftruncate(descriptor_, static_cast<off_t>(good)) != 0)
    throw Error(fmt::format("{} cannot be written: {}", in_quotes(path_), std::strerror(errno)));
}

void ProgramJournal::append(std::size_t side, std::size_t number, const FinishedRun& run) {
  const Value line{{"side", side},
                   {"run", number},
                   {"failure", run.failure},
                   {"samples", samples_json(run.samples)}};
  write(json_line(line));
}

void ProgramJournal::write(std::string_view text) const {
  while (!text.empty()) {
    const ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0)
      throw Error(fmt::format("{} cannot be written: {}", in_quotes(path_), std::strerror(errno)));
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

}  // namespace modicum
