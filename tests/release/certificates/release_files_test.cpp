#include "modicum/release/release_files.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <nlohmann/json.hpp>

#include "modicum/release/number_table.h"
#include "modicum/release/write_file.h"
#include "release/small_tables.h"
#include "support/refusals.h"

namespace modicum::testing::release_files_test {
namespace {

namespace fs = std::filesystem;
const auto some_time = std::chrono::system_clock::from_time_t(1714564800);

Released small_release(long rows = 2) {
  Certificate certificate("gaussian", {1.0, 1e-6},
                          {1.0, {1e-7, 1e-6}, {1e-7, 2e-7}, Proof::certified});
  certificate.set("standard_deviation", 4.25);
  Eigen::MatrixXd values = Eigen::MatrixXd::NullaryExpr(
      rows, 2, [](Eigen::Index i, Eigen::Index j) { return 0.1 + static_cast<double>(2 * i + j); });
  std::vector<std::string> names{"a,\"b\"", "c"};
  names.resize(static_cast<std::size_t>(rows), "x");
  return {names, {"value", "mean"}, std::move(values), std::move(certificate)};
}

// Runs `work` in a process of its own; how it ended.
template <class Work>
int status_of_child(const Work& work) {
  const pid_t child = ::fork();
  if (child == 0) {
    work();
    ::_exit(0);
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return status;
}

// From now on writing more than so many bytes to a file fails, or kills.
void limit_files(std::size_t bytes, bool kill) {
  const rlimit none{0, 0}, size{bytes, bytes};
  ::setrlimit(RLIMIT_CORE, &none);
  std::signal(SIGXFSZ, kill ? SIG_DFL : SIG_IGN);
  ::setrlimit(RLIMIT_FSIZE, &size);
}

TEST(Sha256, AgreesWithThePublishedExamples) {
  // FIPS 180-4, examples of one and two blocks, and of none.
  EXPECT_EQ(sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq"),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  EXPECT_EQ(sha256(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST(Encode, WritesTablesThatAreReadBack) {
  const Released released = small_release();
  EXPECT_EQ(encode(released, OutputFormat::csv),
            "name,value,mean\n\"a,\"\"b\"\"\",0.1,1.1\nc,2.1,3.1\n");
  const auto json = nlohmann::json::parse(encode(released, OutputFormat::json));
  EXPECT_EQ(json["rows"][0], "a,\"b\"");
  EXPECT_EQ(json["columns"], (std::vector<std::string>{"value", "mean"}));
  EXPECT_EQ(json["values"][1][0], 2.1);
}

TEST(Encode, NpyIsByRowsAfterAHeaderOfWholeBlocks) {
  const std::string bytes = encode(small_release(), OutputFormat::npy);
  EXPECT_EQ(bytes.substr(0, 8), std::string("\x93NUMPY\x01\x00", 8));
  const std::size_t header =
      static_cast<unsigned char>(bytes[8]) + 256u * static_cast<unsigned char>(bytes[9]);
  EXPECT_EQ((10 + header) % 64, 0u);
  EXPECT_NE(bytes.find("'descr': '<f8', 'fortran_order': False, 'shape': (2, 2)"),
            std::string::npos);
  ASSERT_EQ(bytes.size(), 10 + header + 4 * sizeof(double));
  double values[4];
  std::memcpy(values, bytes.data() + 10 + header, sizeof values);
  EXPECT_EQ(values[1], 1.1);
  EXPECT_EQ(values[2], 2.1);
}

TEST(Encode, NothingThatIsNotANumberIsReleased) {
  Released released = small_release();
  released.values(0, 0) = NAN;
  EXPECT_THROW(encode(released, OutputFormat::csv), Error);
  EXPECT_THROW(write_release(released, ReleaseFiles("-"), some_time), Error);
}

TEST(Encode, NumbersOfAnEarlierReleaseGiveItsBytes) {
  const Released released = small_release();
  NumberTable numbers{released.row_names, released.column_names, released.values};
  for (const OutputFormat format : {OutputFormat::csv, OutputFormat::npy, OutputFormat::json})
    EXPECT_EQ(encode(numbers, format), encode(released, format));
  numbers.row_names.pop_back();
  EXPECT_THROW(encode(numbers, OutputFormat::csv), InvalidParameter);
}

TEST(ReleaseFiles, ShownReleasesAreNotWritten) {
  const ReleaseFiles shown("-");
  EXPECT_TRUE(shown.shown());
  EXPECT_TRUE(shown.certificate().empty());
  Released released = small_release();
  write_release(released, shown, some_time);
  EXPECT_TRUE(released.certificate.time.has_value());
  EXPECT_FALSE(released.certificate.output.has_value());
  EXPECT_FALSE(fs::exists("-"));
}

TEST(ReleaseFiles, RefusesPlacesBeforeAnythingIsRead) {
  const TemporaryFolder folder;
  const std::string good = folder.path("x.csv");
  EXPECT_EQ(ReleaseFiles(good).certificate(), good + ".certificate.json");
  EXPECT_TRUE(refuses("output", [&] { return ReleaseFiles(folder.path("x.txt")); }));
  EXPECT_TRUE(refuses("certificate", [&] { return ReleaseFiles(good, good); }));
  EXPECT_TRUE(refuses("certificate", [&] { return ReleaseFiles(good, folder.path("./x.csv")); }));
  // One file under two names.
  fs::create_hard_link(folder.write("y.csv", "1"), folder.path("z.json"));
  EXPECT_TRUE(refuses("certificate", [&] {
    return ReleaseFiles(folder.path("y.csv"), folder.path("z.json"), OldFiles::first_kept);
  }));
}

// Whether a place is refused for what it is, not for what was asked.
template <class Place>
bool is_unwritable(const Place& place) {
  try {
    place();
  } catch (const InvalidParameter&) {
    return false;
  } catch (const Error& error) {
    return std::string(error.what()).find("cannot be written") != std::string::npos;
  }
  return false;
}

TEST(ReleaseFiles, PlacesWhereNothingCanBeWrittenAreFoundBeforeAnythingIsRead) {
  const TemporaryFolder folder;
  const std::string good = folder.path("x.csv");
  EXPECT_TRUE(is_unwritable([&] { ReleaseFiles(folder.path("none/x.csv")); }));
  EXPECT_TRUE(is_unwritable([&] { ReleaseFiles(good, folder.path("none/x")); }));
  EXPECT_TRUE(is_unwritable([&] { ReleaseFiles(folder.write("file", "") + "/x.csv"); }));
  EXPECT_TRUE(is_unwritable([&] { ReleaseFiles(folder.path(std::string(300, 'x') + ".csv")); }));
  EXPECT_TRUE(is_unwritable([&] { ReleaseFiles("/proc/x.csv"); }));
  fs::create_directory(folder.path("d.csv"));
  EXPECT_TRUE(is_unwritable([&] { ReleaseFiles(folder.path("d.csv")); }));
  fs::create_symlink("/dev/null", folder.path("l.csv"));
  EXPECT_TRUE(is_unwritable([&] { ReleaseFiles(folder.path("l.csv")); }));
  EXPECT_TRUE(is_unwritable([&] { require_place("output", folder.path("none/x")); }));
  EXPECT_EQ(folder.size(), 3);
}

TEST(ReleaseFiles, WhatIsNoReleaseReplacesNothingOfOne) {
  const TemporaryFolder folder;
  Released released = small_release();
  write_release(released, ReleaseFiles(folder.path("x.csv")), some_time);
  for (const char* name : {"x.csv", "x.csv.certificate.json"})
    EXPECT_TRUE(refuses("output", [&] { return require_place("output", folder.path(name)), 0; }));
  require_place("output", folder.write("y.csv", ""));
  require_place("output", folder.path("z.csv"));
}

TEST(WriteRelease, LeavesTheObjectWithItsCertificate) {
  const TemporaryFolder folder;
  const ReleaseFiles files(folder.path("x.csv"));
  Released released = small_release();
  write_release(released, files, some_time);
  EXPECT_EQ(folder.size(), 2);
  const std::string object = content_of(files.output());
  EXPECT_EQ(object, encode(released, OutputFormat::csv));
  const auto certificate = nlohmann::json::parse(content_of(files.certificate()));
  EXPECT_EQ(certificate["output"]["file"], "x.csv");
  EXPECT_EQ(certificate["output"]["sha256"], sha256(object));
  EXPECT_EQ(certificate["time"], "2024-05-01T12:00:00Z");
}

TEST(WriteRelease, NothingIsWrittenWhereTheOldObjectCannotBeReplaced) {
  for (const OldFiles old : {OldFiles::refused, OldFiles::first_kept}) {
    const TemporaryFolder folder;
    const ReleaseFiles files(folder.path("x.csv"), "", old);
    fs::create_directories(folder.path("x.csv/inside"));
    Released released = small_release();
    EXPECT_THROW(write_release(released, files, some_time), Error);
    EXPECT_EQ(folder.size(), 1);
    EXPECT_TRUE(fs::exists(folder.path("x.csv/inside")));
  }
}

// Whether the two files are those of one release.
bool belong_together(const ReleaseFiles& files) {
  const auto certificate = nlohmann::json::parse(content_of(files.certificate()));
  return certificate["output"]["sha256"] == sha256(content_of(files.output()));
}

TEST(WriteRelease, AnEarlierReleaseStaysAsItIs) {
  const TemporaryFolder folder;
  const ReleaseFiles files(folder.path("x.csv"));
  Released first = small_release(), second = small_release(3);
  write_release(first, files, some_time);
  const std::string object = content_of(files.output()), record = content_of(files.certificate());
  EXPECT_TRUE(refuses("output", [&] { return ReleaseFiles(files.output()); }));
  // Either file is enough.
  EXPECT_TRUE(refuses("certificate",
                      [&] { return ReleaseFiles(folder.path("y.csv"), files.certificate()); }));
  // One that was written meanwhile, too.
  EXPECT_TRUE(refuses("certificate", [&] {
    write_release(second, files, some_time);
    return 0;
  }));
  EXPECT_EQ(content_of(files.output()), object);
  EXPECT_EQ(content_of(files.certificate()), record);
  EXPECT_EQ(folder.size(), 2);
}

TEST(WriteRelease, ReplacedReleasesLeaveTheirCertificates) {
  const TemporaryFolder folder;
  const ReleaseFiles files(folder.path("x.csv"), "", OldFiles::first_kept);
  std::vector<std::string> certificates;
  for (long rows = 2; rows < 6; ++rows) {
    Released released = small_release(rows);
    write_release(released, files, some_time);
    EXPECT_TRUE(belong_together(files));
    certificates.push_back(content_of(files.certificate()));
    // A name that is taken is never used again.
    if (rows == 3) folder.write("x.csv.certificate.2.json", "mine");
  }
  EXPECT_EQ(folder.size(), 6);
  EXPECT_EQ(content_of(folder.path("x.csv.certificate.1.json")), certificates[0]);
  EXPECT_EQ(content_of(folder.path("x.csv.certificate.2.json")), "mine");
  EXPECT_EQ(content_of(folder.path("x.csv.certificate.3.json")), certificates[1]);
  EXPECT_EQ(content_of(folder.path("x.csv.certificate.4.json")), certificates[2]);
}

TEST(WriteRelease, ACertificateOfShownNumbersHasTheirHash) {
  const TemporaryFolder folder;
  const ReleaseFiles files("-", folder.path("c.json"));
  Released released = small_release();
  write_release(released, files, some_time);
  const auto certificate = nlohmann::json::parse(content_of(files.certificate()));
  EXPECT_EQ(certificate["output"]["file"], "-");
  EXPECT_EQ(certificate["output"]["sha256"], sha256(encode(released, OutputFormat::json)));
}

// The object is larger than the certificate, so a limit between the two strikes between them.
constexpr long many_rows = 4000;
constexpr std::size_t between = 20000;

// An old release, then another in its place with files limited to so many bytes.
void expect_the_old_release(std::size_t bytes, bool kill) {
  const TemporaryFolder folder;
  const ReleaseFiles files(folder.path("x.csv"), "", OldFiles::first_kept);
  Released old = small_release();
  write_release(old, files, some_time);
  const std::string object = content_of(files.output()), record = content_of(files.certificate());
  Released released = small_release(many_rows);
  const int status = status_of_child([&] {
    limit_files(bytes, kill);
    try {
      write_release(released, files, some_time);
    } catch (const Error&) {
      ::_exit(7);
    }
  });
  if (kill) EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGXFSZ);
  else EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  EXPECT_EQ(content_of(files.output()), object);
  EXPECT_EQ(content_of(files.certificate()), record);
  EXPECT_EQ(folder.size(), 2);
}

TEST(WriteRelease, WithoutRoomTheOldReleaseStaysAsItIs) {
  for (const bool kill : {false, true}) {
    expect_the_old_release(between, kill);
    expect_the_old_release(100, kill);
  }
}

TEST(WriteRelease, AnObjectGivenByItsBytes) {
  const TemporaryFolder folder;
  const ReleaseFiles files(folder.path("x.json"));
  Certificate certificate = small_release().certificate;
  complete(certificate, "{\"a\": 1}\n", files, some_time);
  write_completed(certificate, "{\"a\": 1}\n", files);
  EXPECT_EQ(content_of(files.output()), "{\"a\": 1}\n");
  const auto written = nlohmann::json::parse(content_of(files.certificate()));
  EXPECT_EQ(written["output"]["sha256"], sha256("{\"a\": 1}\n"));
  EXPECT_EQ(written["output"]["file"], "x.json");
}

TEST(WriteFile, MayBeForItsOwnerAlone) {
  const TemporaryFolder folder;
  for (const mode_t mask : {mode_t{0}, mode_t{0022}, mode_t{0077}}) {
    const mode_t before = ::umask(mask);
    const std::string open = folder.path("open"), closed = folder.write("closed", "older");
    fs::permissions(closed, static_cast<fs::perms>(0666));
    write_file(open, "x");
    write_file(closed, "x", FileAccess::owner_only);
    ::umask(before);
    EXPECT_EQ(fs::status(open).permissions(), static_cast<fs::perms>(0666 & ~mask));
    EXPECT_EQ(fs::status(closed).permissions(), static_cast<fs::perms>(0600));
  }
}

TEST(WriteFiles, AreAllThereOrNone) {
  const TemporaryFolder folder;
  fs::create_directory(folder.path("b"));
  const std::vector<FileContent> files{{folder.path("a.x"), "1"}, {folder.path("b/c.x"), "2"}};
  write_files(files, OldFiles::refused);
  EXPECT_EQ(content_of(files[0].path) + content_of(files[1].path), "12");
  // One in a folder that is gone.
  EXPECT_THROW(
      write_files({{folder.path("d"), "3"}, {folder.path("none/e"), "4"}}, OldFiles::refused),
      Error);
  // One that is there.
  EXPECT_THROW(write_files({{folder.path("d"), "3"}, files[1]}, OldFiles::refused), FileExists);
  EXPECT_FALSE(fs::exists(folder.path("d")));
  write_files({{files[0].path, "5"}, {files[1].path, "6"}}, OldFiles::replaced);
  EXPECT_EQ(content_of(files[0].path) + content_of(files[1].path), "56");
  EXPECT_EQ(folder.size(), 2);
}

TEST(WriteFiles, WaitForWhoeverHasTheFolder) {
  const TemporaryFolder folder;
  const int held = ::open(folder.path(".").c_str(), O_RDONLY | O_DIRECTORY);
  ASSERT_EQ(::flock(held, LOCK_EX), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::close(held);
    write_files({{folder.path("x"), "1"}}, OldFiles::refused);
    ::_exit(0);
  }
  ::usleep(50000);
  EXPECT_FALSE(fs::exists(folder.path("x")));
  ::close(held);
  int status = 0;
  ::waitpid(child, &status, 0);
  EXPECT_TRUE(fs::exists(folder.path("x")));
}

}  // namespace
}  // namespace modicum::testing::release_files_test
