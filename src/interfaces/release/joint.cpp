// release JOBS.json: several everyday statistics of one table under one budget.
#include <fmt/format.h>

#include <filesystem>

#include "data/cells/number_text.h"
#include "interfaces/release/everyday_fields.h"
#include "interfaces/release/everyday_warnings.h"
#include "interfaces/release/release.h"
#include "modicum/data/json.h"
#include "modicum/release/gather.h"
#include "release/certificates/read_file.h"
#include "release/descriptions/description_fields.h"

namespace modicum {
namespace {

struct JointJob {
  std::string path = {};  ///< of the job file; - is standard input
  Value tree = {};        ///< or what would be in it
  TableSource source = {};
  ProtectionChoice protection = {};
  OutputPlace place = {};
  ConfidentialField confidential = {};
  ExplainField explain = {};

  void fields(Fields& fields) {
    const auto set = [this](const Value& given) {
      if (given.is_text()) path = given.text();
      else tree = given;
    };
    const auto get = [this] { return path.empty() ? tree : Value(path); };
    fields
        .custom({"jobs", FieldKind::input,
                 "several releases under one budget in JSON, - for standard input", set, get})
        .positional()
        .shown_as("JOBS")
        .required();
    source.fields(fields, false);
    source.gathering_fields(fields);
    fields.find("table")->is_positional = false;
    fields.find("table")->help = "data, in place of the table that the job file names";
    protection.fields(fields);
    explain.fields(fields);
    confidential.fields(fields);
    place.fields(fields);
  }
  bool given(const std::string& field) const { return place.payer.asked->given(field); }
};

// What a job file says, with what was given beside it.
struct JobFile {
  TableSource source = {};
  ProtectionChoice protection = {};
  ReleaseBudget budget = {};
  std::vector<EverydayPart> parts = {};

  std::vector<ReleaseRequest> requests(const Table& table) const {
    std::vector<ReleaseRequest> all;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::string path = fmt::format("releases[{}]", i);
      const auto refused = [&](const Error& error) {
        return InvalidDescription(
            fmt::format("{}: {}", path, in_style(error.what(), NameStyle::argument)));
      };
      try {
        all.push_back(parts[i].request(table, source, protection));
      } catch (const UsageError& error) {
        throw refused(error);
      } catch (const InvalidParameter& error) {
        throw refused(error);
      }
    }
    return all;
  }
};

std::string text_of_entry(const std::string& field, const Value& value) {
  if (value.is_whole()) return fmt::format("{}", value.whole());
  if (value.is_number()) return fmt::format("{}", value.number());
  if (!value.is_text() || value.text().find('"') != std::string::npos)
    throw InvalidParameter(field, shown(value),
                           "must be texts without quotation marks, or numbers");
  return value.text().find(',') == std::string::npos ? value.text() : '"' + value.text() + '"';
}

std::string joined_entries(const std::string& field, const Value& list) {
  if (!list.is_list()) throw InvalidParameter(field, shown(list), "must be a list");
  std::string text;
  for (const Value& each : list.items())
    text += (text.empty() ? "" : ",") + text_of_entry(field, each);
  return text;
}

// Lists as an option has them: {"region": ["north", "south"]} is region=north,south.
Value lists_of(const std::string& field, const Value& given) {
  if (given.is_text()) return given;
  if (given.is_list()) return joined_entries(field, given);
  if (!given.is_record())
    throw InvalidParameter(field, shown(given), "must be a list, or an object of lists");
  Value lists = Value::list();
  for (const auto& [column, list] : given.members())
    lists.push_back(fmt::format("{}={}", column, joined_entries(field, list)));
  return lists;
}

// {"mean": {"select": ["wage"], ..}}.
EverydayPart part_in(const Value& record, const std::string& path) {
  EverydayPart part;
  std::vector<std::string> words;
  for (const Choice<EverydayKind>& each : everyday_words()) words.push_back(each.word);
  if (!record.is_record() || record.size() != 1)
    refuse(path, shown(record), "must be an object with one key: what is released");
  const std::string& word = record.members().front().first;
  const Value& asked = record.members().front().second;
  at_path(path, record,
          [&] { part.kind = everyday_words()[place_of_word("the statistic", word, words)].value; });
  at_path(fmt::format("{}.{}", path, word), asked, [&] {
    Value keys = Value::record();
    for (const auto& [key, value] : asked.members())
      keys[key] = key == "categories" || key == "edges" ? lists_of(key, value) : value;
    Fields fields;
    part.fields(fields);
    part.weight_field(fields);
    read_keys(fields, keys);
    require_positive("weight", part.weight);
  });
  return part;
}

// Paths in a file are relative to its folder; what is not there, to the current one.
void resolve_table(std::vector<std::string>& paths, const std::string& job_path) {
  namespace fs = std::filesystem;
  if (job_path.empty() || job_path == "-") return;
  const fs::path folder = fs::path(job_path).parent_path();
  for (std::string& path : paths) {
    std::error_code none;
    const fs::path beside = folder / path;
    if (fs::exists(beside, none) || !fs::exists(path, none)) path = beside.string();
  }
}

void read_parts(const Value& tree, JobFile& file) {
  const Value* releases = tree.find("releases");
  if (releases == nullptr || !releases->is_list() || releases->size() == 0)
    refuse("releases", releases == nullptr ? "missing" : shown(*releases),
           "must be a list of what is released");
  for (std::size_t i = 0; i < releases->size(); ++i)
    file.parts.push_back(part_in(releases->at(i), fmt::format("releases[{}]", i)));
}

void read_budget(const Value& tree, const Payer& payer, JobFile& file) {
  Fields fields;
  file.budget.fields(fields, payer);
  const Value* budget = tree.find("budget");
  if (budget == nullptr) refuse("budget", "missing", "must be an object with epsilon and delta");
  at_path("budget", *budget, [&] {
    Value given = Value::record();
    for (const auto& [key, value] : budget->members())
      if (!value.is_null()) given[key] = value;
    read_keys(fields, given);
  });
}

void read_job_tree(const Value& tree, const JointJob& job, JobFile& file) {
  at_path("", tree, [&] {
    Fields fields, of_table;
    TableSource(file.source).fields(of_table, false);
    file.source.fields(fields, false);
    file.protection.fields(fields);
    Value own = Value::record();
    for (const auto& [key, value] : tree.members()) {
      const Field* field = fields.find(key);
      const bool other_rows =
          key == "table" && job.given("query") && !job.source.queries_given_table();
      // What is said about the table is for who gathers it.
      const bool is_there = of_table.find(key) != nullptr && job.source.is_gathered();
      if (!other_rows && !is_there && (field == nullptr || !job.given(field->name)))
        own[key] = value;
    }
    read_keys(fields, own, {"budget", "releases"});
    // What did not come from a file names no files: whoever confines inputs sees them all.
    for (const char* key : {"table", "query"})
      if (own.contains(key) && job.path.empty())
        refuse(key, shown(own.at(key)),
               "must be given as an argument, unless the job is in a file");
    if (own.contains("query") && job.path != "-")
      file.source.query_folder = std::filesystem::path(job.path).parent_path().string();
    if (own.contains("table")) resolve_table(file.source.files.paths, job.path);
    read_budget(tree, job.place.payer, file);
    read_parts(tree, file);
  });
}

JobFile read_job_file(const JointJob& job) {
  JobFile file{job.source, job.protection};
  if (job.path.empty()) {
    read_job_tree(job.tree, job, file);
  } else {
    const std::string name = job.path == "-" ? "standard input" : one_line(job.path, 200);
    const auto named = [&](const Error& error) {
      return InvalidDescription(
          fmt::format("{}: {}", name, in_style(error.what(), NameStyle::argument)));
    };
    const std::string text = read_file(job.path);
    try {
      read_job_tree(parse_json(text), job, file);
    } catch (const InvalidDescription& error) {
      throw named(error);
    } catch (const UsageError& error) {
      throw named(error);
    }
  }
  if (!file.source.given())
    throw UsageError("`table` is missing, but must be given, or be named in the job file");
  return file;
}

// Of a column that several releases use, all that is done with it.
Reply explained(const JobFile& file) {
  const Table table = file.source.open();
  std::vector<ColumnUse> uses;
  for (const ReleaseRequest& request : file.requests(table))
    for (ColumnUse& use : uses_of(table, question_of(request))) {
      const auto known = std::find_if(uses.begin(), uses.end(), [&](const ColumnUse& each) {
        return each.column == use.column;
      });
      if (known == uses.end()) uses.push_back(std::move(use));
      else if (known->words.find(use.words) == std::string::npos) known->words += "; " + use.words;
    }
  return explained(file.source, table, uses);
}

std::vector<std::string> joint_warnings(const JointPlan& plan, const std::vector<Released>& parts) {
  std::vector<std::string> all;
  for (std::size_t i = 0; i < parts.size(); ++i)
    std::visit(
        [&](const auto& own) {
          for (const std::string& warning : warnings_of(own, parts[i]))
            all.push_back(fmt::format("{}: {}", plan.names[i], warning));
        },
        plan.parts[i]);
  return all;
}

Diagnostics diagnosed(const JobFile& file, const Table& table, const JointPlan& plan,
                      const JointSums& sums, Progress& progress) {
  Diagnostics all;
  for (std::size_t i = 0; i < plan.parts.size(); ++i) {
    const EverydayQuestion& question = std::visit(
        [](const auto& part) -> const EverydayQuestion& { return part.question; }, plan.parts[i]);
    for (Diagnostic& each : diagnosed_rows(table, question, file.source.read_options(progress)))
      all.push_back({fmt::format("release_{}_{}", i + 1, each.name), each.value});
  }
  const Eigen::VectorXd truth = joint_truth(plan, sums);
  const std::vector<std::string> names = joint_names(plan, sums);
  for (Eigen::Index i = 0; i < truth.size(); ++i)
    all.push_back({fmt::format("true_{}", names[static_cast<std::size_t>(i)]), truth[i]});
  return all;
}

Planned planned(const JobFile& file, Progress& progress) {
  const Table table = file.source.open();
  progress.begin("calibrating");
  const std::vector<ReleaseRequest> requests = file.requests(table);
  const auto plan = std::make_shared<const JointPlan>(planned_within(
      file.budget, [&](const PrivacyTarget& target) { return plan_joint(target, requests); }));
  return {plan->certificate,
          [&file, table, plan](RandomSource& random, Progress& reading) -> Outcome {
            reading.begin("reading");
            const auto sums = std::make_shared<const JointSums>(
                accumulate_joint(table, *plan, file.source.read_options(reading), &random));
            const std::vector<Released> parts = release_parts(*plan, *sums, random);
            return {joined_parts(*plan, parts),
                    fmt::format("{} releases under one budget", plan->parts.size()),
                    [&file, table, plan, sums](const Released&, Progress& again) {
                      return diagnosed(file, table, *plan, *sums, again);
                    },
                    joint_warnings(*plan, parts)};
          }};
}

// What the releases of a job ask of their table.
std::vector<Value> questions_of(JobFile file, Progress& progress) {
  file.source.gathering.gather = true;
  return questions_of(planned(file, progress), progress);
}

Reply run(const JointJob& job, Progress& progress) {
  const JobFile file = read_job_file(job);
  if (job.explain.explain) {
    Reply reply = explained(file);
    if (file.budget.given())
      tell_planned(reply, planned(file, progress), {job.place.payer, &file.budget});
    return reply;
  }
  if (file.source.gathering.gather)
    return gathered_piece(file.source, questions_of(file, progress), job.place.output,
                          job.place.replace, progress);
  const ReleaseFiles places = job.place.files(file.source);
  return carried_out(planned(file, progress), file.source, places, {job.place.payer, &file.budget},
                     job.confidential.confidential, progress);
}

// gather: the sums of one piece, for a job or for one pass of a release.
struct GatherJob {
  JointJob job = {};
  std::string output = {}, piece = {};
  bool replace = false;

  void fields(Fields& fields) {
    job.place.payer.asked = &fields;
    job.source.fields(fields);
    const auto set = [this](const Value& given) {
      if (given.is_text()) job.path = given.text();
      else job.tree = given;
    };
    const auto get = [this] { return job.path.empty() ? job.tree : Value(job.path); };
    fields
        .custom({"for", FieldKind::input,
                 "a job file, as for modicum release, or the questions of one pass of a release",
                 set, get})
        .shown_as("JOB")
        .required();
    fields.add("output", output, "where to write the sums; - to show them")
        .shown_as("PATH")
        .required();
    fields.add("piece", piece, "a name for the piece, from its content by default");
    fields.add("replace", replace, "replace a file that is there already");
  }
};

// Nothing, if it is a job.
std::optional<std::vector<Value>> questions_of_pass(const GatherJob& asked) {
  const std::string& path = asked.job.path;
  const std::string text = path.empty() ? json_line(asked.job.tree) : read_file(path);
  const bool is_pass = [&] {
    try {
      return holds_questions(parse_json(text));
    } catch (const InvalidDescription&) {
      return false;  // reading it as a job says what is wrong
    }
  }();
  if (is_pass) return questions_in(text, path.empty() ? "the questions" : path);
  if (path == "-") throw UsageError("`for` must be a file that can be read twice, not -");
  return std::nullopt;
}

Reply run(const GatherJob& asked, Progress& progress) {
  JobFile file{asked.job.source};
  std::optional<std::vector<Value>> questions = questions_of_pass(asked);
  if (!questions) {
    file = read_job_file(asked.job);
    questions = questions_of(file, progress);
  }
  file.source.gathering.piece = asked.piece;
  return gathered_piece(file.source, *questions, asked.output, asked.replace, progress);
}

}  // namespace

JobKind gather_job() {
  return job_kind<GatherJob>(
      "gather", "exact sums of one piece of a table, to be added up and released",
      "  modicum gather examples/wages.csv --for examples/jobs.json --output part-1.gathered\n"
      "  modicum release examples/jobs.json --gathered part-*.gathered --pieces 1 --output -",
      "The sums are as confidential as the rows. modicum release adds them up: docs/scale.md.");
}

JobKind joint_release() {
  return job_kind<JointJob>(
      "release", "private numbers from a table, with a certificate",
      "  modicum release examples/jobs.json --output answers.csv",
      "JOBS is a file with several releases under one budget:\n"
      "  {\"budget\": {\"epsilon\": 1, \"delta\": 1e-6}, \"table\": \"wages.csv\", \"releases\": "
      "[\n"
      "    {\"count\": {\"by\": \"region\", \"categories\": [\"north\", \"south\"]}},\n"
      "    {\"mean\": {\"select\": [\"wage\"], \"bounds\": {\"wage\": [0, 60]}, \"weight\": 2}}]}");
}

}  // namespace modicum
