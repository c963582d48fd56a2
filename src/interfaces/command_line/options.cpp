// The only source that knows the parser of the command line.
#include "interfaces/command_line/options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>

#include "data/cells/number_text.h"
#include "interfaces/command_line/words.h"

namespace modicum {
namespace {

// What was given for one field.
struct Given {
  Field* field;
  std::vector<std::string> words;
  CLI::Option* option = nullptr;
};

std::string option_name(const std::string& name) {
  return in_style("`" + name + "`", NameStyle::option);
}

}  // namespace

std::string placeholder_of(const Field& field) {
  if (!field.placeholder.empty()) return field.placeholder;
  switch (field.kind) {
    case FieldKind::number:
    case FieldKind::numbers:
      return "NUMBER";
    case FieldKind::word:
      return "NAME";
    case FieldKind::range:
    case FieldKind::ranges:
      return "RANGE";
    case FieldKind::input:
      return "FILE";
    default:
      return "TEXT";
  }
}

namespace {

// Help with less noise: what excludes what is said in the text.
class HelpFormatter : public CLI::Formatter {
 public:
  explicit HelpFormatter(const Fields& fields) : fields_(fields) { column_width(34); }
  std::string make_option_opts(const CLI::Option* option) const override {
    if (option->get_type_size() == 0 || option->get_type_name().empty()) return "";
    return " " + option->get_type_name();
  }
  // Of what is given without a name: FILE, FILE..., or [NAME] where it may be left out.
  std::string make_option_usage(const CLI::Option* option) const override {
    for (const Field& field : fields_.all()) {
      if (!field.is_positional || placeholder_of(field) != option->get_name(true)) continue;
      const std::string usage = placeholder_of(field) + (field.takes_several ? "..." : "");
      return field.is_required ? usage : "[" + usage + "]";
    }
    return "";
  }

 private:
  const Fields& fields_;
};

// The commands of a group, a line each; nothing, if there are none.
std::string members_in_help(const std::string& name) {
  std::string out;
  for (const JobKind* child : children_of(name))
    out += fmt::format("  {:<24}  {}\n", child->name.substr(name.empty() ? 0 : name.size() + 1),
                       child->what);
  return out.empty() ? "" : "Commands:\n" + out;
}

// A parser for one command.
struct Parser {
  Parser(const JobKind& kind, Fields& fields) : app(kind.what, "modicum " + kind.name) {
    app.formatter(std::make_shared<HelpFormatter>(fields));
    app.set_help_flag("-h,--help", "print help");
    app.allow_extras();
    for (Field& field : fields.all()) given.push_back({&field, {}});
    for (Given& each : given) add(each);
    app.add_flag("--json", json, "print one JSON object");
    app.add_flag("--quiet", quiet, "print nothing but errors");
    const std::string members = members_in_help(kind.name);
    app.footer(fmt::format("{}{}Example:\n{}", kind.notes.empty() ? "" : kind.notes + "\n\n",
                           members.empty() ? "" : members + "\n", kind.example));
  }

  void add(Given& each) {
    const Field& field = *each.field;
    const std::string help = in_style(field.help, NameStyle::option);
    std::string names = field.is_positional ? placeholder_of(field) : option_name(field.name);
    if (!field.is_positional)
      for (const std::string& other : field.synonyms) names += "," + option_name(other);
    if (field.kind == FieldKind::flag) {
      each.option = app.add_flag(names, help);
      return;
    }
    each.option = app.add_option(names, each.words, help);
    each.option->allow_extra_args(field.takes_several && !field.is_repeated &&
                                  field.kind != FieldKind::ranges);
    each.option->type_name(type_in_help(field));
  }

  static std::string type_in_help(const Field& field) {
    if (field.is_positional) return "";
    return placeholder_of(field) + (field.takes_several && !field.is_repeated ? "..." : "") +
           (field.is_required ? " (required)" : "");
  }

  CLI::App app;
  std::vector<Given> given;
  bool json = false, quiet = false;
};

// -.5 would look like a flag.
void write_out_leading_zeros(std::vector<std::string>& words) {
  for (std::string& word : words)
    if (word.starts_with("-.")) word.insert(1, "0");
}

std::vector<std::string> option_names(const Fields& fields) {
  std::vector<std::string> names{"--json", "--quiet", "--help"};
  for (const Field& field : fields.all()) {
    if (field.is_positional) continue;
    names.push_back(option_name(field.name));
    for (const std::string& other : field.synonyms) names.push_back(option_name(other));
  }
  return names;
}

[[noreturn]] void refuse_extra(const std::string& word, const Fields& fields) {
  if (!word.starts_with("-"))
    throw UsageError(fmt::format("{} is one argument too many", in_quotes(word)));
  const std::string name = word.substr(0, word.find('='));
  throw UsageError(fmt::format("unknown option {}{}", one_line(name, 60),
                               suggestion(name, option_names(fields))));
}

// `profile --epsilon 1 2 FILE`: a last value that is no number is the FILE.
void settle_file(std::vector<Given>& given) {
  const auto file = std::ranges::find_if(given, [](const Given& each) {
    return each.field->is_positional && each.field->is_required && each.words.empty();
  });
  if (file == given.end()) return;
  for (Given& each : given) {
    if (each.field->kind != FieldKind::numbers || each.words.size() < 2) continue;
    if (read_number(each.words.back())) continue;
    file->words.push_back(std::move(each.words.back()));
    each.words.pop_back();
    return;
  }
}

}  // namespace

CommonOptions parse_options(const JobKind& kind, Fields& fields, std::vector<std::string> words) {
  Parser parser(kind, fields);
  write_out_leading_zeros(words);
  std::ranges::reverse(words);  // the parser takes them from the back
  try {
    parser.app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return {.help = true};
  } catch (const CLI::ParseError& error) {
    const std::string what = error.what();
    const auto name_end = what.find_first_of(": ");
    if (what.starts_with("--") && what.find("required") != std::string::npos)
      throw UsageError(
          fmt::format("{} is given without a value, but must have one", what.substr(0, name_end)));
    throw UsageError(what);
  }
  std::vector<std::string> extra = parser.app.remaining();
  std::erase(extra, "--");  // after it nothing is an option
  const auto unknown =
      std::ranges::find_if(extra, [](const std::string& word) { return word.starts_with("-"); });
  if (!extra.empty()) refuse_extra(unknown == extra.end() ? extra.front() : *unknown, fields);
  settle_file(parser.given);
  for (const Given& each : parser.given) {
    if (each.field->kind == FieldKind::flag) {
      if (each.option->count() > 0) fields.set(each.field->name, true);
    } else if (!each.words.empty()) {
      fields.set(each.field->name, value_of_words(*each.field, each.words));
    }
  }
  return {.json = parser.json, .quiet = parser.quiet};
}

std::string help_of(const JobKind& kind) {
  const std::unique_ptr<Job> job = kind.make();
  Fields fields;
  job->fields(fields);
  const Parser parser(kind, fields);
  return parser.app.help();
}

std::string help_of_group(const std::string& name) {
  const std::string full = name.empty() ? "modicum" : "modicum " + name;
  const JobKind* group = name.empty() ? nullptr : find_job(name);
  std::string out =
      group == nullptr
          ? "Private numbers from tables, and what they give away: differential privacy, proved\n"
          : group->what + "\n";
  out += fmt::format("Usage: {} COMMAND [OPTIONS]\n\n{}", full, members_in_help(name));
  return out + fmt::format("\nEach command has its own --help. Example:\n{}\n",
                           group == nullptr
                               ? "  modicum release count examples/wages.csv --epsilon 1 "
                                 "--delta 1e-6 --output -"
                               : group->example);
}

}  // namespace modicum
