#include "modicum/interfaces/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <new>
#include <sstream>
#include <stdexcept>

#include "interfaces/command.h"
#include "interfaces/data_commands.h"
#include "release/read_file.h"
#include "data/number_text.h"
#include "modicum/version.h"

namespace modicum {
namespace {

// -.5 would look like a flag.
void write_out_leading_zeros(std::vector<std::string>& arguments) {
  for (std::string& argument : arguments)
    if (argument.starts_with("-.")) argument.insert(1, "0");
}

// The innermost command that was being used.
const CLI::App& used_command(const CLI::App& program) {
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) command = command->get_subcommands().front();
  return *command;
}

// "modicum plot profile".
std::string full_name(const CLI::App& command) {
  const CLI::App* parent = command.get_parent();
  return parent == nullptr ? command.get_name() : full_name(*parent) + " " + command.get_name();
}

std::string names_of_subcommands(const CLI::App& command) {
  std::string names;
  for (const CLI::App* child : command.get_subcommands(nullptr))
    names += (names.empty() ? "" : ", ") + child->get_name();
  return names;
}

[[noreturn]] void refuse_usage(const CLI::App& program, std::string_view message) {
  throw UsageError(fmt::format("{} (see {} --help)", message, full_name(used_command(program))));
}

// The parser's errors in the words of the others.
std::string usage_message(const CLI::App& program, const CLI::ParseError& error) {
  const CLI::App& command = used_command(program);
  const std::string choice = names_of_subcommands(command);
  std::string what = error.what();
  const bool required = dynamic_cast<const CLI::RequiredError*>(&error) != nullptr;
  const std::vector<std::string> unexpected = program.remaining(true);
  if (!choice.empty() && !unexpected.empty() && !unexpected.front().starts_with('-'))
    return fmt::format("command is {}, but must be one of: {}", in_quotes(unexpected.front()),
                       choice);
  if (required && !choice.empty())
    return fmt::format("command is missing, but must be one of: {}", choice);
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr && !unexpected.empty())
    return fmt::format("argument is {}, but must be one that this command knows",
                       in_quotes(unexpected.front()));
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr)
    return fmt::format("{}, but only one of the two must be given", what);
  const auto name_end = what.find_first_of(": ");
  if (required) return fmt::format("{} is missing, but must be given", what.substr(0, name_end));
  if (what.starts_with("--") && what.ends_with("missing"))
    return fmt::format("{} is given without a value, but must have one", what.substr(0, name_end));
  return what;
}

// Help or the version, or what is wrong.
CommandResult answer_usage(const CLI::App& program, const CLI::ParseError& error) {
  std::ostringstream out, none;
  if (program.exit(error, out, none) == 0) return out.str();
  refuse_usage(program, usage_message(program, error));
}

// Help with less noise: FILE is not optional, and what excludes what is said in the text.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter() { column_width(34); }
  std::string make_usage(const CLI::App* app, std::string name) const override {
    std::string usage = CLI::Formatter::make_usage(app, std::move(name));
    const auto place = usage.find("[FILE]");
    return place == std::string::npos ? usage : usage.replace(place, 6, "FILE");
  }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0 || option->get_type_name().empty()) return "";
    return " " + option->get_type_name() + (option->get_expected_max() > 1 ? "..." : "") +
           (option->get_required() && !option->get_positional() ? " (required)" : "");
  }
};

}  // namespace

CommandResult run_old_command(std::vector<std::string> arguments) {
  CLI::App program("Sharp differential privacy: what a mechanism gives away, proved", "modicum");
  program.formatter(std::make_shared<HelpFormatter>());
  program.set_version_flag("--version", fmt::format("modicum {}", version), "print the version");
  program.set_help_flag("-h,--help", "print help");
  program.require_subcommand(0, 1);
  program.footer(
      "Each command has its own --help. Example:\n"
      "  modicum calibrate gaussian --epsilon 1 --delta 1e-6 --sensitivity 1");
  CommandResult output;
  add_audit_command(program, output);
  CLI::App* release = add_command(program, "release", "", "");
  add_release_gaussian_process_command(*release, output);
  CLI::App* report = add_command(program, "report", "what single records lost to a release", "");
  report->require_subcommand(1);
  add_spectrum_report(*report, output);
  program.callback([&] {
    if (program.get_subcommands().empty()) output = program.help();
  });
  write_out_leading_zeros(arguments);
  std::ranges::reverse(arguments);  // the parser takes them from the back
  try {
    program.parse(std::move(arguments));
    return output;
  } catch (const CLI::ParseError& error) {
    return answer_usage(program, error);
  } catch (const UsageError& error) {
    refuse_usage(program, error.what());
  }
}

}  // namespace modicum
