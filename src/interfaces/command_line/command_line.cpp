#include "modicum/interfaces/command_line.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <new>

#include "data/cells/number_text.h"
#include "interfaces/command_line/command_log.h"
#include "interfaces/command_line/options.h"
#include "interfaces/command_line/standard_streams.h"
#include "interfaces/command_line/terminal_progress.h"
#include "modicum/data/json.h"
#include "modicum/data/unreadable_file.h"
#include "modicum/version.h"

namespace modicum {

namespace {

// The longest name that the words begin with, and what is left of them.
struct Command {
  std::string name;
  std::vector<std::string> rest;
};

Command command_in(const std::vector<std::string>& words) {
  Command command;
  std::size_t used = 0;
  for (; used < words.size(); ++used) {
    const std::string longer =
        command.name.empty() ? words[used] : command.name + " " + words[used];
    if (find_job(longer) == nullptr) break;
    command.name = longer;
  }
  command.rest.assign(words.begin() + static_cast<std::ptrdiff_t>(used), words.end());
  return command;
}

bool asks_for_help(const std::string& word) { return word == "--help" || word == "-h"; }

[[noreturn]] void refuse_command(const Command& command) {
  std::vector<std::string> names;
  for (const JobKind* child : children_of(command.name))
    names.push_back(child->name.substr(command.name.empty() ? 0 : command.name.size() + 1));
  const bool missing = command.rest.empty();
  const std::string word = missing ? "" : command.rest.front();
  if (word.starts_with("-"))
    throw UsageError(fmt::format("unknown option {}{} (see modicum{}{} --help)", one_line(word, 60),
                                 suggestion(word, {"--help", "--version"}),
                                 command.name.empty() ? "" : " ", command.name));
  throw UsageError(fmt::format("command is {}, but must be one of: {}{} (see modicum{}{} --help)",
                               missing ? "missing" : in_quotes(word), fmt::join(names, ", "),
                               missing ? "" : suggestion(word, names),
                               command.name.empty() ? "" : " ", command.name));
}

bool looks_like_a_file(const std::string& word) {
  return word.find_first_of("./") != std::string::npos;
}

// `compare` and `release` are commands and groups: a word that is neither an option nor a file is
// to be one of the group.
bool names_a_member(const Command& command) {
  return !command.rest.empty() && !command.rest.front().starts_with("-") &&
         !looks_like_a_file(command.rest.front()) && !children_of(command.name).empty();
}

// What a group of commands, or the program, says by itself.
std::string answer_of_group(const Command& command) {
  if (command.name.empty() && command.rest.empty()) return help_of_group("");
  if (!command.rest.empty() && asks_for_help(command.rest.front()))
    return help_of_group(command.name);
  if (command.name.empty() && command.rest.front() == "--version")
    return fmt::format("modicum {}\n", version);
  refuse_command(command);
}

// The object with the numbers in it.
std::string in_one_object(const Reply& reply) {
  const std::string text = json_line(reply.value());
  if (!reply.released) return text;
  std::string numbers = encode(*reply.released, OutputFormat::json);
  while (numbers.ends_with('\n')) numbers.pop_back();
  return fmt::format("{},\"released\":{}}}\n", text.substr(0, text.rfind('}')), numbers);
}

// Names of fields as options; what is given without one has its placeholder.
std::string with_options(std::string message, const Fields& fields) {
  for (const Field& field : fields.all()) {
    const std::string name = "`" + field.name + "`";
    if (!field.is_positional) continue;
    for (auto place = message.find(name); place != std::string::npos; place = message.find(name))
      message.replace(place, name.size(), placeholder_of(field));
  }
  return in_style(message, NameStyle::option);
}

void refuse_json_beside_text(const Fields& fields) {
  for (const Field& field : fields.all())
    if (field.is_text_place && field.get() == Value("-"))
      throw UsageError(fmt::format(
          "--json needs `{}` to be a file: both would go to standard output", field.name));
}

Reply run_quietly(Job& job) {
  Progress nobody;
  return job.run(nobody);
}

Reply run_on_terminal(Job& job) {
  TerminalProgress progress;
  return job.run(progress);
}

// `spent` is told even if the answer is not.
std::string answer_of_job(const JobKind& kind, std::vector<std::string> words, std::string& spent) {
  const std::unique_ptr<Job> job = kind.make();
  Fields fields;
  job->fields(fields);
  try {
    const CommonOptions common = parse_options(kind, fields, std::move(words));
    if (common.help) return help_of(kind);
    fields.finish();
    if (common.json) refuse_json_beside_text(fields);
    Reply reply = common.quiet ? run_quietly(*job) : run_on_terminal(*job);
    spent = std::move(reply.spent);
    if (reply.text) return *std::move(reply.text);
    if (common.json) return in_one_object(reply);
    return common.quiet ? "" : reply.words();
  } catch (const UsageError& error) {
    throw UsageError(
        fmt::format("{} (see modicum {} --help)", with_options(error.what(), fields), kind.name));
  } catch (const InvalidParameter& error) {
    std::string what = error.what();
    if (const Field* field = fields.find(error.name()))
      what.replace(0, error.name().size(), "`" + field->name + "`");
    throw UsageError(with_options(what, fields));
  }
}

std::string answer_of(std::vector<std::string> arguments, std::string& spent) {
  if (!arguments.empty() && arguments.front() == "help") {  // as others have it
    arguments.erase(arguments.begin());
    arguments.emplace_back("--help");
  }
  Command command = command_in(arguments);
  const JobKind* kind = find_job(command.name);
  if (kind == nullptr || !kind->make || names_a_member(command)) return answer_of_group(command);
  return answer_of_job(*kind, std::move(command.rest), spent);
}

// What was released stays released, whatever fails afterwards.
ExitCode complain(ExitCode code, std::string_view message, const std::string& spent) noexcept {
  try {
    write_standard_error(fmt::format("modicum: {}{}{}\n", one_line(message, 2000),
                                     spent.empty() ? "" : "; ", one_line(spent, 4000)));
  } catch (...) {
    write_standard_error("modicum: out of memory\n");
  }
  return spent.empty() ? code : ExitCode::failed;
}

}  // namespace

std::string run_command(const std::vector<std::string>& arguments) {
  std::string spent;
  return answer_of(arguments, spent);
}

namespace {

ExitCode run_and_print(const std::vector<std::string>& arguments) {
  std::string spent;
  const auto failed = [&](ExitCode code, std::string_view message) {
    return complain(code, message, spent);
  };
  try {
    require_standard_output();
    write_standard_output(answer_of(arguments, spent));
    return ExitCode::done;
  } catch (const UsageError& error) {
    return failed(ExitCode::bad_input, error.what());
  } catch (const InvalidParameter& error) {
    return failed(ExitCode::bad_input, error.what());
  } catch (const InvalidDescription& error) {
    return failed(ExitCode::bad_input, error.what());
  } catch (const TargetUnreachable& error) {
    return failed(ExitCode::unreachable, in_style(error.what(), NameStyle::option));
  } catch (const UnreadableFile& error) {
    return failed(ExitCode::unreadable, error.what());
  } catch (const std::bad_alloc&) {
    return failed(ExitCode::failed, "out of memory");
  } catch (const std::exception& error) {
    return failed(ExitCode::failed, error.what());
  } catch (...) {
    return failed(ExitCode::failed, "ended by an unknown error");
  }
}

}  // namespace

ExitCode run_command_line(const std::vector<std::string>& arguments) {
  const ExitCode code = run_and_print(arguments);
  log_command(command_in(arguments).name, arguments, static_cast<int>(code));
  return code;
}

}  // namespace modicum
