#include "modicum/release/loss_source.h"

#include <filesystem>

#include "release/read_file.h"

namespace modicum {

void LossSource::fields(Fields& fields) {
  const auto set = [this](const Value& given) {
    if (given.is_text()) path = given.text();
    else tree = given;
  };
  const auto get = [this] { return path.empty() ? tree : Value(path); };
  Field field{"description", FieldKind::input,
              "mechanism description in JSON, - for standard input", set, get};
  field.target = this;
  fields.custom(std::move(field)).positional().required();
}

Description LossSource::load(Accuracy accuracy) const {
  if (loss) return *loss;
  if (path.empty()) return describe(tree, accuracy);
  const bool standard_input = path == "-";
  return parse_description(
      read_file(path), standard_input ? "standard input" : path, accuracy,
      standard_input ? "" : std::filesystem::path(path).parent_path().string());
}

}  // namespace modicum
