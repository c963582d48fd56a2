// Everything that can be asked, one row of a table each. An interface fills in the fields, runs the
// job and tells the reply; nothing else stands between a user and the library.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "interfaces/reply.h"
#include "modicum/data/fields.h"
#include "modicum/release/progress.h"

namespace modicum {

class Job {
 public:
  virtual ~Job() = default;
  virtual void fields(Fields& fields) = 0;
  /// After the fields were finished. Throws Error.
  virtual Reply run(Progress& progress) = 0;
};

struct JobKind {
  std::string name;  ///< "calibrate gaussian": the command; calibrate_gaussian in Python
  std::string what;  ///< one line of help
  std::string example = {}, notes = {};
  std::function<std::unique_ptr<Job>()> make = {};  ///< none: a group of others
};

/// run(request, progress), looked up beside the type of the request.
template <class Request>
Reply answer_to(const Request& request, Progress& progress) {
  return run(request, progress);
}

/// A job that asks for a `Request`: a struct with `void fields(Fields&)`, answered by
/// `Reply run(const Request&, Progress&)`.
template <class Request>
JobKind job_kind(std::string name, std::string what, std::string example, std::string notes = "",
                 Request request = {}) {
  class RequestedJob : public Job {
   public:
    explicit RequestedJob(Request asked) : request_(std::move(asked)) {}
    void fields(Fields& fields) override { request_.fields(fields); }
    Reply run(Progress& progress) override { return answer_to(request_, progress); }

   private:
    Request request_;
  };
  return {std::move(name), std::move(what), std::move(example), std::move(notes),
          [request = std::move(request)] { return std::make_unique<RequestedJob>(request); }};
}

/// All of them, groups before their members.
const std::vector<JobKind>& jobs();
/// Nothing, if there is none of this name.
const JobKind* find_job(std::string_view name);
/// Those one word longer: of "calibrate" all that can be calibrated, of "" the commands.
std::vector<const JobKind*> children_of(std::string_view name);

// The table, chapter by chapter.
std::vector<JobKind> query_jobs();       // profile, epsilon, tradeoff, renyi
std::vector<JobKind> calibrate_jobs();   // calibrate ..
std::vector<JobKind> optimize_jobs();    // optimize ..
std::vector<JobKind> compare_jobs();     // compare, compare ..
std::vector<JobKind> convert_jobs();     // convert ..
std::vector<JobKind> quantile_jobs();    // quantile ..
std::vector<JobKind> audit_jobs();       // audit ..
std::vector<JobKind> release_jobs();     // release ..
std::vector<JobKind> report_jobs();      // report ..
std::vector<JobKind> plot_jobs();        // plot ..
std::vector<JobKind> ledger_jobs();      // price, ledger .., plot ledger
std::vector<JobKind> people_jobs();      // convert people
std::vector<JobKind> meaning_jobs();     // meaning
std::vector<JobKind> serve_jobs();       // serve
std::vector<JobKind> manual_jobs();      // manual
std::vector<JobKind> completion_jobs();  // completion

/// Several chapters in one.
std::vector<JobKind> joined(std::vector<std::vector<JobKind>> chapters);

}  // namespace modicum
