// Gathered statistics: the exact sums of one piece of a table, for a release that adds them up.
// They are as confidential as the rows.
#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "modicum/data/fields.h"
#include "modicum/data/gathered.h"
#include "modicum/randomness/random_source.h"

namespace modicum {

/// What a release asks of its table first, in place of an answer.
struct Asked : std::exception {
  explicit Asked(std::vector<Value> all) : questions(std::move(all)) {}
  const char* what() const noexcept override { return "a release asks for sums"; }
  std::vector<Value> questions;
};

/// A table of this shape that throws Asked when it is.
std::shared_ptr<RowsElsewhere> asking_table(TableShape shape);

/// Questions as text, to be sent where the rows are, and back. Throws UnreadableFile, naming
/// `source`, for what is none and for another version.
std::string text_of_questions(const std::vector<Value>& questions);
std::vector<Value> questions_in(const std::string& text, const std::string& source);
/// Whether it is meant to be such a text.
bool holds_questions(const Value& tree);

struct GatheredPiece {
  std::string name;  ///< no two pieces of a table have the same
  TableShape shape;
  std::vector<Value> questions;
  std::vector<WholeSums> answers;
};

/// Reads the rows once for each question. `choosing` draws which rows of a person are kept. Throws
/// Error for a question that is none.
GatheredPiece gather_piece(std::string name, const Table& table,
                           const std::vector<Value>& questions, const ReadOptions& options,
                           RandomSource& choosing);

/// With the rules and a checksum, and back. Throws UnreadableFile, naming `source`, for what is
/// truncated or changed, and for another version.
std::string text_of_piece(const GatheredPiece& piece);
GatheredPiece piece_in(const std::string& text, const std::string& source);

/// A name from the bytes of the files, and whether one is such.
std::string name_from_content(const std::vector<std::string>& paths);
bool is_from_content(const std::string& name);

struct PieceText {
  std::string source;  ///< for messages: a file
  std::string text;
};

struct GatheringChoice {
  std::optional<std::size_t> pieces = {};  ///< how many there must be
  bool persons_together = false;           ///< all rows of a person are in one piece
  /// Asks all pieces these questions, as text; without it, what the pieces answer at first is all.
  std::function<std::vector<PieceText>(const std::string& questions)> ask = {};
};

/// The sum of all pieces. Throws UnreadableFile for pieces that are damaged or of another version,
/// UsageError where one is there twice, where some are missing, or where they were gathered by
/// different rules; and where it is asked what they do not answer.
std::shared_ptr<RowsElsewhere> gathered_table(const std::vector<PieceText>& pieces,
                                              GatheringChoice choice);

}  // namespace modicum
