#include "interfaces/pages/page_files.h"

#include <cstddef>

namespace modicum {

// Made from the folder src/interfaces/serve/page when the program is built, see EmbedText.cmake.
struct PageFile {
  const char* name;
  const char* text;
};
extern const PageFile explorer_files[];
extern const std::size_t explorer_file_count;

const char* page_file(std::string_view name) {
  for (std::size_t i = 0; i < explorer_file_count; ++i)
    if (explorer_files[i].name == name) return explorer_files[i].text;
  return nullptr;
}

}  // namespace modicum
