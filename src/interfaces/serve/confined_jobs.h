// What a page may ask: the jobs of the table, with files in named folders only.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "interfaces/job.h"

namespace modicum {

/// Folders whose files may be read and written, and nothing outside of them.
class ServedFolders {
 public:
  /// Throws UnreadableFile for one that is no folder.
  explicit ServedFolders(const std::vector<std::string>& paths);

  /// The file that is meant, as it is to be opened; links are followed before it is judged. Throws
  /// InvalidParameter, naming the field, for what is outside, for patterns and for stores
  /// elsewhere.
  std::string file(const std::string& field, const std::string& path) const;

  /// What can be chosen: [{"path", "name", "bytes"}], by name, without hidden files.
  Value list() const;

 private:
  std::vector<std::filesystem::path> folders_;
};

/// Whether a page may ask for this job: not those that run programs, serve pages themselves, or read
/// paths out of a file.
bool may_be_served(std::string_view job);

/// Whether the field names a file, or may do so.
bool names_a_file(const Field& field);

/// Answers one question; what goes wrong is an answer, too.
///
///     {"ask": "run", "job": "epsilon", "fields": {..}}
///         {"answer", "words", "released"?, "picture"?, "command"} or {"error": {"message",
///         "field"?, "code"}}
///     {"ask": "command", ..}        the same, without being run: {"command"}
///     {"ask": "forms"}              what jobs there are, and what each is asked
///     {"ask": "files"}              what can be chosen
///     {"ask": "columns", "fields": {"table", ..}}   names of the columns of a table
///     {"ask": "text", "file": ..}   the text of a small file, such as a certificate
Value answer_question(const Value& question, const ServedFolders& folders, Progress& progress);

}  // namespace modicum
