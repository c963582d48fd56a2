#include "interfaces/plot/plot.h"

namespace modicum {

std::vector<JobKind> plot_jobs() {
  return joined({{{"plot", "pictures of curves, releases and budgets, as SVG",
                   "  modicum plot profile first.json second.json --output profile.svg"}},
                 curve_plots(),
                 noise_plots(),
                 leverage_plots(),
                 claim_plots(),
                 component_plots(),
                 projection_plots(),
                 release_plots()});
}

}  // namespace modicum
