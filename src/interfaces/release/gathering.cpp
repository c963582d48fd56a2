#include "interfaces/release/gathering.h"

#include <fmt/format.h>

#include "data/cells/number_text.h"
#include "modicum/release/gather.h"
#include "modicum/release/release_files.h"

namespace modicum {

std::vector<Value> questions_of(const std::function<void()>& release) {
  try {
    release();
  } catch (const Asked& asked) {
    return asked.questions;
  }
  throw UsageError("`gather` must not be given for a release that adds up no rows of a table");
}

Reply gathered_piece(TableSource source, const std::vector<Value>& questions,
                     const std::string& output, bool replace, Progress& progress) {
  const std::string name = source.piece_name();
  // A name that comes from the content is a hash of the rows: it stays in the piece.
  const bool named = !source.gathering.piece.empty();
  source.gathering = {};
  const bool shown = output == "-";
  if (!shown) {
    source.refuse_overwriting("output", output);
    require_place("output", output);
  }
  const Table table = source.open();
  progress.begin("reading");
  SecureSource choosing;
  const std::string text =
      text_of_piece(gather_piece(name, table, questions, source.read_options(progress), choosing));
  Reply reply;
  if (named) reply.tell("piece", name);
  if (shown) {
    reply.text = text;
    reply.tell("text", text);
    return reply;
  }
  try {
    write_files({{output, text, FileAccess::owner_only}},
                replace ? OldFiles::replaced : OldFiles::refused);
  } catch (const FileExists&) {
    throw InvalidParameter("output", in_quotes(output),
                           "must not be there already, unless `replace` is given");
  }
  reply.say(fmt::format(
      "Gathered the sums of one piece. Confidential: they are not private, and for the holder of "
      "the data only.\n"));
  reply.add("output", "written to", output);
  return reply;
}

}  // namespace modicum
