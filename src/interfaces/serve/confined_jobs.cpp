#include "interfaces/serve/confined_jobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <new>

#include "data/cells/number_text.h"
#include "interfaces/command_line/command_words.h"
#include "modicum/data/json.h"
#include "modicum/data/unreadable_file.h"
#include "modicum/interfaces/command_line.h"
#include "modicum/release/loss_source.h"
#include "modicum/release/release_files.h"
#include "modicum/release/table_source.h"
#include "release/certificates/read_file.h"
#include "release/descriptions/mechanism_forms.h"

namespace modicum {
namespace {

namespace fs = std::filesystem;

constexpr Eigen::Index most_shown = 20000;  // numbers of a release

// What a page sends about losses: trees with every path in them confined; a file of the folders is
// read here, since it may name others. Certificates and what they compose are such trees, too.
Value confined_tree(const std::string& field, const Value& given, const ServedFolders& folders) {
  if (given.is_list()) {
    Value list = Value::list();
    for (const Value& each : given.items()) list.push_back(confined_tree(field, each, folders));
    return list;
  }
  if (!given.is_record()) return given;
  Value record = Value::record();
  for (const auto& [key, each] : given.members())
    record[key] = key == "file" && each.is_text() ? Value(folders.file(field, each.text()))
                                                  : confined_tree(field, each, folders);
  return record;
}

bool describes_losses(const Field& field) {
  return std::any_cast<LossSource*>(&field.target) != nullptr ||
         std::any_cast<LossSources*>(&field.target) != nullptr;
}

Value confined_item(const Field& field, const Value& given, const ServedFolders& folders) {
  if (!given.is_text()) return confined_tree(field.name, given, folders);
  const std::string path = folders.file(field.name, given.text());
  if (!describes_losses(field)) return path;
  return confined_tree(field.name, parse_json(text_of_file(path)), folders);
}

Value confined(const Field& field, const Value& given, const ServedFolders& folders) {
  if (!names_a_file(field)) return given;
  // A picture that is shown stays with the answer.
  if (field.is_text_place && given == Value("-")) return given;
  if (!given.is_list()) return confined_item(field, given, folders);
  Value list = Value::list();
  for (const Value& each : given.items()) list.push_back(confined_item(field, each, folders));
  return list;
}

Value error_of(std::string message, const std::string& field, ExitCode code) {
  Value error{{"message", std::move(message)}, {"code", static_cast<int>(code)}};
  if (!field.empty()) error["field"] = field;
  return Value{{"error", std::move(error)}};
}

// The field that a message is about: the first that it names in backquotes.
std::string field_in(std::string_view message, const Fields& fields) {
  for (auto open = message.find('`'); open != std::string_view::npos;) {
    const auto close = message.find('`', open + 1);
    if (close == std::string_view::npos) break;
    const Field* field = fields.find(message.substr(open + 1, close - open - 1));
    if (field != nullptr) return field->name;
    open = message.find('`', close + 1);
  }
  return "";
}

// The field with the file that a message names.
std::string field_with_file(std::string_view message, const Fields& fields) {
  const auto names = [&](const Value& path) {
    return path.is_text() && !path.text().empty() &&
           message.find(path.text()) != std::string_view::npos;
  };
  for (const Field& field : fields.all()) {
    if (!names_a_file(field)) continue;
    const Value value = field.get();
    if (names(value) || (value.is_list() && std::ranges::any_of(value.items(), names)))
      return field.name;
  }
  return "";
}

// A message names a field as the form does.
std::string in_form(std::string_view message) { return in_style(message, NameStyle::argument); }

// The first rows, where there are very many numbers.
Value shown_of(Released released) {
  const Eigen::Index rows = released.values.rows(), columns = released.values.cols();
  const Eigen::Index kept =
      std::min(rows, std::max<Eigen::Index>(1, most_shown / std::max<Eigen::Index>(1, columns)));
  released.values.conservativeResize(kept, Eigen::NoChange);
  released.row_names.resize(static_cast<std::size_t>(kept));
  Value shown = parse_json(encode(released, OutputFormat::json));
  shown["rows_in_all"] = static_cast<double>(rows);
  return shown;
}

Value reply_in_full(const Reply& reply, std::string command) {
  Value full{{"answer", reply.value()}, {"words", reply.words()}, {"command", std::move(command)}};
  if (reply.text) full["picture"] = *reply.text;
  for (const auto* released : {&reply.released, &reply.written})
    if (*released) full["released"] = shown_of(**released);
  return full;
}

// The place in a description that a message begins with: "compose[1].scale is -3, but ...".
std::string place_in_description(std::string_view message) {
  const auto end = message.find_first_of(" :");
  const std::string_view first = message.substr(0, end);
  const bool is_place = std::ranges::all_of(first, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '[' || c == ']' || c == '.';
  });
  return is_place && end != std::string_view::npos ? std::string(first) : "";
}

Value description_error(std::string message, std::string_view place, const Fields& fields) {
  const auto field = std::ranges::find_if(fields.all(), describes_losses);
  if (field == fields.all().end()) return error_of(std::move(message), "", ExitCode::bad_input);
  Value answer = error_of(std::move(message), field->name, ExitCode::bad_input);
  if (!place.empty()) answer["error"]["at"] = std::string(place);
  return answer;
}

// Every kind of failure as an answer that says where.
template <class Work>
Value guarded(const Fields& fields, const std::string& spent, Work work) {
  const auto with_spent = [&](std::string_view message) {
    return spent.empty() ? std::string(message) : fmt::format("{}; {}", message, spent);
  };
  try {
    return work();
  } catch (const UsageError& error) {
    return error_of(with_spent(in_form(error.what())), field_in(error.what(), fields),
                    ExitCode::bad_input);
  } catch (const InvalidParameter& error) {
    // The range of one column is `bounds of "age"`.
    const std::string name = error.name();
    const Field* field = fields.find(name);
    if (field == nullptr) field = fields.find(name.substr(0, name.find(' ')));
    if (field == nullptr) return description_error(with_spent(in_form(error.what())), name, fields);
    return error_of(with_spent(in_form(error.what())), field->name, ExitCode::bad_input);
  } catch (const InvalidDescription& error) {
    return description_error(with_spent(error.what()), place_in_description(error.what()), fields);
  } catch (const TargetUnreachable& error) {
    return error_of(with_spent(in_form(error.what())), "", ExitCode::unreachable);
  } catch (const UnreadableFile& error) {
    return error_of(with_spent(error.what()), field_with_file(error.what(), fields),
                    ExitCode::unreadable);
  } catch (const std::bad_alloc&) {
    return error_of(with_spent("out of memory"), "", ExitCode::failed);
  } catch (const std::exception& error) {
    return error_of(with_spent(error.what()), "", ExitCode::failed);
  }
}

// A query names files of its own; a command is anything.
bool is_beyond_pages(const Field& field) {
  return field.name == "query" || field.placeholder == "COMMAND";
}

void fill(Fields& fields, const Value& given, const ServedFolders& folders) {
  if (!given.is_record()) throw UsageError("the fields of a job must have names");
  for (const auto& [name, value] : given.members()) {
    const Field* field = fields.find(name);
    if (field != nullptr && is_beyond_pages(*field))
      throw InvalidParameter(name, in_quotes(shown(value)), "must be given on the command line");
    fields.set(name, field == nullptr ? value : confined(*field, value, folders));
  }
}

// With `only_words` nothing is run: the command that would be is the answer.
Value run_question(const Value& question, bool only_words, const ServedFolders& folders,
                   Progress& progress) {
  std::string spent;
  const Value* name = question.find("job");
  const JobKind* kind = name != nullptr && name->is_text() && may_be_served(name->text())
                            ? find_job(name->text())
                            : nullptr;
  if (kind == nullptr || !kind->make)
    return error_of("there is no such job for a page", "", ExitCode::bad_input);
  const std::unique_ptr<Job> job = kind->make();
  Fields fields;
  job->fields(fields);
  return guarded(fields, spent, [&] {
    const Value* asked = question.find("fields");
    const Value given = asked == nullptr ? Value::record() : *asked;
    fill(fields, given, folders);
    fields.finish();
    std::string command = command_words(*kind, fields, given);
    if (only_words) return Value{{"command", std::move(command)}};
    const Reply reply = job->run(progress);
    spent = reply.spent;
    return reply_in_full(reply, std::move(command));
  });
}

const char* to_word(FieldKind kind) {
  switch (kind) {
    case FieldKind::number:
      return "number";
    case FieldKind::flag:
      return "flag";
    case FieldKind::text:
      return "text";
    case FieldKind::word:
      return "word";
    case FieldKind::numbers:
      return "numbers";
    case FieldKind::texts:
      return "texts";
    case FieldKind::range:
      return "range";
    case FieldKind::ranges:
      return "ranges";
    case FieldKind::list:
      return "list";
    case FieldKind::input:
      return "input";
  }
  return "text";
}

Value form_of(const Fields& fields) {
  Value form = Value::list();
  for (const Field& field : fields.all()) {
    if (is_beyond_pages(field)) continue;
    Value entry{{"name", field.name},
                {"kind", to_word(field.kind)},
                {"help", in_form(field.help)},
                {"required", field.is_required}};
    if (!field.words.empty()) entry["words"] = field.words;
    if (names_a_file(field)) entry["file"] = true;
    const Value value = field.get();
    if (!field.is_required && (value.is_number() || value.is_text())) entry["default"] = value;
    form.push_back(std::move(entry));
  }
  return form;
}

Value forms() {
  Value all = Value::record();
  for (const JobKind& kind : jobs()) {
    if (!kind.make || !may_be_served(kind.name)) continue;
    const std::unique_ptr<Job> job = kind.make();
    Fields fields;
    job->fields(fields);
    all[kind.name] = Value{{"what", kind.what}, {"fields", form_of(fields)}};
  }
  Value mechanisms = Value::list();
  for_each_mechanism([&](const char* name, const Fields& fields) {
    mechanisms.push_back({{"name", name}, {"fields", form_of(fields)}});
  });
  return Value{{"jobs", std::move(all)}, {"mechanisms", std::move(mechanisms)}};
}

Value columns_question(const Value& question, const ServedFolders& folders) {
  TableSource source;
  Fields fields;
  source.fields(fields);
  return guarded(fields, "", [&] {
    fill(fields, question.at("fields"), folders);
    fields.finish();
    return Value{{"columns", source.open().columns()}};
  });
}

Value text_question(const Value& question, const ServedFolders& folders) {
  return guarded(Fields(), "", [&] {
    return Value{{"text", text_of_file(folders.file("file", question.at("file").text()))}};
  });
}

Value file_question(const Value& question, const ServedFolders& folders) {
  return guarded(Fields(), "", [&] {
    const std::string path = folders.file("file", question.at("file").text());
    return Value{{"name", fs::path(path).filename().string()},
                 {"base64", in_base64(text_of_file(path, largest_file))}};
  });
}

Value certificate_question(const Value& question, const ServedFolders& folders) {
  return guarded(Fields(), "", [&] {
    const std::string& wanted = question.at("sha256").text();
    const Value files = folders.list();
    for (const Value& each : files.items()) {
      const std::string& path = each.at("path").text();
      if (!path.ends_with(".certificate.json") ||
          each.at("bytes").number() > static_cast<double>(largest_text))
        continue;
      std::string text = read_file(path);
      if (sha256(text) == wanted) return Value{{"path", path}, {"text", std::move(text)}};
    }
    return error_of("no certificate with this hash is in the folders that are served", "",
                    ExitCode::unreadable);
  });
}

}  // namespace

bool may_be_served(std::string_view job) {
  static constexpr std::array chapters{"profile",   "epsilon",  "tradeoff",   "renyi",   "meaning",
                                       "calibrate", "optimize", "optimality", "compare", "convert",
                                       "quantile",  "audit",    "release",    "report",  "plot",
                                       "price",     "ledger"};
  const std::string_view chapter = job.substr(0, job.find(' '));
  // A file of jobs may name a table anywhere.
  return job != "audit program" && job != "release" &&
         std::ranges::find(chapters, chapter) != chapters.end();
}

bool names_a_file(const Field& field) {
  static constexpr std::array places{"PATH", "FILE", "FOLDER", "STORE"};
  return field.kind == FieldKind::input || field.is_text_place ||
         std::ranges::find(places, field.placeholder) != places.end();
}

Value answer_question(const Value& question, const ServedFolders& folders, Progress& progress) {
  const Value* ask = question.find("ask");
  const std::string word = ask != nullptr && ask->is_text() ? ask->text() : "";
  if (word == "run" || word == "command")
    return run_question(question, word == "command", folders, progress);
  if (word == "forms") return forms();
  if (word == "files") return Value{{"files", folders.list()}};
  try {
    if (word == "columns") return columns_question(question, folders);
    if (word == "text") return text_question(question, folders);
    if (word == "file") return file_question(question, folders);
    if (word == "certificate") return certificate_question(question, folders);
  } catch (const Error& error) {
    return error_of(error.what(), "", ExitCode::bad_input);
  }
  return error_of("there is no such question", "", ExitCode::bad_input);
}

}  // namespace modicum
