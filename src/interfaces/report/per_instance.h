// report per-instance, in its two forms: losses for the holder of the data, and a report that may
// be published.
#pragma once

#include <string>

#include "interfaces/ledger/payment.h"
#include "interfaces/reply.h"
#include "interfaces/report/question.h"
#include "modicum/release/progress.h"
#include "modicum/release/table_source.h"

namespace modicum {

struct PerInstanceJob {
  TableSource table = {};
  bool confidential = false;
  ReportQuestion question = {};
  std::string output = {}, page = {};
  bool replace = false;
  Payer payer = {};
  TableSource records = {};  ///< outside the data

  void fields(Fields& fields);

  /// Whether the answer itself holds what else is written.
  bool shown() const { return output == "-"; }
  // Each throws UsageError or InvalidParameter.
  void require_table() const;
  void require_ending(const char* ending) const;  ///< of the output
  /// Each file that is written is one of its own: none that is read, and no two the same. Those of
  /// a report are places of a release already.
  void require_own_files(const std::string& certificate = "") const;
};

Reply run(const PerInstanceJob& job, Progress& progress);
// The two forms.
Reply report_losses(const PerInstanceJob& job, Progress& progress);
Reply publish_report(const PerInstanceJob& job, Progress& progress);

}  // namespace modicum
