#include "modicum/interfaces/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <new>
#include <sstream>
#include <stdexcept>

#include "interfaces/command.h"
#include "interfaces/files.h"
#include "interfaces/number_text.h"
#include "modicum/version.h"

namespace modicum {
namespace {

ExitCode complain(ExitCode code, std::string_view message) {
  fmt::print(stderr, "modicum: {}\n", one_line(message, 2000));
  return code;
}

// -.5 would look like a flag.
void write_out_leading_zeros(std::vector<std::string>& arguments) {
  for (std::string& argument : arguments)
    if (argument.starts_with("-.")) argument.insert(1, "0");
}

// "modicum plot profile": the command that was being used.
std::string used_command(const CLI::App& program) {
  std::string name = "modicum";
  const CLI::App* command = &program;
  while (!command->get_subcommands().empty()) {
    command = command->get_subcommands().front();
    name += " " + command->get_name();
  }
  return name;
}

// Prints help or the version, or explains what is wrong.
ExitCode answer_usage(const CLI::App& program, const CLI::ParseError& error) {
  std::ostringstream out, none;
  if (program.exit(error, out, none) == 0) {
    write_standard_output(out.str());
    return ExitCode::done;
  }
  return complain(ExitCode::bad_input,
                  fmt::format("{} (see {} --help)", error.what(), used_command(program)));
}

ExitCode run(std::vector<std::string> arguments) {
  CLI::App program("Sharp differential privacy: what a mechanism gives away, proved", "modicum");
  program.set_version_flag("--version", fmt::format("modicum {}", version));
  program.set_help_flag("-h,--help", "print help");
  program.require_subcommand(0, 1);
  program.footer(
      "Each command has its own --help. Example:\n"
      "  modicum calibrate gaussian --epsilon 1 --delta 1e-6 --sensitivity 1");
  std::string output;
  add_query_commands(program, output);
  add_calibrate_command(program, output);
  add_audit_command(program, output);
  add_plot_command(program, output);
  program.callback([&] {
    if (program.get_subcommands().empty()) output = program.help();
  });
  write_out_leading_zeros(arguments);
  std::ranges::reverse(arguments);  // the parser takes them from the back
  try {
    program.parse(std::move(arguments));
    write_standard_output(output);
    return ExitCode::done;
  } catch (const CLI::ParseError& error) {
    return answer_usage(program, error);
  } catch (const UsageError& error) {
    return complain(ExitCode::bad_input,
                    fmt::format("{} (see {} --help)", error.what(), used_command(program)));
  }
}

}  // namespace

ExitCode run_command_line(std::vector<std::string> arguments) {
  try {
    return run(std::move(arguments));
  } catch (const InvalidParameter& error) {
    return complain(ExitCode::bad_input, error.what());
  } catch (const InvalidDescription& error) {
    return complain(ExitCode::bad_input, error.what());
  } catch (const TargetUnreachable& error) {
    return complain(ExitCode::unreachable, error.what());
  } catch (const UnreadableFile& error) {
    return complain(ExitCode::unreadable, error.what());
  } catch (const std::bad_alloc&) {
    return complain(ExitCode::failed, "out of memory");
  } catch (const std::exception& error) {
    return complain(ExitCode::failed, error.what());
  }
}

}  // namespace modicum
