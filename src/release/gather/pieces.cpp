// All pieces of a table, added up.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "data/cells/number_text.h"
#include "modicum/data/fields.h"
#include "modicum/data/json.h"
#include "modicum/release/gather.h"

namespace modicum {
namespace {

// The first place where two trees differ: "rows.ranges.wage".
std::string difference(const Value& a, const Value& b) {
  const auto inside = [](const std::string& key, const std::string& rest) {
    return rest.empty() ? key : key + "." + rest;
  };
  if (a.is_record() && b.is_record()) {
    for (const auto& [key, each] : a.members()) {
      const Value* other = b.find(key);
      if (other == nullptr) return key;
      if (json_line(each) != json_line(*other)) return inside(key, difference(each, *other));
    }
    for (const auto& [key, each] : b.members())
      if (!a.contains(key)) return key;
  }
  return "";
}

class AskingTable : public RowsElsewhere {
 public:
  explicit AskingTable(TableShape shape) : shape_(std::move(shape)) {}
  const TableShape& shape() const override { return shape_; }
  void expect(const std::vector<Value>& questions) override { throw Asked(questions); }
  WholeSums sums(const Value& question) override { throw Asked({question}); }
  // Whoever adds the pieces up says whether they are.
  bool persons_together() const override { return true; }

 private:
  TableShape shape_;
};

class GatheredTable : public RowsElsewhere {
 public:
  GatheredTable(const std::vector<PieceText>& pieces, GatheringChoice choice)
      : choice_(std::move(choice)) {
    take(pieces.empty() && choice_.ask ? choice_.ask(text_of_questions({})) : pieces);
  }

  const TableShape& shape() const override { return shape_; }
  bool persons_together() const override { return choice_.persons_together; }
  bool answer_with(std::optional<Integer128> made_up) override {
    if (choice_.ask) return false;
    made_up_ = made_up;
    return true;
  }

  void expect(const std::vector<Value>& questions) override {
    std::vector<Value> unknown;
    for (const Value& each : questions)
      if (!answers_.contains(json_line(each))) unknown.push_back(each);
    if (unknown.empty()) return;
    if (!choice_.ask) refuse(unknown.front());
    take(choice_.ask(text_of_questions(unknown)));
    for (const Value& each : unknown)
      if (!answers_.contains(json_line(each))) refuse(each);
  }

  WholeSums sums(const Value& question) override {
    expect({question});
    const WholeSums& found = answers_.at(json_line(question));
    if (made_up_) return {std::vector<Integer128>(found.entries.size(), *made_up_)};
    return found;
  }

 private:
  void take(const std::vector<PieceText>& texts) {
    if (texts.empty())
      throw UsageError("`gathered` names no piece of the table, but must name all of them");
    std::vector<GatheredPiece> pieces;
    for (const PieceText& each : texts) pieces.push_back(piece_in(each.text, each.source));
    require_all(texts, pieces);
    answers_.clear();
    for (std::size_t k = 0; k < pieces.front().questions.size(); ++k) {
      WholeSums total = pieces.front().answers[k];
      for (std::size_t i = 1; i < pieces.size(); ++i) total += pieces[i].answers[k];
      answers_.emplace(json_line(pieces.front().questions[k]), std::move(total));
    }
    answered_ = pieces.front().questions;
  }

  void require_all(const std::vector<PieceText>& texts, const std::vector<GatheredPiece>& pieces) {
    const auto shown_source = [&](std::size_t i) { return one_line(texts[i].source, 200); };
    std::map<std::string, std::size_t> names;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const auto [known, is_new] = names.emplace(pieces[i].name, i);
      if (!is_new)
        throw UsageError(fmt::format(
            "`gathered` has the same piece twice: {} and {}{}", shown_source(known->second),
            shown_source(i),
            is_from_content(pieces[i].name)
                ? " (without a name it is known by its bytes: pieces with the same rows, or with "
                  "none, must be gathered with a `piece` name each)"
                : ""));
      require_same_rules(pieces.front(), pieces[i], shown_source(0), shown_source(i));
    }
    if (choice_.pieces && pieces.size() != *choice_.pieces)
      throw UsageError(fmt::format("`gathered` has {} pieces, but `pieces` says there are {}",
                                   pieces.size(), *choice_.pieces));
    std::set<std::string> all;
    for (const auto& [name, place] : names) all.insert(name);
    if (names_.empty()) {
      names_ = std::move(all);
      shape_ = pieces.front().shape;
    } else if (names_ != all ||
               json_line(to_value(shape_)) != json_line(to_value(pieces.front().shape))) {
      throw UsageError("`gathered` has other pieces than in the pass before");
    }
  }

  static void require_same_rules(const GatheredPiece& first, const GatheredPiece& own,
                                 const std::string& first_source, const std::string& own_source) {
    const auto rules = [](const GatheredPiece& piece) {
      Value questions = Value::record();
      for (std::size_t k = 0; k < piece.questions.size(); ++k)
        questions[fmt::format("question {}", k + 1)] = piece.questions[k];
      return Value{{"table", to_value(piece.shape)}, {"questions", std::move(questions)}};
    };
    const Value a = rules(first), b = rules(own);
    if (json_line(a) == json_line(b)) return;
    throw UsageError(fmt::format("`gathered` has pieces by different rules: {} and {} differ in {}",
                                 first_source, own_source, one_line(difference(a, b), 100)));
  }

  [[noreturn]] void refuse(const Value& question) const {
    if (answered_.empty())
      throw UsageError("`gathered` pieces answer no question, but this release asks one");
    const std::string place = answered_.size() == 1 ? difference(answered_.front(), question) : "";
    const bool later = place == "sums" || (place.starts_with("map") && !place.empty());
    throw UsageError(
        fmt::format("`gathered` pieces answer another question than this release asks{}{}",
                    place.empty() ? "" : fmt::format(": it differs in {}", one_line(place, 100)),
                    later ? "; a release in several passes needs `each_pass`" : ""));
  }

  GatheringChoice choice_;
  std::optional<Integer128> made_up_;
  TableShape shape_;
  std::set<std::string> names_;
  std::vector<Value> answered_;
  std::map<std::string, WholeSums> answers_;
};

}  // namespace

std::shared_ptr<RowsElsewhere> asking_table(TableShape shape) {
  return std::make_shared<AskingTable>(std::move(shape));
}

std::shared_ptr<RowsElsewhere> gathered_table(const std::vector<PieceText>& pieces,
                                              GatheringChoice choice) {
  return std::make_shared<GatheredTable>(pieces, std::move(choice));
}

}  // namespace modicum
