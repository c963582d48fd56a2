#include "release/tables/kept_rows.h"

#include <vector>

#include "data/ordered_work.h"

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

struct KeptBlocks {
  std::vector<std::shared_ptr<const KeptBlock>> blocks;
  double bytes = 0.0;
  enum class State { unread, complete, too_large } state = State::unread;

  void add(std::shared_ptr<const KeptBlock> block, double most_bytes) {
    if (state == State::too_large) return;
    bytes += block->bytes();
    if (bytes <= most_bytes) {
      blocks.push_back(std::move(block));
      return;
    }
    state = State::too_large;
    blocks.clear();
    blocks.shrink_to_fit();
  }
};

void read_and_keep(KeptBlocks& kept, const PassOverRows& pass, double most_bytes,
                   const LabeledWork& work) {
  kept.blocks.clear();
  kept.bytes = 0.0;
  pass([&](const LabeledBlock& block) -> std::function<void()> {
    auto own = std::make_shared<const KeptBlock>(
        KeptBlock{block.features.cast<std::int32_t>(), block.labels, block.clipped});
    return [&kept, own, most_bytes, finish = work(block)] {
      kept.add(own, most_bytes);
      if (finish) finish();
    };
  });
  if (kept.state == KeptBlocks::State::unread) kept.state = KeptBlocks::State::complete;
}

void pass_again(const KeptBlocks& kept, unsigned threads, const LabeledWork& work) {
  std::size_t place = 0;
  data::run_in_order(threads, [&]() -> data::Task {
    if (place == kept.blocks.size()) return {};
    return [&work, block = kept.blocks[place++]] {
      return work(LabeledBlock{block->features.cast<double>(), block->labels, block->clipped});
    };
  });
}

}  // namespace

PassOverRows kept_rows(PassOverRows pass, unsigned threads, double most_bytes) {
  if (pass.lie_elsewhere()) return pass;
  auto kept = std::make_shared<KeptBlocks>();
  return [kept, pass = std::move(pass), threads, most_bytes](const LabeledWork& work) {
    switch (kept->state) {
      case KeptBlocks::State::complete:
        return pass_again(*kept, threads, work);
      case KeptBlocks::State::unread:
        return read_and_keep(*kept, pass, most_bytes, work);
      case KeptBlocks::State::too_large:
        break;
    }
    pass(work);
  };
}

}  // namespace modicum
