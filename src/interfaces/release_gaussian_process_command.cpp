// release gaussian-process: predictions at public points.
#include <fmt/format.h>

#include <filesystem>
#include <memory>

#include "interfaces/gaussian_process_options.h"
#include "data/number_text.h"
#include "interfaces/release_source.h"

namespace modicum {
namespace {

// Queries are public: rows of the data are not.
ReleaseFiles places_beside(const ReleaseOptions& options, const std::string& queries) {
  options.refuse_data_file("--queries", queries);
  ReleaseFiles places = options.places();
  std::error_code none;
  for (const std::string& written : {places.output(), places.certificate()})
    if (std::filesystem::equivalent(queries, written, none))
      throw InvalidParameter("--queries", in_quotes(queries), "must not be written to");
  return places;
}

CommandResult answer(const ReleaseOptions& options) {
  const PrivacyTarget target = options.target();
  const ReleaseFiles places = places_beside(options, options.word("--queries"));
  const GaussianProcessInput from(options);
  const GaussianProcessPlan plan =
      planned([&] { return plan_gaussian_process(target, from.rows, from.points, from.request); });
  SecureSource source;
  ProgressLine progress("reading");
  GaussianProcessData data =
      read_gaussian_process(plan, from.table, from.rule, options.read_options(progress));
  const GaussianProcessFit fit = [&] {
    const ProgressLine fitting("fitting");
    return GaussianProcessFit(plan, std::move(data));
  }();
  Released released = release_gaussian_process(plan, fit, source);
  return options.finish(released, places,
                        fmt::format("a draw of {} at {} points from a Gaussian process",
                                    options.word("--target"), from.points.rows()),
                        [&] { return diagnose_gaussian_process(released, plan, fit); });
}

}  // namespace

void add_release_gaussian_process_command(CLI::App& release, CommandResult& output) {
  CLI::App* command = add_command(
      release, "gaussian-process", "predictions of a Gaussian process at public points",
      "  modicum release gaussian-process examples/wages.csv --target wage --select schooling \\\n"
      "    --queries examples/schooling.csv --range schooling=0:20 --range wage=0:60 \\\n"
      "    --noise-variance 30 --largest-rows 1000 --epsilon 1 --delta 1e-6 --output curve.csv");
  const auto options = std::make_shared<ReleaseOptions>();
  options->add_data_to(*command);
  options->add_output_to(*command);
  options->add_target_to(*command);
  options->add_columns_to(*command);
  add_gaussian_process_options(*command, *options);
  command->callback([&output, options] { output = answer(*options); });
}

}  // namespace modicum
