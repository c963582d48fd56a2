#include <algorithm>
#include <vector>

#include "mechanisms/components/chain_statistics.h"
#include "modicum/mechanisms/component_sampler.h"
#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

struct Traces {
  std::vector<double> log_density, overlap;
};

Traces second_half(const ComponentLaw& law, ComponentChain& chain, int sweeps,
                   RandomSource& source) {
  Traces traces;
  for (int i = 0; i < sweeps; ++i) {
    chain.sweep(source);
    if (2 * i < sweeps) continue;
    traces.log_density.push_back(law.log_density(chain.frame()));
    traces.overlap.push_back(chain.frame().topRows(law.components()).squaredNorm());
  }
  return traces;
}

}  // namespace

ChainDiagnostics diagnose_chain(const ComponentLaw& law, int sweeps, RandomSource& source) {
  if (!(sweeps >= 20)) throw InvalidParameter("sweeps", sweeps, "must be at least 20");
  if (law.components() == law.dimension()) return {sweeps, 1.0, 1.0, 1.0};
  ComponentChain near(law, ChainStart::axes, source), far(law, ChainStart::uniform, source);
  const Traces a = second_half(law, near, sweeps, source);
  const Traces b = second_half(law, far, sweeps, source);
  return {sweeps,
          std::max(potential_scale(a.log_density, b.log_density),
                   potential_scale(a.overlap, b.overlap)),
          std::max({autocorrelation_time(a.log_density), autocorrelation_time(a.overlap),
                    autocorrelation_time(b.log_density), autocorrelation_time(b.overlap)}),
          0.5 * (near.acceptance() + far.acceptance())};
}

}  // namespace modicum
