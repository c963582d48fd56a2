// How a release ends: written, then told about.
#include <fmt/format.h>

#include <chrono>

#include "interfaces/calibrate/noise_certificate.h"
#include "data/number_text.h"
#include "interfaces/release_options.h"
#include "interfaces/wording.h"
#include "modicum/release/classical_comparison.h"

namespace modicum {
namespace {

constexpr std::size_t longest = 1000;

// Names come from the files: nothing in them may steer a terminal.
std::string value_in_words(const ParameterValue& value) {
  struct Words {
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(const std::string& text) const { return one_line(text, longest); }
    std::string operator()(const std::vector<double>& list) const {
      return fmt::format("{}", fmt::join(list, ", "));
    }
    std::string operator()(const std::vector<std::string>& list) const {
      return one_line(fmt::format("{}", fmt::join(list, ", ")), longest);
    }
  };
  return std::visit(Words{}, value);
}

std::string spaced(std::string name) {
  for (char& c : name)
    if (c == '_') c = ' ';
  return name;
}

using Rows = std::vector<std::vector<std::string>>;

std::string promise(const Certificate& certificate) {
  Rows rows{{"mechanism", spaced(certificate.mechanism)}};
  for (const Parameter& parameter : certificate.parameters)
    rows.push_back({spaced(parameter.name), value_in_words(parameter.value)});
  rows.push_back({fmt::format("delta at epsilon {}", certificate.target.epsilon),
                  at_most(certificate.achieved.delta()) +
                      (certificate.attained.value_or(false) ? " (attained)" : " (a bound)")});
  rows.push_back({"guarantee", to_string(certificate.guarantee)});
  if (certificate.arithmetic) rows.push_back({"arithmetic", to_string(*certificate.arithmetic)});
  rows.push_back({"neighbors", certificate.adjacency});
  if (certificate.bad_rows) rows.push_back({"malformed rows", to_string(*certificate.bad_rows)});
  return table(rows);
}

std::string confidential_words(const Diagnostics& diagnostics) {
  Rows rows;
  for (const Diagnostic& each : diagnostics)
    rows.push_back({spaced(each.name), fmt::format("{:.7g}", each.value)});
  return "\nConfidential: these numbers are not private, and for the holder of the data only.\n\n" +
         table(rows);
}

// What a reader of the first line alone must know.
const char* qualification(Guarantee guarantee) {
  switch (guarantee) {
    case Guarantee::asymptotic:
      return " in a limit only";
    case Guarantee::relative:
      return " relative to a declared set only";
    case Guarantee::per_instance:
      return " for one data set only";
    case Guarantee::proved:
      break;
  }
  return "";
}

std::string where_it_is(const ReleaseFiles& places) {
  return modicum::table({{"written to", places.output()}, {"certificate", places.certificate()}});
}

// All numbers, with the names of their rows and columns.
std::string shown(const Released& released) {
  Rows rows{{""}};
  for (const std::string& name : released.column_names) rows.front().push_back(one_line(name, 40));
  for (Eigen::Index i = 0; i < released.values.rows(); ++i) {
    rows.push_back({one_line(released.row_names[static_cast<std::size_t>(i)], 40)});
    for (const double value : released.values.row(i))
      rows.back().push_back(fmt::format("{:.7g}", value));
  }
  return modicum::table(rows);
}

// Nothing where there is nothing to compare with.
std::string classical_words(const Certificate& certificate) {
  const std::optional<double> ratio = classical_noise_ratio(certificate);
  if (!ratio) return "";
  const bool matrix = certificate.find("diagonal_standard_deviation") != nullptr;
  return fmt::format(
      "The classical Gaussian mechanism would have needed {:.2f} times this noise (standard "
      "deviation{}).\n",
      *ratio, matrix ? ", off the diagonal" : "");
}

}  // namespace

std::string ReleaseOptions::in_words(const Certificate& certificate, const std::string& place,
                                     const std::string& what,
                                     const Diagnostics& diagnostics) const {
  return fmt::format(
      "Released ({}, {})-differentially private{}: {}\n\n{}\n{}\n{}{}{}",
      certificate.target.epsilon, certificate.target.delta, qualification(certificate.guarantee),
      one_line(what, longest), place, promise(certificate), proof_with_assumptions(certificate),
      classical_words(certificate), confidential_ ? confidential_words(diagnostics) : "");
}

Value ReleaseOptions::in_json(const Certificate& certificate, const ReleaseFiles& places,
                             const Diagnostics& diagnostics) const {
  Value result{{"output", places.output()}};
  if (!places.certificate().empty()) result["certificate_file"] = places.certificate();
  result["certificate"] = to_json(certificate);
  if (const std::optional<double> ratio = classical_noise_ratio(certificate))
    result["classical_noise_ratio"] = *ratio;
  if (confidential_) {
    Value numbers = Value::record();
    for (const Diagnostic& each : diagnostics) numbers[each.name] = each.value;
    result["confidential"] = std::move(numbers);
  }
  return result;
}

CommandResult ReleaseOptions::finish(Released& released, const ReleaseFiles& places,
                                     const std::string& what,
                                     const std::function<Diagnostics()>& diagnose) const {
  // Before anything is written: what may fail must fail with nothing released.
  const Diagnostics diagnostics = confidential_ ? diagnose() : Diagnostics{};
  write_release(released, places, std::chrono::system_clock::now());
  if (!places.shown()) return told(released.certificate, places, what, diagnostics);
  if (!json_) return in_words(released.certificate, shown(released), what, diagnostics);
  CommandResult result = json_line(in_json(released.certificate, places, diagnostics));
  result.released = std::move(released);
  return result;
}

std::string ReleaseOptions::told(const Certificate& certificate, const ReleaseFiles& places,
                                 const std::string& what, const Diagnostics& diagnostics) const {
  if (!json_) return in_words(certificate, where_it_is(places), what, diagnostics);
  return json_line(in_json(certificate, places, diagnostics));
}

}  // namespace modicum
