#include "interfaces/release/output.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "data/cells/number_text.h"
#include "interfaces/wording.h"
#include "modicum/data/gathered.h"
#include "modicum/release/classical_comparison.h"
#include "release/certificates/certificate_json.h"

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
  std::ranges::replace(name, '_', ' ');
  return name;
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

using Rows = std::vector<std::vector<std::string>>;

// All numbers, with the names of their rows and columns; in full where a checksum speaks of them.
Rows shown(const Released& released, bool in_full) {
  Rows rows{{""}};
  for (const std::string& name : released.column_names) rows.front().push_back(one_line(name, 40));
  for (Eigen::Index i = 0; i < released.values.rows(); ++i) {
    rows.push_back({one_line(released.row_names[static_cast<std::size_t>(i)], 40)});
    for (const double value : released.values.row(i))
      rows.back().push_back(std::isnan(value) ? "-"
                            : in_full         ? fmt::format("{}", value)
                                              : fmt::format("{:.7g}", value));
  }
  return rows;
}

// For whoever does not get the answer.
std::string spent_words(const ReleaseFiles& places) {
  if (!places.shown())
    return fmt::format(
        "released all the same, to {} with the certificate {}: its privacy budget is "
        "spent, so use these files",
        in_quotes(places.output()), in_quotes(places.certificate()));
  return fmt::format("some of the release may have been seen, so its privacy budget is spent{}",
                     places.certificate().empty()
                         ? ""
                         : fmt::format(" (certificate: {})", in_quotes(places.certificate())));
}

Rows promise(const Certificate& certificate) {
  Rows rows{{"mechanism", spaced(certificate.mechanism)}};
  for (const Parameter& parameter : certificate.parameters)
    rows.push_back({spaced(parameter.name), value_in_words(parameter.value)});
  rows.push_back({fmt::format("delta at epsilon {}", certificate.target.epsilon),
                  at_most(certificate.achieved.delta()) +
                      (certificate.attained.value_or(false) ? " (attained)" : " (a bound)")});
  rows.push_back({"guarantee",
                  to_string(certificate.guarantee) +
                      std::string(sampler_words(certificate.arithmetic == Exactness::mitigated))});
  if (certificate.arithmetic) rows.push_back({"arithmetic", to_string(*certificate.arithmetic)});
  rows.push_back({"neighbors", certificate.adjacency});
  if (certificate.bad_rows) rows.push_back({"malformed rows", to_string(*certificate.bad_rows)});
  return rows;
}

void add_table(Reply& reply, const Rows& rows) {
  if (rows.empty()) return;
  ReplyTable table(rows.front());
  for (std::size_t i = 1; i < rows.size(); ++i) table.add({}, rows[i]);
  reply.add("", table);
}

// Nothing where there is nothing to compare with.
void compare_with_classical(Reply& reply, const Certificate& certificate) {
  const std::optional<double> ratio = classical_noise_ratio(certificate);
  if (!ratio) return;
  const bool matrix = certificate.find("diagonal_standard_deviation") != nullptr;
  reply.tell("classical_noise_ratio", *ratio);
  reply.say(fmt::format(
      "The classical Gaussian mechanism would have needed {:.2f} times this noise (standard "
      "deviation{}).\n",
      *ratio, matrix ? ", off the diagonal" : ""));
}

}  // namespace

void tell_promise(Reply& reply, const Certificate& certificate) {
  add_table(reply, promise(certificate));
  reply.say(proof_with_assumptions(certificate));
  compare_with_classical(reply, certificate);
}

namespace {

Reply told(const Certificate& certificate, const ReleaseFiles& places, const Rows& place,
           const std::string& what, const Diagnostics& diagnostics, bool confidential) {
  Reply reply;
  reply.spent = spent_words(places);
  reply.say(fmt::format("Released ({}, {})-differentially private{}: {}\n",
                        certificate.target.epsilon, certificate.target.delta,
                        qualification(certificate.guarantee), one_line(what, longest)));
  reply.tell("output", places.output());
  if (!places.certificate().empty()) reply.tell("certificate_file", places.certificate());
  reply.tell("certificate", to_json(certificate));
  add_table(reply, place);
  tell_promise(reply, certificate);
  if (!confidential) return reply;
  reply.say(std::string("\n") + confidential_heading);
  Value numbers = Value::record();
  for (const Diagnostic& each : diagnostics) {
    numbers[each.name] = each.value;
    reply.show({spaced(each.name), fmt::format("{:.7g}", each.value)});
  }
  return reply.tell("confidential", std::move(numbers));
}

}  // namespace

void ConfidentialField::fields(Fields& fields) {
  fields.add("confidential", confidential,
             "print diagnostics that are not private, for the holder of the data only");
}

void ConfidentialField::required_field(Fields& fields) {
  fields.add("confidential", confidential,
             "required: what is printed is not private, for the holder of the data only");
}

void ConfidentialField::require(const std::string& because) const {
  if (!confidential)
    throw UsageError(fmt::format("`confidential` is missing, but must be given: {}", because));
}

void OutputPlace::fields(Fields& fields) {
  fields.add("output", output, "where to write it: .csv, .npy or .json; - to show it")
      .shown_as("PATH")
      .required();
  fields
      .add("certificate", certificate,
           "where to write its certificate, OUTPUT.certificate.json by default")
      .shown_as("PATH");
  add_replace_field(fields, replace);
  payer.fields(fields);
}

void add_replace_field(Fields& fields, bool& replace) {
  fields.add("replace", replace,
             "replace an earlier release; its certificate is kept under a numbered name");
}

OldFiles old_files(bool replace, bool written) {
  if (replace && !written)
    throw UsageError("`replace` must not be given where nothing is written to a file");
  return replace ? OldFiles::first_kept : OldFiles::refused;
}

ReleaseFiles OutputPlace::files() const {
  payer.check();
  return ReleaseFiles(output, certificate,
                      old_files(replace, output != "-" || !certificate.empty()));
}

ReleaseFiles OutputPlace::files(const TableSource& source) const {
  source.refuse_overwriting("output", output);
  source.refuse_overwriting("certificate", certificate);
  ReleaseFiles places = files();
  source.refuse_overwriting("certificate", places.certificate());
  return places;
}

namespace {

// What a release from pieces of a table assumes.
void assume_pieces(Certificate& certificate, const TableSource& source) {
  for (std::string& each : source.assumptions()) certificate.assumptions.push_back(std::move(each));
}

// Pieces that answer other questions than the release asks, or one of its passes alone, are found
// before they are paid for: by runs with numbers that are made up, as if there were many rows, or
// hardly any. What these run into else is about the numbers.
void require_answers(const Planned& planned, RowsElsewhere& pieces, Progress& progress) {
  const std::shared_ptr<RowsElsewhere> afterwards(&pieces, [](auto* own) { own->answer_with({}); });
  for (const Integer128 made_up : {Integer128(1) << 40, Integer128(1)}) {
    if (!pieces.answer_with(made_up)) return;
    SecureSource random;
    try {
      planned.draw(random, progress);
    } catch (const UsageError&) {
      throw;
    } catch (const Error&) {
    }
  }
}

}  // namespace

Reply carried_out(Planned planned, const TableSource& source, const ReleaseFiles& places,
                  const PaymentTerms& terms, bool confidential, Progress& progress) {
  if (source.is_gathered() && terms.payer.pays())
    require_answers(planned, *source.pieces(), progress);
  Payment payment(terms, to_json(planned.certificate));
  Reply reply;
  std::optional<Outcome> outcome;
  payment.around([&] {
    SecureSource random;
    outcome = planned.draw(random, progress);
    Released& released = outcome->released;
    assume_pieces(released.certificate, source);
    const Diagnostics diagnostics =
        confidential ? outcome->diagnose(released, progress) : Diagnostics{};
    const std::string object = complete(released, places, std::chrono::system_clock::now());
    const Certificate& certificate = released.certificate;
    reply = places.shown()
                ? told(certificate, places, shown(released, !places.certificate().empty()),
                       outcome->what, diagnostics, confidential)
                : told(certificate, places, outcome->what, diagnostics, confidential);
    // The files come last: what may fail must fail with nothing released.
    return GivenOut{to_json(certificate), sha256(certificate_text(certificate)),
                    certificate.output ? certificate.output->sha256 : "",
                    [&outcome, &places, object] {
                      write_completed(outcome->released.certificate, object, places);
                    }};
  });
  payment.tell(reply);
  (places.shown() ? reply.released : reply.written) = std::move(outcome->released);
  for (const std::string& warning : outcome->warnings)
    reply.say(in_style(warning, NameStyle::option) + "\n");
  if (!outcome->warnings.empty()) reply.tell("warnings", outcome->warnings);
  return reply;
}

Reply told(const Certificate& certificate, const ReleaseFiles& places, const std::string& what,
           const Diagnostics& diagnostics, bool confidential) {
  Rows place;
  if (!places.shown())
    place = {{"written to", places.output()}, {"certificate", places.certificate()}};
  return told(certificate, places, place, what, diagnostics, confidential);
}

}  // namespace modicum
