// What a page may ask is any JSON: it must be answered, and no path may lead out of the folder.
// Jobs are not run: the command that they would be is made.
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>

#include "interfaces/serve/confined_jobs.h"
#include "modicum/data/json.h"

namespace modicum {
namespace {

const std::string& folder() {
  static const std::string place = [] {
    std::string pattern = (std::filesystem::temp_directory_path() / "modicum-fuzz-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    return std::filesystem::canonical(pattern).string();
  }();
  return place;
}

void check(std::string_view text) {
  static const ServedFolders folders({folder()});
  try {
    const std::string file = folders.file("file", std::string(text));
    if (!file.starts_with(folder() + "/") || file.find("/../") != std::string::npos) std::abort();
  } catch (const InvalidParameter&) {
  }
  Value question;
  try {
    question = parse_json(text);
  } catch (const InvalidDescription&) {
    return;
  }
  if (const Value* ask = question.find("ask"); ask != nullptr && *ask == Value("run"))
    question["ask"] = "command";
  Progress nobody;
  const Value answer = answer_question(question, folders, nobody);
  if (!answer.is_record() || answer.size() == 0) std::abort();
  parse_json(json_line(answer));
}

}  // namespace
}  // namespace modicum

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  modicum::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
