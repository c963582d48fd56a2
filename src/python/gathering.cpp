// Tables that lie elsewhere: questions go to a function of Python, which returns the texts of
// pieces.
#include <pybind11/stl.h>

#include "modicum/release/gather.h"
#include "python/bindings.h"

namespace modicum {
namespace {

namespace py = pybind11;
using namespace py::literals;

// Python objects may be touched, and let go of, with its lock only.
std::shared_ptr<const py::object> held(const py::object& object) {
  return {new py::object(object), [](const py::object* own) {
            const py::gil_scoped_acquire lock;
            delete own;
          }};
}

std::shared_ptr<RowsElsewhere> elsewhere(const py::object& ask, std::size_t pieces,
                                         bool persons_together) {
  GatheringChoice choice;
  choice.pieces = pieces;
  choice.persons_together = persons_together;
  choice.ask = [function = held(ask)](const std::string& questions) {
    const py::gil_scoped_acquire lock;
    std::vector<PieceText> texts;
    for (const auto& [source, text] :
         (*function)(questions).cast<std::vector<std::pair<std::string, std::string>>>())
      texts.push_back({source, text});
    return texts;
  };
  return gathered_table({}, std::move(choice));
}

}  // namespace

void bind_gathering(py::module_& module) {
  py::class_<RowsElsewhere, std::shared_ptr<RowsElsewhere>>(module, "Elsewhere",
                                                            "Rows that others read.");
  module.def("elsewhere", &elsewhere, "ask"_a, "pieces"_a, "persons_together"_a,
             "A table in pieces: `ask` answers questions with the name and the text of each.");
}

}  // namespace modicum
