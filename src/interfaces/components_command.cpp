// audit components: private principal components at finite size, simulated from eigenvalues.
#include <fmt/format.h>

#include <memory>

#include "interfaces/component_audit.h"
#include "interfaces/data_commands.h"
#include "interfaces/eigenvalue_file.h"
#include "release/read_file.h"
#include "interfaces/plot.h"
#include "modicum/mechanisms/gaussian.h"

namespace modicum {
namespace {

struct ComponentAuditRequest : PictureRequest {
  std::string eigenvalues, beta, mu, sampler = "gibbs", points = "99";
  NumberOptions numbers;
};

const Choices<ComponentSampler> samplers{{"gibbs", ComponentSampler::gibbs},
                                         {"gaussian", ComponentSampler::gaussian},
                                         {"deflation", ComponentSampler::deflation}};

std::size_t draw_count(double draws) {
  constexpr double most = 1e7;
  if (!(require_count("--draws", draws) >= 100.0 && draws <= most))
    throw InvalidParameter("--draws", draws, "must be a whole number from 100 to 10000000");
  return static_cast<std::size_t>(draws);
}

double beta_of(const ComponentAuditRequest& request, const ComponentSpectrum& spectrum) {
  const auto beta = optional_number("--beta", request.beta),
             mu = optional_number("--mu", request.mu);
  if (beta.has_value() == mu.has_value())
    throw UsageError(beta ? "--mu must not be given with --beta"
                          : "--beta is missing, but must be given, or --mu");
  return beta ? require_non_negative("--beta", *beta) : largest_beta(spectrum, *mu);
}

// 0: no curve.
std::size_t level_count(const ComponentAuditRequest& request) {
  return parse_number("--points", request.points) == 0.0 ? 0 : point_count(request.points);
}

// The ends say nothing.
std::vector<double> levels_of(std::size_t points) {
  std::vector<double> levels;
  for (std::size_t i = 1; i <= points; ++i)
    levels.push_back(static_cast<double>(i) / static_cast<double>(points + 1));
  return levels;
}

AuditedTradeoff audited_tradeoff(const ComponentAuditRequest& request,
                                 const ComponentSpectrum& spectrum, double beta, double mu,
                                 std::size_t draws, RandomSource& source) {
  const double confidence = request.numbers.at("--confidence");
  AuditedTradeoff result{
      confidence,
      worst_row_share(spectrum, beta),
      simulate_tradeoff(spectrum, beta, chosen("--sampler", request.sampler, samplers), draws,
                        levels_of(level_count(request)), confidence, source),
      {}};
  const PrivacyLoss limit = gaussian_differential_privacy(mu);
  for (const double level : result.simulated.type1)
    result.predicted.push_back(tradeoff(limit, level, Accuracy::fast).value.lower());
  return result;
}

// The Gaussian sampler serves only above H; below, a chain takes its place.
std::string used_sampler(const ComponentAuditRequest& request, const ComponentSpectrum& spectrum,
                         double beta) {
  const bool shows = beta > spectrum.transform();
  return request.sampler == "gaussian" && spectrum.components() > 1 && !shows ? "gibbs"
                                                                              : request.sampler;
}

ComponentAudit audited(const ComponentAuditRequest& request) {
  const ComponentSampler sampler = chosen("--sampler", request.sampler, samplers);
  const std::size_t draws = draw_count(request.numbers.at("--draws"));
  require_open_unit("--confidence", request.numbers.at("--confidence"));
  const std::size_t levels = level_count(request);
  const ComponentSpectrum spectrum(read_eigenvalues(request.eigenvalues),
                                   request.numbers.at("--rows"),
                                   request.numbers.at("--components"));
  const double beta = beta_of(request, spectrum);
  SecureSource source;
  const ProgressLine progress("simulating");
  ComponentAudit audit{spectrum,
                       beta,
                       used_sampler(request, spectrum, beta),
                       draws,
                       simulate_utility(spectrum, beta, sampler, draws, source),
                       {}};
  if (const auto mu = audit.mu(); mu && *mu > 0.0 && levels > 0)
    audit.tradeoff = audited_tradeoff(request, spectrum, beta, *mu, draws, source);
  return audit;
}

std::string answer(const ComponentAuditRequest& request) {
  if (!request.output.empty()) require_picture_place(request);
  const ComponentAudit audit = audited(request);
  const std::string text = request.flags.json ? json_line(in_json(audit)) : in_words(audit);
  if (request.output.empty()) return text;
  std::string svg = render_svg(tradeoff_chart(audit, request.title));
  if (request.output == "-") return svg;
  write_file(request.output, svg, FileAccess::owner_only);
  return request.flags.json ? text : text + fmt::format("{} written\n", request.output);
}

void add_what_is_drawn(CLI::App& command, ComponentAuditRequest& request) {
  command
      .add_option("--eigenvalues", request.eigenvalues,
                  "JSON list of all eigenvalues of the normalized covariance, largest first")
      ->type_name("FILE")
      ->required();
  request.numbers.add(command, "--rows", "number of rows, public");
  request.numbers.add(command, "--components", "number of components");
  command.add_option("--beta", request.beta, "of the exponential mechanism")->type_name("NUMBER");
  command.add_option("--mu", request.mu, "in place of --beta: the largest beta with this mu")
      ->type_name("NUMBER");
}

}  // namespace

void add_component_audit(CLI::App& audit, CommandResult& output) {
  CLI::App* command = add_command(
      audit, "components", "private principal components: predicted and simulated, side by side",
      "  modicum audit components --eigenvalues examples/eigenvalues.json --rows 2500 \\\n"
      "    --components 1 --mu 1 --output tradeoff.svg\n"
      "All of it is as confidential as the eigenvalues. A prediction outside the band is an\n"
      "answer: the exit code is 0.");
  const auto request = std::make_shared<ComponentAuditRequest>();
  add_what_is_drawn(*command, *request);
  request->numbers.add(*command, "--draws",
                       "simulated draws, and as many with the worst row; 30000 by default",
                       "30000");
  command
      ->add_option("--sampler", request->sampler,
                   "for several components: gibbs (the default), gaussian (much quicker), or\n"
                   "deflation, another law, the one with a proof")
      ->type_name("WORD");
  request->numbers.add(*command, "--confidence", "of the band around the curve, 0.95 by default",
                       "0.95");
  command
      ->add_option("--points", request->points,
                   "levels of the curve, 99 by default; 0: errors only, which is quicker")
      ->type_name("NUMBER");
  command
      ->add_option("--output", request->output,
                   "SVG file with the trade-off curves, - for standard output")
      ->type_name("PATH");
  command->add_option("--title", request->title, "title of the picture")->type_name("TEXT");
  command->add_flag("--json", request->flags.json, "print one JSON object");
  command->callback([&output, request] { output = answer(*request); });
}

}  // namespace modicum
