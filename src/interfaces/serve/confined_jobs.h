// What a page may ask: the jobs of the table, with files in named folders only.
#pragma once

#include "interfaces/job.h"
#include "interfaces/serve/served_folders.h"

namespace modicum {

/// Whether a page may ask for this job: not those that run programs, serve pages themselves, or
/// read paths out of a file.
bool may_be_served(std::string_view job);

/// Whether the field names a file, or may do so.
bool names_a_file(const Field& field);

/// Answers one question; what goes wrong is an answer, too.
///
///     {"ask": "run", "job": "epsilon", "fields": {..}}
///         {"answer", "words", "released"?, "picture"?, "command"} or {"error": {"message",
///         "field"?, "at"?, "code"}}; `at` is the place in a description: compose[1].scale.
///         Of large tables `released` has the first rows, and `rows_in_all`.
///     {"ask": "command", ..}        the same, without being run: {"command"}
///     {"ask": "forms"}              what jobs there are, and what each is asked
///     {"ask": "files"}              what can be chosen
///     {"ask": "columns", "fields": {"table", ..}}   names of the columns of a table
///     {"ask": "text", "file": ..}   the text of a small file, such as a certificate
///     {"ask": "file", "file": ..}   {"name", "base64"}: a file of any kind, to be kept elsewhere
///     {"ask": "certificate", "sha256": ..}   {"path", "text"}: the one with this hash, if it is
///                                   in the folders
Value answer_question(const Value& question, const ServedFolders& folders, Progress& progress);

}  // namespace modicum
