// Small dense pairs of Gaussians: regular, singular, asymmetric and broken ones.
#include "checks.h"
#include "modicum/privacy/gaussian_pair.h"
#include "modicum/privacy/privacy_loss.h"

namespace modicum::fuzz {
namespace {

std::string text_of(const Eigen::MatrixXd& matrix) {
  std::string text;
  for (long i = 0; i < matrix.rows(); ++i)
    for (long j = 0; j < matrix.cols(); ++j)
      text += fmt::format("{}{}", i + j == 0 ? "" : j == 0 ? "; " : ", ", matrix(i, j));
  return text;
}

Eigen::MatrixXd read_matrix(Input& input, long rows, long columns) {
  Eigen::MatrixXd matrix(rows, columns);
  // Few different numbers make few different ranks: small integers, as a rule.
  const bool integers = input.one_in(2);
  for (long i = 0; i < rows; ++i)
    for (long j = 0; j < columns; ++j)
      matrix(i, j) = integers ? static_cast<double>(input.below(7)) - 3.0 : input.number();
  return matrix;
}

enum class Kind { gram, diagonal, any, same_as_first };

Eigen::MatrixXd read_covariance(Input& input, long dimension, const Eigen::MatrixXd* first) {
  Eigen::MatrixXd covariance;
  switch (static_cast<Kind>(input.below(first == nullptr ? 3 : 4))) {
    case Kind::gram: {
      const Eigen::MatrixXd factor = read_matrix(input, dimension, 1 + input.below(5));
      covariance = factor * factor.transpose();
      break;
    }
    case Kind::diagonal: {
      covariance = Eigen::MatrixXd::Zero(dimension, dimension);
      for (long i = 0; i < dimension; ++i) covariance(i, i) = input.positive();
      break;
    }
    case Kind::any:
      return read_matrix(input, dimension, dimension);
    case Kind::same_as_first: {
      const Eigen::VectorXd step = read_matrix(input, dimension, 1);
      covariance = *first + step * step.transpose();
      break;
    }
  }
  if (input.one_in(4)) covariance.diagonal().array() += std::abs(input.number());
  if (input.one_in(8)) covariance(0, dimension - 1) += input.number();
  return covariance;
}

void check_pair(Record& record, Input& input, const GaussianDistribution& x,
                const GaussianDistribution& y, const Questions& questions) {
  std::optional<GaussianSpectrum> estimated, certified;
  const bool first = succeeds(record, "reduce_pair, estimated",
                              [&] { estimated = reduce_pair(x, y, Accuracy::fast); });
  const bool second = succeeds(record, "reduce_pair, certified",
                               [&] { certified = reduce_pair(x, y, Accuracy::certified); });
  if (!first || !second) return;
  record.require(estimated.has_value() == certified.has_value(),
                 "singular by one reduction only: estimated {}, certified {}",
                 !estimated.has_value(), !certified.has_value());
  if (!certified) return;
  PrivacyLoss rough, exact;
  if (!succeeds(record, "a loss", [&] {
        rough = PrivacyLoss::gaussian(*estimated);
        exact = PrivacyLoss::gaussian(*certified);
      }))
    return;
  const auto from_rough = ask_profile(record, rough, questions.epsilon, Accuracy::fast);
  const auto from_exact = ask_profile(record, exact, questions.epsilon, Accuracy::fast);
  if (from_rough && from_exact) {
    require_overlap(record, "forward delta by both reductions", from_rough->forward,
                    from_exact->forward);
    require_overlap(record, "reverse delta by both reductions", from_rough->reverse,
                    from_exact->reverse);
  }
  check_loss(record, input.one_in(2) ? rough : exact, questions);
}

void run(Input& input) {
  Record record;
  const Questions questions = Questions::read(input, record);
  const long dimension = 1 + input.below(5);
  GaussianDistribution x, y;
  x.covariance = read_covariance(input, dimension, nullptr);
  y.covariance = read_covariance(input, dimension, &x.covariance);
  // As often as not a wrong size, or a difference within the range of the covariance.
  x.mean = read_matrix(input, input.one_in(16) ? 1 + input.below(5) : dimension, 1);
  y.mean = input.one_in(2) ? Eigen::VectorXd(read_matrix(input, dimension, 1)) : x.mean;
  if (input.one_in(4) && x.mean.size() == dimension) y.mean = x.mean + y.covariance.col(0);
  record.note("mean1 {}\ncovariance1 {}\nmean2 {}\ncovariance2 {}", text_of(x.mean),
              text_of(x.covariance), text_of(y.mean), text_of(y.covariance));
  check_pair(record, input, x, y, questions);
}

}  // namespace
}  // namespace modicum::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  modicum::fuzz::Input input(data, size);
  modicum::fuzz::run(input);
  return 0;
}
