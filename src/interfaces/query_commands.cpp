// profile, epsilon, tradeoff, renyi: what a description says at given points.
#include <fmt/format.h>

#include <functional>
#include <memory>

#include "interfaces/command.h"
#include "interfaces/json_output.h"
#include "interfaces/number_text.h"
#include "interfaces/wording.h"

namespace modicum {
namespace {

// An answer at one point, in each of the forms in which it may be wanted.
struct Point {
  Json json;
  std::vector<std::string> row;
  std::vector<Enclosure> values;
  Proof proof;
};

struct Query {
  std::string command, option, what, option_help, example;
  std::vector<std::string> heading;
  std::string sentence;  // what the table says
  std::function<Point(const PrivacyLoss&, double, Accuracy)> ask;
  std::function<double(const std::string&)> number;
};

struct Request {
  FileAndNumbers arguments;
  CommonFlags flags;
};

std::string for_people(const Query& query, const Description& description,
                       const std::vector<Point>& points) {
  std::vector<std::vector<std::string>> rows{query.heading};
  std::vector<Enclosure> values;
  Proof proof = Proof::certified;
  for (const Point& point : points) {
    rows.push_back(point.row);
    values.insert(values.end(), point.values.begin(), point.values.end());
    proof = weaker_of(proof, point.proof);
  }
  return fmt::format("{}\n\n{}\n{}{}{}", description.label, table(rows), query.sentence,
                     singularity_sentence(description.loss), proof_sentence(proof, values));
}

std::string answer(const Query& query, Request& request) {
  request.arguments.settle();
  std::vector<double> places;
  places.reserve(request.arguments.numbers.size());
  for (const std::string& text : request.arguments.numbers) places.push_back(query.number(text));
  Progress progress(query.command);
  const Description description = load_description(request.arguments.file, request.flags);
  std::vector<Point> points;
  for (const double place : places) {
    progress.report(points.size(), places.size());
    points.push_back(query.ask(description.loss, place, request.flags.accuracy()));
  }
  if (!request.flags.json) return for_people(query, description, points);
  std::vector<Json> objects;
  objects.reserve(points.size());
  for (Point& point : points) objects.push_back(std::move(point.json));
  return json_line(one_or_several(std::move(objects)));
}

void add_query(CLI::App& program, CommandResult& output, Query query) {
  CLI::App* command = add_command(program, query.command, query.what, query.example);
  const auto request = std::make_shared<Request>();
  command
      ->add_option("FILE", request->arguments.file,
                   "mechanism description in JSON, - for standard input")
      ->type_name("");
  command->add_option(query.option, request->arguments.numbers, query.option_help)
      ->type_name("NUMBER")
      ->required();
  add_common_flags(*command, request->flags);
  command->callback(
      [&output, request, query = std::move(query)] { output = answer(query, *request); });
}

std::string written(double value) { return fmt::format("{}", value); }

Point profile_point(const PrivacyLoss& loss, double epsilon, Accuracy accuracy) {
  const ProfilePoint point = profile(loss, epsilon, accuracy);
  return {
      profile_json(point),
      {written(epsilon), at_most(point.delta()), at_most(point.forward), at_most(point.reverse)},
      {point.forward, point.reverse},
      point.proof};
}

Point epsilon_point(const PrivacyLoss& loss, double delta, Accuracy accuracy) {
  const Answer epsilon = epsilon_at(loss, delta, accuracy);
  return {epsilon_json(delta, epsilon),
          {written(delta), at_most(epsilon.value)},
          {epsilon.value},
          epsilon.proof};
}

Point tradeoff_point(const PrivacyLoss& loss, double type1, Accuracy accuracy) {
  const Answer type2 = tradeoff(loss, type1, accuracy);
  return {tradeoff_json(type1, type2),
          {written(type1), at_least(type2.value)},
          {type2.value},
          type2.proof};
}

Point renyi_point(const PrivacyLoss& loss, double order, Accuracy accuracy) {
  const Answer divergence = renyi_divergence(loss, order, accuracy);
  return {renyi_json(order, divergence),
          {written(order), at_most(divergence.value)},
          {divergence.value},
          divergence.proof};
}

double parse_order(const std::string& text) {
  if (text == "inf" || text == "infinity") return std::numeric_limits<double>::infinity();
  return parse_number("--order", text);
}

std::function<double(const std::string&)> finite_number(std::string option) {
  return
      [option = std::move(option)](const std::string& text) { return parse_number(option, text); };
}

}  // namespace

void add_query_commands(CLI::App& program, CommandResult& output) {
  add_query(
      program, output,
      {"profile",
       "--epsilon",
       "delta at given epsilon, in both directions",
       "privacy loss bound, any real number; several allowed",
       "  echo '{\"mechanism\": \"gaussian\", \"standard_deviation\": 50, \"sensitivity\": 1, "
       "\"count\": 1000}' |\n    modicum profile - --epsilon 1 3",
       {"epsilon", "delta at most", "forward", "reverse"},
       "(epsilon, delta) differential privacy holds in each row. Forward: with the record "
       "against without it.\n",
       profile_point,
       finite_number("--epsilon")});
  add_query(program, output,
            {"epsilon",
             "--delta",
             "smallest epsilon for given delta",
             "from 0 to 1; 0 asks for the largest possible loss; several allowed",
             "  modicum epsilon mechanism.json --delta 1e-6",
             {"delta", "epsilon at most"},
             "(epsilon, delta) differential privacy holds in each row.\n",
             epsilon_point,
             finite_number("--delta")});
  add_query(program, output,
            {"tradeoff",
             "--type1",
             "least type II error of a test for the record",
             "type I error of the test, from 0 to 1; several allowed",
             "  modicum tradeoff mechanism.json --type1 0.01 0.05",
             {"type I error", "type II error at least"},
             "Whoever tests for the record and errs so often in one way errs this often in the "
             "other.\n",
             tradeoff_point,
             finite_number("--type1")});
  add_query(program, output,
            {"renyi",
             "--order",
             "Renyi divergence, the larger of both directions",
             "positive; 1 is Kullback-Leibler, inf the largest loss; several allowed",
             "  modicum renyi mechanism.json --order 2 8 32",
             {"order", "divergence at most"},
             "Renyi differential privacy (order, divergence) holds in each row.\n",
             renyi_point,
             parse_order});
}

}  // namespace modicum
