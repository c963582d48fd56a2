#include "data/csv/byte_stream.h"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <random>

#include "data/temporary_files.h"

namespace modicum::data::byte_stream_test {
namespace {

using modicum::testing::gzipped;
using modicum::testing::refusal;
using modicum::testing::TemporaryFolder;

std::string read_all(const std::string& path, std::size_t step) {
  ByteStream stream(path);
  std::string all, part(step, '\0');
  for (;;) {
    const std::size_t got = stream.read(part.data(), step);
    all.append(part, 0, got);
    if (got < step) break;
  }
  EXPECT_EQ(stream.file_position(), stream.file_size());
  return all;
}

std::string random_bytes(std::size_t size) {
  std::mt19937_64 generator(5);
  std::string bytes(size, '\0');
  for (char& c : bytes) c = static_cast<char>('a' + generator() % 20);
  return bytes;
}

TEST(ByteStream, GivesTheBytesOfPlainAndGzipFiles) {
  const TemporaryFolder folder;
  for (const std::size_t size : {0, 1, 1000, 262144, 262145, 1000000}) {
    const std::string bytes = random_bytes(size);
    folder.write("plain", bytes);
    folder.write("zipped", gzipped(bytes));
    for (const std::size_t step : {977, 262144, 3000000}) {
      ASSERT_EQ(read_all(folder.path("plain"), step), bytes);
      ASSERT_EQ(read_all(folder.path("zipped"), step), bytes);
    }
  }
}

TEST(ByteStream, ReadsEveryMemberOfAGzipFileAndAllowsPadding) {
  const TemporaryFolder folder;
  const std::string members = gzipped("one,") + gzipped("") + gzipped("two");
  EXPECT_EQ(read_all(folder.write("a", members), 100), "one,two");
  EXPECT_EQ(read_all(folder.write("b", members + std::string(700, '\0')), 2), "one,two");
}

TEST(ByteStream, RefusesATruncatedGzipFileWhereverItIsCut) {
  const TemporaryFolder folder;
  const std::string whole = gzipped(random_bytes(300));
  for (std::size_t size = 2; size < whole.size(); ++size) {
    const std::string path = folder.write("cut", whole.substr(0, size));
    EXPECT_CONTAINS(refusal([&] { read_all(path, 64); }), path);
  }
  const std::string path = folder.write("second", whole + whole.substr(0, 20));
  EXPECT_CONTAINS(refusal([&] { read_all(path, 64); }), path);
  folder.write("second", whole + '\x1f');
  EXPECT_CONTAINS(refusal([&] { read_all(path, 64); }), path);
}

TEST(ByteStream, RefusesADamagedGzipFile) {
  const TemporaryFolder folder;
  const std::string bytes = random_bytes(3000), whole = gzipped(bytes);
  for (std::size_t place = 10; place < whole.size(); place += 7) {
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 0x10);
    const std::string path = folder.write("damaged", damaged);
    EXPECT_CONTAINS(refusal([&] { read_all(path, 64); }), path);
  }
  const std::string path = folder.write("damaged", whole + "junk");
  EXPECT_CONTAINS(refusal([&] { read_all(path, 64); }), path);
}

TEST(ByteStream, RefusesWhatIsNoFile) {
  const TemporaryFolder folder;
  EXPECT_CONTAINS(refusal([&] { ByteStream(folder.path("missing")); }), folder.path("missing"));
  EXPECT_CONTAINS(refusal([&] { ByteStream(folder.path("")); }), "directory");
  ASSERT_EQ(::mkfifo(folder.path("pipe").c_str(), 0600), 0);
  EXPECT_CONTAINS(refusal([&] { ByteStream(folder.path("pipe")); }), "not a file");
  EXPECT_CONTAINS(refusal([&] { ByteStream("/dev/null"); }), "/dev/null");
  EXPECT_THROW(ByteStream(std::string("a\0b", 3)), UnreadableFile);
}

TEST(LineAt, CountsPhysicalLines) {
  const TemporaryFolder folder;
  const std::string text = "a\nb\r\n\n\"x\ny\"\nz";
  const std::string plain = folder.write("plain", text), zipped = folder.write("z", gzipped(text));
  for (std::size_t offset = 0; offset <= text.size(); ++offset) {
    const auto line = 1 + std::count(text.begin(), text.begin() + offset, '\n');
    EXPECT_EQ(line_at(plain, offset), line);
    EXPECT_EQ(line_at(zipped, offset), line);
  }
}

}  // namespace
}  // namespace modicum::data::byte_stream_test
