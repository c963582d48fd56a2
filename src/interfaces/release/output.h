// How a release ends: written or shown, then told about.
#pragma once

#include <string>

#include "interfaces/release/promise.h"
#include "modicum/data/fields.h"
#include "modicum/release/release_files.h"
#include "modicum/release/table_source.h"

namespace modicum {

inline constexpr const char* confidential_heading =
    "Confidential: these numbers are not private, and for the holder of the data only.\n";

/// Whether what is not private may be shown.
struct ConfidentialField {
  bool confidential = false;
  void fields(Fields& fields);
  /// The same where nothing is told without it.
  void required_field(Fields& fields);
  /// Throws UsageError unless it was given; `because` says what is private.
  void require(const std::string& because) const;
};

/// Whether the files of an earlier release may be replaced.
void add_replace_field(Fields& fields, bool& replace);
/// Throws UsageError where it is given and nothing is written.
OldFiles old_files(bool replace, bool written);

/// Where a release goes. "-", or nothing, shows it.
struct OutputPlace {
  std::string output = {}, certificate = {};
  bool replace = false;
  Payer payer = {};

  void fields(Fields& fields);
  /// Throws as ReleaseFiles does, and InvalidParameter where that is one of the data files.
  ReleaseFiles files(const TableSource& source) const;
  ReleaseFiles files() const;
};

/// What a certificate promises, in words.
void tell_promise(Reply& reply, const Certificate& certificate);

/// Charges a release to a ledger, if one is named, and only then draws it, writes it, if it goes to
/// a file, and tells about it: where the ledger refuses no row was read, and whatever happens from
/// then on it stays charged. Confidential numbers are found before anything is written.
Reply carried_out(Planned planned, const TableSource& source, const ReleaseFiles& places,
                  const PaymentTerms& terms, bool confidential, Progress& progress);

/// What is told of a release that is no table of numbers, and was written.
Reply told(const Certificate& certificate, const ReleaseFiles& places, const std::string& what,
           const Diagnostics& diagnostics, bool confidential);

}  // namespace modicum
