#include "modicum/release/loss_source.h"

#include <filesystem>

#include "release/certificates/read_file.h"

namespace modicum {
namespace {

Value value_of(const LossSource& source) {
  return source.path.empty() ? source.tree : Value(source.path);
}

}  // namespace

LossSource::LossSource(const Value& path_or_tree) {
  if (path_or_tree.is_text()) path = path_or_tree.text();
  else tree = path_or_tree;
}

void LossSource::fields(Fields& fields) {
  const auto set = [this](const Value& given) { *this = LossSource(given); };
  const auto get = [this] { return value_of(*this); };
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

void LossSources::fields(Fields& fields) {
  const auto set = [this](const Value& given) {
    all.clear();
    if (!given.is_list()) all.emplace_back(given);
    else if (given.size() == 0)
      throw InvalidParameter("descriptions", "an empty list", "must not be");
    else
      for (const Value& each : given.items()) all.emplace_back(each);
  };
  const auto get = [this] {
    Value values;
    for (const LossSource& each : all) values.push_back(value_of(each));
    return values;
  };
  Field field{"descriptions", FieldKind::input,
              "mechanism descriptions in JSON, - for standard input", set, get};
  field.target = this;
  field.takes_several = true;
  fields.custom(std::move(field)).positional().required();
}

}  // namespace modicum
