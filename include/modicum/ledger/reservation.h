// A release that pays before it reads anything.
#pragma once

#include <string>

#include "modicum/ledger/ledger.h"

namespace modicum {

/// Who pays.
struct LedgerChoice {
  std::string store = {};                  ///< none: nobody does
  std::string budget = {};                 ///< the only one, where it is empty
  Guarantee accepted = Guarantee::proved;  ///< the weakest guarantee that may enter
  std::optional<Part> part = {};           ///< whose records are read, where these are not all
  std::optional<std::int64_t> plan = {};   ///< draw it from this plan, at no further cost
  std::optional<Clocks> at_most = {};      ///< of what is left
};

/// What a certificate, as a tree, says is to be paid. Paths of tables in it begin in `folder`.
/// Throws TargetUnreachable where it promises less than `accepted`, or names no loss.
Spending spending_of(const Value& certificate, Guarantee accepted, const std::string& folder = "");

/// Paid for, and not given out yet. Whatever becomes of this object the price stays spent: unless
/// one of the two is called it is on record as reserved, as after a crash.
class Reservation {
 public:
  /// The numbers were given out: the hashes of their certificate and of their file.
  void released(const std::string& certificate_sha256, const std::string& file_sha256,
                std::chrono::system_clock::time_point time, const Value& certificate = {});
  /// They were not.
  void failed(std::chrono::system_clock::time_point time);
  const Entry& entry() const { return entry_; }

 private:
  friend Reservation reserve(const LedgerChoice&, const Value&, const Circumstances&);
  Reservation(std::string store, Entry entry, Circumstances circumstances);
  void settle(EntryState state, const std::string& certificate_sha256,
              const std::string& file_sha256, std::chrono::system_clock::time_point time,
              const Value& certificate = {});
  std::string store_;  // opened again: hours may go by, in which no connection is kept
  Entry entry_;
  Circumstances circumstances_;
};

/// What it would cost, and leave; nothing is changed. Throws what `reserve` throws.
Quote quote(const LedgerChoice& choice, const Value& certificate);
/// The same for a choice with a plan: how many like it that has left.
std::int64_t drawable(const LedgerChoice& choice, const Value& certificate);

/// When this returns the price is on the disk. Throws TargetUnreachable where it does not fit: then
/// nothing may be read or released, and nothing was changed.
Reservation reserve(const LedgerChoice& choice, const Value& certificate,
                    const Circumstances& circumstances);

}  // namespace modicum
