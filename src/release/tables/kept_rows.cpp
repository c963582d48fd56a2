#include "release/tables/kept_rows.h"

#include "data/kept_blocks.h"

namespace modicum {
namespace {

using Entries = Eigen::Matrix<std::int32_t, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

// Entries are whole numbers of at most 2^20 (IntegerClip).
struct KeptBlock {
  Entries features;
  Eigen::VectorXd labels;
  double clipped;

  double bytes() const {
    return 4.0 * static_cast<double>(features.size()) + 8.0 * static_cast<double>(labels.size());
  }
};

using Kept = data::KeptBlocks<KeptBlock>;

void read_and_keep(Kept& kept, const PassOverRows& pass, const LabeledWork& work) {
  kept.begin();
  pass([&](const LabeledBlock& block) -> std::function<void()> {
    auto own = std::make_shared<const KeptBlock>(
        KeptBlock{block.features.cast<std::int32_t>(), block.labels, block.clipped});
    return [&kept, own, finish = work(block)] {
      kept.add(own, own->bytes());
      if (finish) finish();
    };
  });
  kept.end();
}

}  // namespace

PassOverRows kept_rows(PassOverRows pass, unsigned threads, double most_bytes) {
  if (pass.lie_elsewhere()) return pass;
  auto kept = std::make_shared<Kept>(most_bytes);
  return [kept, pass = std::move(pass), threads](const LabeledWork& work) {
    if (kept->are_wanted()) return read_and_keep(*kept, pass, work);
    if (!kept->are_there()) return pass(work);
    kept->pass(threads, [&](const KeptBlock& block) {
      return work(LabeledBlock{block.features.cast<double>(), block.labels, block.clipped});
    });
  };
}

}  // namespace modicum
