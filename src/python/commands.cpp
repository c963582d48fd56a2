// Every command of the program, without printing.
#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include <optional>
#include <tuple>
#include <vector>

#include "modicum/interfaces/command_line.h"
#include "modicum/release/number_table.h"
#include "python/bindings.h"

namespace modicum {
namespace {

namespace py = pybind11;
using namespace py::literals;

using Names = std::vector<std::string>;
using Numbers = std::tuple<Names, Names, Eigen::MatrixXd>;

std::tuple<std::string, std::optional<Numbers>> run(std::vector<std::string> arguments) {
  CommandResult result = run_command(std::move(arguments));
  std::optional<Numbers> numbers;
  if (result.released)
    numbers = {std::move(result.released->row_names), std::move(result.released->column_names),
               std::move(result.released->values)};
  return {std::move(result.text), std::move(numbers)};
}

py::bytes encoded(const Names& row_names, const Names& column_names, const Eigen::MatrixXd& values,
                  const std::string& path) {
  return encode(NumberTable{row_names, column_names, values}, format_of(path));
}

}  // namespace

void bind_commands(py::module_& module) {
  const py::call_guard<py::gil_scoped_release> others_may_run;
  module.def("run", &run, "arguments"_a, others_may_run,
             "What a command answers: its text, and the released rows, columns and values that are "
             "not in it.");
  module.def("encoded", &encoded, "row_names"_a, "column_names"_a, "values"_a, py::kw_only(),
             "path"_a, "What a file of this name has in it.");
  module.def(
      "main",
      [](std::vector<std::string> arguments) {
        return static_cast<int>(run_command_line(std::move(arguments)));
      },
      "arguments"_a, others_may_run, "Runs a command as the program does; its exit code.");
}

}  // namespace modicum
