// audit program: any executable, run on two inputs, against a claim.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <thread>

#include "data/cells/number_text.h"
#include "interfaces/audit/audit.h"
#include "interfaces/audit/program_collection.h"
#include "modicum/randomness/random_source.h"
#include "modicum/release/release_files.h"
#include "release/certificates/read_file.h"

namespace modicum {
namespace {

struct ProgramJob {
  std::string command = {}, input = {}, neighbor = {}, journal = {};
  ClaimFields claimed = {};
  double trials = 10000.0, confidence = 0.95, timeout = 60.0, samples_per_run = 0.0;
  double jobs = std::max(1u, std::thread::hardware_concurrency());

  void fields(Fields& fields) {
    fields.add("command", command, "the program and its arguments").required();
    fields.add("input", input, "an input of the program").shown_as("FILE").required();
    fields.add("neighbor", neighbor, "the same with one record more or less")
        .shown_as("FILE")
        .required();
    claimed.fields(fields);
    fields.add("trials", trials, "samples over both inputs together, 10000 by default");
    fields.add("confidence", confidence, "0.95 by default");
    fields.add("jobs", jobs, "runs at a time, by default one for each processor");
    fields.add("timeout", timeout, "seconds after which a run has failed, 60 by default");
    fields.add("samples_per_run", samples_per_run,
               "samples that each run must print; by default any number, each independent");
    fields.add("journal", journal, "file to keep finished runs in, and to go on from")
        .shown_as("FILE");
  }
};

std::size_t whole(const char* name, double value, double least) {
  if (!(value >= least && value <= 1e9 && value == std::floor(value)))
    throw InvalidParameter(name, value,
                           fmt::format("must be a whole number from {} to 1e9", least));
  return static_cast<std::size_t>(value);
}

ProgramRuns runs_of(const ProgramJob& job) {
  ProgramRuns runs{.words = split_command(job.command),
                   .inputs = {job.input, job.neighbor},
                   .wanted = whole("trials", job.trials, 2.0 * fewest_samples) / 2,
                   .at_a_time = whole("jobs", job.jobs, 1.0),
                   .limits = {}};
  runs.limits.seconds = require_positive("timeout", job.timeout);
  runs.limits.samples = whole("samples_per_run", job.samples_per_run, 0.0);
  return runs;
}

// What the samples depend on.
Value identity_of(const ProgramJob& job, const ProgramRuns& runs) {
  return {{"command", runs.words},
          {"input", std::vector{job.input, sha256(read_file(job.input))}},
          {"neighbor", std::vector{job.neighbor, sha256(read_file(job.neighbor))}},
          {"trials", static_cast<std::size_t>(job.trials)},
          {"samples_per_run", runs.limits.samples},
          {"timeout", job.timeout}};
}

Value failures_in(const RunPool& pool) {
  Value ways = Value::record();
  for (const auto& [way, times] : pool.failures()) ways[way] = times;
  return {{"runs", pool.finished()}, {"failed", pool.failed()}, {"ways", std::move(ways)}};
}

void add_bounds(Reply& reply, const ProgramJob& job, const BlackBoxAudit& audit) {
  const double epsilon = audit.epsilon_lower_bound, delta = audit.delta_lower_bound;
  reply.show({fmt::format("with {:.6g} % confidence", 100.0 * job.confidence), "at least"});
  reply.add("epsilon_lower_bound", fmt::format("epsilon at delta {}", job.claimed.delta), epsilon,
            rounded_down(epsilon, 4));
  reply.add("delta_lower_bound", fmt::format("delta at epsilon {}", job.claimed.epsilon), delta,
            rounded_down(delta, 4));
}

// The numbers behind the bounds, in a table of their own.
void add_evidence(Reply& reply, const ProgramJob& job, const PrivacyTarget& claim,
                  const BlackBoxAudit& audit, const ProgramCollection& runs) {
  const auto failed = [&](std::size_t side) {
    return fmt::format("{} of {}", runs.pool(side).failed(), runs.pool(side).finished());
  };
  const std::string p_value = fmt::format("{:.3g}", audit.p_value);
  reply.add("", ReplyTable({"p-value of the claim", p_value}));
  reply.tell("p_value", audit.p_value).tell("confidence", job.confidence);
  reply.tell("claim", in_tree(claim));
  reply.add("trials", "trials", audit.trials);
  reply.add("guesses", "guesses that count", audit.guesses);
  reply.add("right", "right ones", audit.right);
  reply.tell("failed_runs",
             {{"input", failures_in(runs.pool(0))}, {"neighbor", failures_in(runs.pool(1))}});
  reply.tell("dimension", audit.dimension);
  reply.add("distinguisher", "distinguisher", audit.distinguisher);
  reply.show({"numbers a sample", std::to_string(audit.dimension)});
  reply.show({"failed runs, input", failed(0)});
  reply.show({"failed runs, neighbor", failed(1)});
}

Reply told(const ProgramJob& job, const PrivacyTarget& claim, const BlackBoxAudit& audit,
           const ProgramCollection& runs) {
  const bool violated = audit.verdict == BlackBoxVerdict::violated;
  Reply reply;
  reply.say(fmt::format("{}\nClaim: epsilon {}, delta {}\nVerdict: {}\n",
                        one_line(job.command, 200), claim.epsilon, claim.delta,
                        violated ? "VIOLATED" : "not refuted"));
  reply.tell("verdict", to_string(audit.verdict));
  add_bounds(reply, job, audit);
  add_evidence(reply, job, claim, audit, runs);
  return reply.say(
      violated
          ? fmt::format("A program that keeps the claim gives such samples with probability at "
                        "most {:.3g}, if\nthe lines of a run are independent draws.\n",
                        audit.p_value)
          : "That a claim is not refuted proves nothing: more trials, or other inputs, may refute "
            "it.\n");
}

Reply run(const ProgramJob& job, Progress& progress) {
  const PrivacyTarget claim = job.claimed.claim();
  require_open_unit("confidence", job.confidence);
  ProgramRuns asked = runs_of(job);
  const std::size_t wanted = asked.wanted;
  const Value identity = identity_of(job, asked);
  ProgramCollection runs(std::move(asked));
  SecureSource source;
  std::vector<bool> bits = draw_secret_bits(trial_count(wanted), source);
  std::unique_ptr<ProgramJournal> journal;
  if (!job.journal.empty()) {
    journal = std::make_unique<ProgramJournal>(job.journal, identity, bits);
    bits = journal->bits();
  }
  runs.collect(journal.get(), progress);
  progress.begin("auditing");
  return told(
      job, claim,
      audit_samples(runs.pool(0).samples(), runs.pool(1).samples(), claim, job.confidence, bits),
      runs);
}

}  // namespace

std::vector<JobKind> program_audit() {
  return {job_kind<ProgramJob>(
      "audit program",
      "any program on two neighboring inputs: runs it, and tries to refute a claim",
      "  modicum audit program --command \"python3 noisy_count.py\" --input visits.csv \\\n"
      "      --neighbor fewer.csv --epsilon 1 --delta 1e-5 --trials 200000",
      std::string(
          "Each line that the program prints is one sample: numbers separated by commas, blanks or "
          "tabs.\nThe command is not given to a shell (use sh -c '...' for one). {input} in it "
          "stands for the\npath of the input, which is appended if {input} does not occur. With "
          "{output} the program writes\na file instead, whose numbers are one sample.\n") +
          violation_note)};
}

}  // namespace modicum
