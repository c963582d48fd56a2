// The journal of a black-box audit: what was asked, the secret bits, and every finished run. An
// audit that was ended goes on from it; one that is complete gives its answer again.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "modicum/auditing/program_runs.h"
#include "modicum/data/value.h"

namespace modicum {

/// One line of JSON a run, appended when it is finished. The bits are drawn once and kept: to draw
/// them anew for the same samples would be to try until the verdict pleases.
class ProgramJournal {
 public:
  /// Takes up the journal of the same audit, or begins one with these bits. `identity` holds what
  /// the samples depend on. Throws InvalidParameter for the journal of another audit or another
  /// file, and Error where it is in use or cannot be written.
  ProgramJournal(const std::string& path, const Value& identity, const std::vector<bool>& bits);
  ~ProgramJournal();
  ProgramJournal(const ProgramJournal&) = delete;
  ProgramJournal& operator=(const ProgramJournal&) = delete;

  const std::vector<bool>& bits() const { return bits_; }
  using Take = std::function<void(std::size_t side, std::size_t number, Samples, std::string)>;
  /// Every run that is in it. A last line that was not finished is forgotten.
  void replay(const Take& take);
  void append(std::size_t side, std::size_t number, const FinishedRun& run);

 private:
  void write(std::string_view text) const;
  std::string path_;
  int descriptor_ = -1;
  std::size_t header_ = 0;  // its length
  std::vector<bool> bits_;
};

}  // namespace modicum
