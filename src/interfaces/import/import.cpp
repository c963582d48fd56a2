#include "interfaces/import/import.h"

#include <fmt/format.h>

#include "data/cells/number_text.h"
#include "modicum/release/import.h"
#include "modicum/release/write_file.h"
#include "release/certificates/read_file.h"

namespace modicum {
namespace {

struct ImportJob {
  Input<Value> history = {};
  std::optional<Adjacency> adjacency = {};
  bool symmetric = false;
  std::string output = {};

  void fields(Fields& fields) {
    fields
        .input("history", history,
               "event of dp_accounting, history of Opacus or loss distribution, - for standard "
               "input",
               [this](const Value& given) { history.content = given; })
        .positional()
        .required();
    fields
        .choice("adjacency", adjacency, adjacency_words(),
                "which data sets are neighbors, which the file does not say")
        .required();
    fields.add("symmetric", symmetric,
               "a loss distribution of one direction holds for the other, too");
    fields.add("output", output, "where to write the description").shown_as("FILE");
  }
};

// What is at hand is a tree, or {"text": what a file would hold}.
Imported imported(const ImportJob& job) {
  if (job.history.content) {
    const Value& given = *job.history.content;
    const Value* text = given.size() == 1 ? given.find("text") : nullptr;
    if (text != nullptr && text->is_text())
      return import_description(text->text(), *job.adjacency, job.symmetric);
    return import_tree(given, *job.adjacency, job.symmetric);
  }
  const std::string text = read_file(job.history.path);
  try {
    return import_description(text, *job.adjacency, job.symmetric);
  } catch (const InvalidDescription& error) {
    const bool standard_input = job.history.path == "-";
    throw InvalidDescription(
        fmt::format("{}: {}", standard_input ? "standard input" : one_line(job.history.path, 200),
                    error.what()));
  }
}

// Shown as it is, so that other commands can read it.
Reply run(const ImportJob& job, Progress& progress) {
  progress.begin("import");
  const Imported found = imported(job);
  const std::string text = json_lines(found.description, 2);
  if (!job.output.empty()) write_file(job.output, text);
  Reply reply;
  reply.tell("format", found.format)
      .tell("adjacency", word_of(adjacency_words(), *job.adjacency))
      .tell("description", found.description);
  if (job.output.empty()) return reply.say(text);
  return reply.tell("output", job.output)
      .say(fmt::format("{}, written to {}\n", describe(found.description).label,
                       one_line(job.output, 200)));
}

}  // namespace

JobKind import_job() {
  return job_kind<ImportJob>(
      "import", "a history from another tool as a description",
      "  echo '[(1.0, 0.01, 1000)]' | modicum import - --adjacency add_remove |\n"
      "    modicum epsilon - --delta 1e-5",
      "Read are events of dp_accounting as Python prints them or as JSON, the `history` of an\n"
      "accountant of Opacus, and loss distributions of Google's library as JSON.");
}

}  // namespace modicum
