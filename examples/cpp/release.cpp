// Private second moments of a table in a file, with their certificate.
#include <modicum/release/covariance_release.h>
#include <modicum/release/release_files.h>

#include <chrono>
#include <cstdio>

int main(int count, char** arguments) {
  using namespace modicum;
  if (count != 3) {
    std::fprintf(stderr, "usage: release TABLE.csv OUTPUT.csv\n");
    return 2;
  }
  try {
    // What is public: two columns, and the range of each.
    TableFiles files;
    files.paths = {arguments[1]};
    const Table table(files);
    const RowRule rule(table, {"age", "wage"}, {{"age", Range(18, 70)}, {"wage", Range(0, 60)}});
    const PublicRows rows(rule, rule.natural_norm_bound(), BadRows::dropped);
    const ReleaseFiles places(arguments[2]);

    // The noise is found, and proved to be enough, before any data are touched.
    const CovariancePlan plan = plan_covariance(PrivacyTarget(1.0, 1e-6), rows, {});
    std::printf("standard deviation off the diagonal: %.6g\n", plan.standard_deviation);

    const IntegerGram gram = accumulate_gram(table, rule, rows.row_norm_bound);
    SecureSource source;
    Released released = release_covariance(plan, gram, source);
    write_release(released, places, std::chrono::system_clock::now());
    return 0;
  } catch (const Error& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
