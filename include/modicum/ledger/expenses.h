// What was spent of a budget: by all its records, and by the records of one part of them.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "modicum/ledger/clocks.h"

namespace modicum {

/// The records are divided by something that each record says by itself: a region, say. Declared
/// with the budget, before anything is spent.
struct Partition {
  std::string name;
  std::vector<std::string> parts;
};
struct Part {
  std::string partition, name;
  bool operator==(const Part&) const = default;
};
/// "region=north,south" and "region=north". Throws InvalidParameter that names `field`.
Partition partition_in(const char* field, const std::string& text);
Part part_in(const char* field, const std::string& text);

/// A record is in one part of each partition. So what its presence has cost is what was charged for
/// all records, and for each partition what was charged for its part: at most the coordinate-wise
/// maximum over the parts (docs/derivations/ledger.md).
class Expenses {
 public:
  void add(const Clocks& price, const std::optional<Part>& part = {});
  void give_back(const Clocks& price, const std::optional<Part>& part = {});
  /// What a record may have spent at most.
  Clocks all() const;
  /// The same of the records of this part.
  Clocks of_part(const std::optional<Part>& part) const;
  /// What was charged for a part alone.
  const std::map<std::string, std::map<std::string, Clocks>>& parts() const { return parts_; }
  const Clocks& for_all() const { return common_; }
  bool operator==(const Expenses&) const = default;

  Value tree() const;
  static Expenses from_tree(const Value& tree);

 private:
  Clocks common_ = {};
  std::map<std::string, std::map<std::string, Clocks>> parts_ = {};
};

}  // namespace modicum
