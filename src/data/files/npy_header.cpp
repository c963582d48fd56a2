#include "data/files/npy_header.h"

#include <fmt/format.h>

#include <charconv>
#include <string>
#include <vector>

#include "modicum/data/unreadable_file.h"

namespace modicum::data {
namespace {

// Longer headers exist for arrays with named fields only, which are no tables of numbers.
constexpr std::size_t longest_header = std::size_t{1} << 16;
constexpr std::uint64_t most_columns = std::uint64_t{1} << 22;
constexpr std::uint64_t most_items = std::uint64_t{1} << 58;

[[noreturn]] void refuse(const ByteStream& stream, std::string_view why) {
  throw UnreadableFile(fmt::format("{}: {}", stream.path(), why));
}

std::string read_exactly(ByteStream& stream, std::size_t size) {
  std::string bytes(size, '\0');
  if (stream.read(bytes.data(), size) != size) refuse(stream, "the NPY header ends too early");
  return bytes;
}

std::uint32_t little_endian(std::string_view bytes) {
  std::uint32_t value = 0;
  for (auto i = bytes.size(); i-- > 0;) value = value << 8 | static_cast<unsigned char>(bytes[i]);
  return value;
}

// What follows 'key': in the Python dictionary that the header is; empty if it is not there.
std::string_view value_of(std::string_view text, std::string_view key) {
  for (const char quote : {'\'', '"'}) {
    const std::string quoted = fmt::format("{}{}{}", quote, key, quote);
    const auto place = text.find(quoted);
    if (place == std::string_view::npos) continue;
    text.remove_prefix(place + quoted.size());
    const auto colon = text.find_first_not_of(' ');
    if (colon == std::string_view::npos || text[colon] != ':') return {};
    text.remove_prefix(colon + 1);
    const auto start = text.find_first_not_of(' ');
    return start == std::string_view::npos ? std::string_view{} : text.substr(start);
  }
  return {};
}

void read_type(const ByteStream& stream, std::string_view text, NpyHeader& header) {
  if (text.size() < 5 || (text[0] != '\'' && text[0] != '"') || text[4] != text[0])
    refuse(stream, "an array of this type is not a table of numbers");
  const char order = text[1];
  header.kind = text[2];
  header.item_bytes = static_cast<std::size_t>(text[3] - '0');
  header.big_endian = order == '>';
  const std::size_t size = header.item_bytes;
  const bool whole = (header.kind == 'i' || header.kind == 'u') &&
                     (size == 1 || size == 2 || size == 4 || size == 8);
  const bool known = whole || (header.kind == 'f' && (size == 4 || size == 8)) ||
                     (header.kind == 'b' && size == 1);
  const bool ordered = order == '<' || order == '>' || order == '=' || (order == '|' && size == 1);
  if (!known || !ordered)
    refuse(stream, "only f4, f8, i1 to i8, u1 to u8 and b1 are numbers that can be read");
}

void read_shape(const ByteStream& stream, std::string_view text, NpyHeader& header) {
  std::vector<std::uint64_t> shape;
  const auto close = text.find(')');
  if (!text.starts_with('(') || close == std::string_view::npos)
    refuse(stream, "the NPY header has no shape");
  const char* p = text.data() + 1;
  const char* const end = text.data() + close;
  while (p < end) {
    if (*p == ' ' || *p == ',') {
      ++p;
      continue;
    }
    const auto result = std::from_chars(p, end, shape.emplace_back());
    if (result.ec != std::errc()) refuse(stream, "the shape in the NPY header is damaged");
    p = result.ptr;
  }
  if (shape.size() != 1 && shape.size() != 2)
    refuse(stream, "an array must have one or two dimensions to be a table");
  header.rows = shape[0];
  header.columns = shape.size() == 1 ? 1 : shape[1];
  if (header.columns == 0) refuse(stream, "the array has no columns");
  if (header.columns > most_columns) refuse(stream, "the array has more than 2^22 columns");
  if (header.rows > most_items / header.columns) refuse(stream, "the array is too large");
}

}  // namespace

NpyHeader read_npy_header(ByteStream& stream) {
  const std::string start = read_exactly(stream, npy_magic.size() + 2);
  const char version = start[npy_magic.size()];
  if (!start.starts_with(npy_magic) || version < 1 || version > 3)
    refuse(stream, "is no NPY file of version 1, 2 or 3");
  const std::string length_bytes = read_exactly(stream, version == 1 ? 2 : 4);
  const std::size_t length = little_endian(length_bytes);
  if (length > longest_header) refuse(stream, "the NPY header is too long for a table of numbers");
  const std::string text = read_exactly(stream, length);

  NpyHeader header;
  header.data_offset = start.size() + length_bytes.size() + length;
  read_type(stream, value_of(text, "descr"), header);
  read_shape(stream, value_of(text, "shape"), header);
  const std::string_view order = value_of(text, "fortran_order");
  header.fortran_order = order.starts_with("True");
  if (!header.fortran_order && !order.starts_with("False"))
    refuse(stream, "the NPY header does not tell the order of its numbers");
  return header;
}

}  // namespace modicum::data
