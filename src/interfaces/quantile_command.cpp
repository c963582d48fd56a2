// quantile: how large noise gets, for those who must bound it.
#include <fmt/format.h>

#include <memory>

#include "interfaces/command.h"
#include "interfaces/json_output.h"
#include "interfaces/number_text.h"
#include "interfaces/wording.h"
#include "modicum/numerics/largest_eigenvalue.h"

namespace modicum {
namespace {

struct QuantileRequest {
  NumberOptions numbers;
  CommonFlags flags;
};

std::string answer(const QuantileRequest& request) {
  const double dimension = request.numbers.at("--dimension");
  const double upper_tail = request.numbers.at("--upper-tail");
  const Progress progress("searching");
  const Enclosure quantile = goe_largest_eigenvalue_quantile(dimension, upper_tail);
  if (request.flags.json)
    return json_line(
        {{"dimension", dimension}, {"upper_tail", upper_tail}, {"quantile", to_json(quantile)}});
  return fmt::format(
      "The largest eigenvalue of the symmetric Gaussian matrix (Z + Z^T)/sqrt 2 of {} rows, with\n"
      "variance 1 off the diagonal and 2 on it, exceeds {:.15g} with probability {}.\n"
      "Proved; the number is rounded.\n",
      dimension, quantile.upper(), upper_tail);
}

}  // namespace

void add_quantile_command(CLI::App& program, CommandResult& output) {
  CLI::App* quantile = add_command(program, "quantile", "how large matrices of noise get",
                                   "  modicum quantile goe --dimension 50 --upper-tail 1e-6");
  quantile->require_subcommand(1);
  CLI::App* command =
      add_command(*quantile, "goe", "the largest eigenvalue of a symmetric Gaussian matrix",
                  "  modicum quantile goe --dimension 50 --upper-tail 1e-6");
  const auto request = std::make_shared<QuantileRequest>();
  request->numbers.add(*command, "--dimension", "rows of the matrix, from 1 to 1000");
  request->numbers.add(*command, "--upper-tail",
                       "probability to be above, at least 1e-290 and below 1");
  add_proved_flags(*command, request->flags);
  command->callback([&output, request] { output = answer(*request); });
}

}  // namespace modicum
