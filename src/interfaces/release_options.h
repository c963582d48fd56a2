// What the commands of `release` share: files, columns, the privacy target, and how they end.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "interfaces/command.h"
#include "interfaces/json_output.h"
#include "modicum/data/fields.h"
#include "modicum/data/gram.h"
#include "modicum/release/diagnostics.h"
#include "modicum/release/release_files.h"

namespace modicum {

template <class Kind>
Kind chosen(const std::string& option, const std::string& text, const Choices<Kind>& choices) {
  std::vector<std::string> words;
  for (const Choice<Kind>& each : choices) words.push_back(each.word);
  return choices[place_of_word(option, text, words)].value;
}

class ReleaseOptions {
 public:
  /// Files, and what they look like.
  void add_data_to(CLI::App& command);
  /// --output and --certificate.
  void add_output_to(CLI::App& command);
  /// --epsilon and --delta, one of each.
  void add_target_to(CLI::App& command);
  /// Columns, ranges and the norm bound.
  void add_rows_to(CLI::App& command);
  void add_columns_to(CLI::App& command);
  void add_norm_bound_to(CLI::App& command);
  /// --intercept.
  void add_intercept_to(CLI::App& command);
  /// An option that takes a number and may be left out.
  void add_number(CLI::App& command, const std::string& name, const std::string& help);
  /// An option that takes one of several words.
  void add_word(CLI::App& command, const std::string& name, const std::string& help,
                const std::string& by_default);

  PrivacyTarget target() const;
  std::optional<double> number(const std::string& name) const;
  const std::string& word(const std::string& name) const { return words_.at(name); }
  /// Throws UsageError if one of these options was given.
  void refuse(const std::vector<std::string>& names, const std::string& because) const;
  bool given(const std::string& name) const;

  const std::vector<std::string>& files() const { return files_; }
  const std::vector<std::string>& selected() const { return select_; }
  /// Those of --select, or all but those of --exclude. Throws UsageError where both are given.
  std::vector<std::string> used_columns(const Table& table) const;
  bool confidential() const { return confidential_; }

  /// Where the release goes. Throws InvalidParameter, also where that is one of the data files.
  ReleaseFiles places() const { return places_at(output_, certificate_); }
  /// The same for a command that has its own options for it; `certificate` may be empty.
  ReleaseFiles places_at(const std::string& output, const std::string& certificate) const;
  /// Throws InvalidParameter, naming `option`, if the path is one of the data files.
  void refuse_data_file(const char* option, const std::string& path) const;
  Table table() const { return table_of(files_); }
  /// Other files that look as the data do.
  Table table_of(const std::vector<std::string>& paths) const;
  ReadOptions read_options(ProgressLine& progress) const;
  BadRows bad_rows() const { return strict_ ? BadRows::refused : BadRows::dropped; }
  /// `target` is the last of the columns, and the others are those that were selected.
  RowRule row_rule(const Table& table, const std::string& target = "") const;
  /// The selected columns, or all, without the target, for which there may be a range of its own.
  RowRule feature_rule(const Table& table, const std::string& target,
                       bool ranged_target = false) const;
  /// All that were given.
  std::map<std::string, Range> ranges(const Table& table) const;
  /// --row-norm-bound, or what the ranges make of it.
  double row_norm_bound(const RowRule& rule) const;

  /// Writes or shows the release; what is said about it. `diagnose` is only called with
  /// --confidential.
  CommandResult finish(Released& released, const ReleaseFiles& places, const std::string& what,
                       const std::function<Diagnostics()>& diagnose) const;
  /// What --json tells of a release, but for its numbers.
  Value in_json(const Certificate& certificate, const ReleaseFiles& places,
               const Diagnostics& diagnostics) const;
  /// What is printed about a release that is written.
  std::string told(const Certificate& certificate, const ReleaseFiles& places,
                   const std::string& what, const Diagnostics& diagnostics) const;

 private:
  std::vector<std::string> features(const Table& table, const std::string& target) const;
  RowRule rule_of(const Table& table, const std::vector<std::string>& columns,
                  const std::map<std::string, Range>& ranges) const;
  std::string in_words(const Certificate& certificate, const std::string& place,
                       const std::string& what, const Diagnostics& diagnostics) const;
  CLI::App* command_ = nullptr;
  NumberOptions numbers_;
  std::map<std::string, std::string> words_, optional_numbers_;
  std::vector<std::string> files_, names_, select_, exclude_, ranges_;
  std::string range_of_all_, output_, certificate_, separator_ = ",", fields_, threads_ = "0";
  bool intercept_ = false, no_header_ = false, header_ = false, multiline_ = false;
  bool strict_ = false, json_ = false, confidential_ = false;
};

}  // namespace modicum
