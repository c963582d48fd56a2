// manual: man pages, from the tables that --help is made of.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "interfaces/command_line/options.h"
#include "interfaces/job.h"
#include "modicum/release/write_file.h"
#include "modicum/version.h"

namespace modicum {
namespace {

// Text for troff: a backslash, and a dot or an apostrophe at the start of a line, mean something.
std::string troff(std::string_view text) {
  std::string out;
  bool starts = true;
  for (const char c : text) {
    if (starts && (c == '.' || c == '\'')) out += "\\&";
    starts = c == '\n';
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else out += c;
  }
  return out;
}

std::string page_name(const std::string& command) {
  std::string name = command.empty() ? "modicum" : "modicum-" + command;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string members(const std::string& command) {
  std::string out;
  for (const JobKind* child : children_of(command))
    out +=
        fmt::format(".TP\n\\fB{}\\fR(1)\n{}\n", troff(page_name(child->name)), troff(child->what));
  return out.empty() ? "" : ".SH COMMANDS\n" + out;
}

// Lines of help are as long as a terminal is wide; only a word to choose begins a line of its own.
std::string help_of(const Field& field) {
  const std::string help = in_style(field.help, NameStyle::option);
  std::string out;
  for (std::size_t start = 0; start <= help.size();) {
    const std::size_t end = std::min(help.find('\n', start), help.size());
    const std::string line = help.substr(start, end - start);
    const bool begins = std::ranges::any_of(
        field.words, [&](const std::string& word) { return line.starts_with(word + ": "); });
    if (start > 0) out += begins ? "\n.br\n" : "\n";
    out += troff(line);
    start = end + 1;
  }
  return out;
}

std::string option_entry(const Field& field) {
  std::string words;
  if (field.is_positional) {
    words = fmt::format("\\fI{}\\fR{}", placeholder_of(field), field.takes_several ? " ..." : "");
  } else {
    std::vector<std::string> names{field.name};
    names.insert(names.end(), field.synonyms.begin(), field.synonyms.end());
    for (std::string& name : names)
      name = fmt::format("\\fB{}\\fR", troff(in_style("`" + name + "`", NameStyle::option)));
    words = fmt::format("{}", fmt::join(names, ", "));
    if (field.kind != FieldKind::flag)
      words += fmt::format(" \\fI{}\\fR{}", placeholder_of(field),
                           field.takes_several && !field.is_repeated ? " ..." : "");
    if (field.is_required) words += " (required)";
  }
  return fmt::format(".TP\n{}\n{}\n", words, help_of(field));
}

std::string options_of(const JobKind& kind, std::string& synopsis) {
  const std::unique_ptr<Job> job = kind.make();
  Fields fields;
  job->fields(fields);
  std::string inputs, options;
  for (const Field& field : fields.all()) {
    (field.is_positional ? inputs : options) += option_entry(field);
    if (!field.is_positional) continue;
    const std::string place =
        fmt::format("\\fI{}{}\\fR", placeholder_of(field), field.takes_several ? "..." : "");
    synopsis += field.is_required ? " " + place : " [" + place + "]";
  }
  options += ".TP\n\\fB\\-\\-json\\fR\nprint one JSON object\n";
  options += ".TP\n\\fB\\-\\-quiet\\fR\nprint nothing but errors\n";
  return (inputs.empty() ? "" : ".SH ARGUMENTS\n" + inputs) + ".SH OPTIONS\n" + options;
}

std::string exit_codes() {
  return ".SH EXIT STATUS\n.TP\n0\ndone\n.TP\n2\na bad argument or description\n.TP\n3\nthe "
         "privacy target "
         "cannot be met or proved; nothing is released\n.TP\n4\na file that cannot be "
         "read\n.TP\n1\nanything "
         "else\n";
}

std::string parent_of(const std::string& command) {
  const auto last = command.rfind(' ');
  return last == std::string::npos ? "" : command.substr(0, last);
}

// "" is the program.
std::string manual_page(const std::string& command) {
  const JobKind* kind = command.empty() ? nullptr : find_job(command);
  const std::string name = page_name(command),
                    full = command.empty() ? "modicum" : "modicum " + command;
  const std::string what = kind == nullptr
                               ? "differential privacy with proofs: releases, accounting, audits"
                               : kind->what;
  const bool runs = kind != nullptr && kind->make;
  std::string synopsis =
      fmt::format("\\fB{}\\fR {}", troff(full),
                  runs ? "[\\fIOPTIONS\\fR]" : "\\fICOMMAND\\fR [\\fIOPTIONS\\fR]");
  const std::string options = runs ? options_of(*kind, synopsis) : "";
  std::string page = fmt::format(".TH \"{}\" 1 \"\" \"modicum {}\" \"Modicum\"\n", name, version);
  page +=
      fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n{}\n", troff(name), troff(what), synopsis);
  if (kind != nullptr && !kind->notes.empty())
    page += ".SH DESCRIPTION\n" + troff(kind->notes) + "\n";
  page += options + members(command);
  if (kind != nullptr && !kind->example.empty())
    page += fmt::format(".SH EXAMPLE\n.nf\n{}\n.fi\n", troff(kind->example));
  page += exit_codes();
  if (command.empty())
    page +=
        ".SH ENVIRONMENT\n.TP\n\\fBMODICUM_LOG\\fR\na file to which a line is added for each "
        "command: when, which "
        "command, the names of its options, its exit status. No value of an option and nothing of "
        "the data.\n";
  else page += fmt::format(".SH SEE ALSO\n\\fB{}\\fR(1)\n", troff(page_name(parent_of(command))));
  return page;
}

struct ManualJob {
  std::vector<std::string> command = {};
  std::string folder = {};

  void fields(Fields& fields) {
    fields.add("command", command, "whose page; of the program by default")
        .shown_as("COMMAND")
        .positional();
    fields.add("folder", folder, "write the pages of all commands there, in place of printing one")
        .shown_as("FOLDER");
  }
};

Reply run(const ManualJob& job, Progress&) {
  Reply reply;
  if (!job.folder.empty()) {
    if (!job.command.empty()) throw UsageError("`folder` must not be given with a command");
    std::error_code whatever;  // writing tells what is wrong with it
    std::filesystem::create_directories(job.folder, whatever);
    std::vector<std::string> names{""};
    for (const JobKind& kind : jobs()) names.push_back(kind.name);
    for (const std::string& name : names)
      write_file(fmt::format("{}/{}.1", job.folder, page_name(name)), manual_page(name));
    reply.add("pages", "pages written", names.size());
    return reply;
  }
  const std::string name = fmt::format("{}", fmt::join(job.command, " "));
  if (!name.empty() && find_job(name) == nullptr) {
    std::vector<std::string> known;
    for (const JobKind& kind : jobs()) known.push_back(kind.name);
    throw UsageError(fmt::format("there is no command {}{}", name, suggestion(name, known)));
  }
  reply.text = manual_page(name);
  reply.tell("page", *reply.text);
  return reply;
}

}  // namespace

std::vector<JobKind> manual_jobs() {
  return {
      job_kind<ManualJob>("manual", "man pages", "  modicum manual calibrate gaussian | man -l -")};
}

}  // namespace modicum
