// Checked access to the keys of one record in a file of JSON.
#pragma once

#include <Eigen/Core>
#include <string>
#include <string_view>
#include <vector>

#include "modicum/data/json.h"

namespace modicum {

/// A record and where it stands. Everything that is not as it must be throws
/// InvalidDescription, which names the key with its whole path, such as "compose[1].scale".
class CheckedRecord {
 public:
  /// Throws if `value` is not an object.
  CheckedRecord(const Value& value, std::string path);

  const std::string& path() const { return path_; }
  std::string path_of(std::string_view key) const;
  bool has(const std::string& key) const { return object_.contains(key); }

  /// Runs `action`; where the library refuses a value, says where that value stands.
  template <class Action>
  void refusing(Action action) const {
    try {
      action();
    } catch (const InvalidParameter& error) {
      throw InvalidDescription(located(error.what()));
    }
  }

  /// Every key must be among these; those in `required` must be there.
  void require_keys(const std::vector<std::string_view>& required,
                    const std::vector<std::string_view>& optional) const;

  std::string text(const std::string& key) const;
  double number(const std::string& key) const;
  /// A whole number from 1 to 2^53, or 1 where the key is absent. To be called while `refusing`.
  double count(const std::string& key) const;
  Eigen::VectorXd vector(const std::string& key) const;
  Eigen::MatrixXd matrix(const std::string& key) const;
  /// A list with at least one entry.
  const Value& list(const std::string& key) const;

 private:
  std::string located(std::string_view message) const;

  const Value& object_;
  std::string path_;
};

}  // namespace modicum
