#include "auditing/black_box_law.h"

#include <algorithm>
#include <cmath>

namespace modicum {
namespace {

// Terms below this share of the largest are left out, and accounted for.
constexpr double negligible = 1e-22;
// Sums of at most 10^7 positive terms, each a product of at most 40 factors with relative errors
// below 10^4 units in the last place, are off by less than this.
constexpr double rounding = 1e-9;

// Terms outwards from the mode, whose ratios to the one before only fall: what is left out is at
// most a geometric series. Returns its bound.
template <class Ratio>
double extend(std::vector<double>& terms, std::size_t most, const Ratio& ratio) {
  double term = 1.0;
  for (std::size_t step = 0; step < most; ++step) {
    const double factor = ratio(step);
    if (term < negligible && factor < 0.5) return term * factor / (1.0 - factor);
    terms.push_back(term *= factor);
  }
  return 0.0;
}

}  // namespace

TruncatedBinomial truncated_binomial(std::size_t count, double success, double failure) {
  if (!(success >= 0.0 && failure >= 0.0)) return {0, {1.0}, 1.0};  // nothing is known
  if (success == 0.0) return {0, {1.0}, 0.0};
  if (failure == 0.0) return {count, {1.0}, 0.0};
  const auto n = static_cast<double>(count);
  const auto mode = static_cast<std::size_t>(std::clamp(std::floor((n + 1.0) * success), 0.0, n));
  std::vector<double> up, down;
  const double odds = success / failure;
  const double above = extend(up, count - mode, [&](std::size_t step) {
    const auto k = static_cast<double>(mode + step);
    return (n - k) / (k + 1.0) * odds;
  });
  const double below = extend(down, mode, [&](std::size_t step) {
    const auto k = static_cast<double>(mode - step);
    return k / (n - k + 1.0) / odds;
  });
  TruncatedBinomial law;
  law.first = mode - down.size();
  law.mass.assign(down.rbegin(), down.rend());
  law.mass.push_back(1.0);
  law.mass.insert(law.mass.end(), up.begin(), up.end());
  // Divided by the sum of the terms that were kept, which is below the sum of all.
  double sum = 0.0;
  for (const double term : law.mass) sum += term;
  for (double& term : law.mass) term /= sum;
  law.lost = (above + below) / sum;
  return law;
}

double RightGuesses::Tail::at(long long value) const {
  const auto start = static_cast<long long>(first);
  if (value <= start) return reached.front();
  const auto place = static_cast<std::size_t>(value - start);
  return place < reached.size() ? reached[place] : 0.0;
}

// The law of tail + weight * guesses.
RightGuesses::Tail RightGuesses::joined(const Tail& tail, const TruncatedBinomial& guesses,
                                        std::size_t weight) {
  Tail result;
  result.first = tail.first + weight * guesses.first;
  result.lost = tail.lost + guesses.lost;
  std::vector<double> mass(tail.mass.size() + weight * (guesses.mass.size() - 1), 0.0);
  for (std::size_t k = 0; k < guesses.mass.size(); ++k) {
    const double factor = guesses.mass[k];
    double* const target = mass.data() + weight * k;
    const double* const source = tail.mass.data();
    const std::size_t size = tail.mass.size();
    for (std::size_t i = 0; i < size; ++i) target[i] += factor * source[i];
  }
  // Both ends are cut where less than `negligible` lies beyond.
  std::size_t end = mass.size(), start = 0;
  double cut = 0.0;
  while (end > 1 && cut + mass[end - 1] < negligible) cut += mass[--end];
  result.lost += cut;
  cut = 0.0;
  while (start + 1 < end && cut + mass[start] < negligible) cut += mass[start++];
  result.lost += cut;
  result.first += start;
  result.mass.assign(mass.begin() + static_cast<std::ptrdiff_t>(start),
                     mass.begin() + static_cast<std::ptrdiff_t>(end));
  result.reached = result.mass;
  for (std::size_t i = result.reached.size() - 1; i > 0; --i)
    result.reached[i - 1] += result.reached[i];
  return result;
}

RightGuesses::RightGuesses(const std::vector<WeightClass>& classes, double epsilon,
                           std::size_t score)
    : classes_(classes),
      success_(1.0 / (1.0 + std::exp(-epsilon))),
      failure_(1.0 / (1.0 + std::exp(epsilon))),
      score_(score),
      suffixes_(classes.size() + 1) {
  suffixes_.back() = {0, {1.0}, {1.0}, 0.0};
  for (std::size_t c = classes.size(); c-- > 0;)
    suffixes_[c] =
        joined(suffixes_[c + 1], truncated_binomial(classes_[c].count, success_, failure_),
               classes_[c].weight);
}

// P[T_j >= score]: whole classes are given away, then a part of one; the rest is guessed.
double RightGuesses::reaches(std::size_t given_away) const {
  auto missing = static_cast<long long>(score_);
  for (std::size_t c = 0; c < classes_.size(); ++c) {
    const auto [weight, count] = classes_[c];
    if (given_away >= count) {
      given_away -= count;
      missing -= static_cast<long long>(weight * count);
      continue;
    }
    missing -= static_cast<long long>(weight * given_away);
    if (missing <= 0) return 1.0;
    const TruncatedBinomial law = truncated_binomial(count - given_away, success_, failure_);
    double sum = law.lost + suffixes_[c + 1].lost;
    for (std::size_t k = 0; k < law.mass.size(); ++k)
      sum += law.mass[k] *
             suffixes_[c + 1].at(missing - static_cast<long long>(weight * (law.first + k)));
    return sum;
  }
  return missing <= 0 ? 1.0 : 0.0;
}

double RightGuesses::p_value(std::size_t trials, double delta) {
  const TruncatedBinomial given_away = truncated_binomial(trials, delta, 1.0 - delta);
  // T_j grows with j: within a step all count as its last. Steps are far below the spread of J.
  std::size_t step = 1;
  while (given_away.mass.size() / step > 512) step *= 2;
  double sum = given_away.lost, reached = 0.0;
  for (std::size_t i = 0; i < given_away.mass.size(); ++i) {
    if (reached < 1.0) {  // certain once, certain for more
      const std::size_t last = (given_away.first + i) / step * step + step - 1;
      const auto [place, is_new] = reached_.try_emplace(last, 1.0);
      if (is_new) place->second = reaches(last);
      reached = place->second;
    }
    sum += given_away.mass[i] * reached;
  }
  const double value = sum * (1.0 + rounding);
  return value >= 0.0 && value <= 1.0 ? value : 1.0;
}

}  // namespace modicum
