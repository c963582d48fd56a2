// What the commands of `report` share: which release is asked about, and in which way.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interfaces/release_options.h"
#include "modicum/release/report_release.h"

namespace modicum {

/// --release, --certificate, --method, --failure, --cover, --largest-rows and --shares.
class ReportQuestion {
 public:
  void add_to(CLI::App& command);

  const std::string& release() const { return release_; }
  /// Where it is, whether it was named or not.
  std::string certificate() const;
  bool has_method() const { return !method_.empty(); }

  ReleasedObjective released() const;
  double failure() const;
  /// Throws UsageError without a method, InvalidParameter.
  ReportRequest request() const;

 private:
  std::string release_, certificate_, method_, cover_ = "one-record", failure_ = "0.05";
  std::string largest_rows_, shares_;
};

struct ReportOptions : ReleaseOptions {
  ReportQuestion question;
  std::string output, page, records;

  /// Throws InvalidParameter unless what is written goes to files of its own: none that is read,
  /// and no two the same. Each is an option with its path.
  void require_own_files(const std::vector<std::pair<const char*, std::string>>& written) const;
};

/// Losses of all records, for the holder of the data; what is printed about them.
std::string report_losses(const ReportOptions& options);
/// A report that may be published; what is printed about it.
std::string publish_report(const ReportOptions& options);

void add_report_evaluate_command(CLI::App& report, CommandResult& output);
void add_report_budget_command(CLI::App& report, CommandResult& output);

}  // namespace modicum
