#include "mechanisms/optimal/disc_program.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace modicum {
namespace {

using Vector = std::vector<double>;
constexpr double no_bound = std::numeric_limits<double>::infinity();

// A pair of rings, the outer one of which may be all that is beyond the last disc. Its excess u is
// at least f_inner - factor f_outer, in units of the scale of f_inner.
struct RingPair {
  std::size_t inner, outer;
  double factor;  // 0 beyond the last disc
  double area;    // of the points in the inner ring that a shift moves into the outer one
};

// The program in units in which f is near 1:
//   least costs * f  with  areas * f = 1,  s = f_i - falls_i f_{i+1} >= 0,  u >= 0,
//   v = u - f_inner + factor f_outer >= 0,  t = 1 - sum of area u >= 0.
class ScaledProgram {
 public:
  explicit ScaledProgram(const DiscProgram& program) {
    const Vector& radii = program.radii;
    const std::size_t size = radii.size();
    const double deepest = -std::log(program.delta) + 2.0;
    double mass = 0.0, cost = 0.0;
    const auto inner = [&](std::size_t i) { return i == 0 ? 0.0 : radii[i - 1]; };
    for (std::size_t i = 0; i < size; ++i) {
      scales_.push_back(std::exp(-std::min(program.epsilon * radii[i], deepest)));
      const double area =
          std::numbers::pi * (radii[i] - inner(i)) * (radii[i] + inner(i)) * scales_[i];
      areas.push_back(area);
      costs.push_back(area * program.costs[i]);
      mass += area;
      cost += costs.back();
    }
    for (std::size_t i = 0; i < size; ++i) {
      scales_[i] /= mass;
      areas[i] /= mass;
      costs[i] /= cost;
      falls.push_back(i + 1 < size ? scales_[i + 1] / mass / scales_[i] : 0.0);
    }
    cost_unit = cost / mass;
    add_pairs(program);
  }

  std::size_t size() const { return areas.size(); }
  double scale(std::size_t i) const { return scales_[i]; }

  Vector costs, areas, falls;
  std::vector<RingPair> pairs;
  std::size_t band = 1;  // the largest outer - inner
  double cost_unit = 1.0;

 private:
  void add_pairs(const DiscProgram& program) {
    const Vector& radii = program.radii;
    const std::size_t size = radii.size();
    const double gain = std::exp(program.epsilon);
    for (std::size_t i = 0; i < size; ++i) {
      const double from = i == 0 ? 0.0 : radii[i - 1], to = radii[i];
      // Points of the ring that a shift moves into the disc of this radius.
      const auto within = [&](double radius) {
        return lens_area(to, radius, 1.0) - lens_area(from, radius, 1.0);
      };
      double before = within(to);
      for (std::size_t j = i + 1; j < size && radii[j - 1] < to + 1.0; ++j) {
        const double next = within(radii[j]);
        const double area = (next - before) * scales_[i] / program.delta;
        before = next;
        if (!(area > 1e-13)) continue;
        pairs.push_back({i, j, gain * scales_[j] / scales_[i], area});
        band = std::max(band, j - i);
      }
      const double whole = std::numbers::pi * (to - from) * (to + from);
      const double area = (whole - before) * scales_[i] / program.delta;
      if (radii.back() < to + 1.0 && area > 1e-13) pairs.push_back({i, size, 0.0, area});
    }
  }

  Vector scales_;
};

// Symmetric, positive definite, with few entries beside the diagonal.
class BandMatrix {
 public:
  BandMatrix(std::size_t size, std::size_t band)
      : size_(size), band_(band), entries_(size * (band + 1)) {}
  double& at(std::size_t i, std::size_t j) {
    return entries_[i * (band_ + 1) + (j - i)];
  }  // i <= j
  // U^T U in place; a pivot that is lost to rounding is replaced by a huge one.
  void factorize() {
    for (std::size_t i = 0; i < size_; ++i) {
      double* const row = &entries_[i * (band_ + 1)];
      const double pivot = row[0] > 1e-280 ? std::sqrt(row[0]) : 1e140;
      const std::size_t last = std::min(band_, size_ - 1 - i);
      row[0] = pivot;
      for (std::size_t k = 1; k <= last; ++k) row[k] /= pivot;
      for (std::size_t k = 1; k <= last; ++k) {
        double* const other = &entries_[(i + k) * (band_ + 1)];
        const double factor = row[k];
        if (factor == 0.0) continue;
        for (std::size_t m = k; m <= last; ++m) other[m - k] -= factor * row[m];
      }
    }
  }
  Vector solve(Vector b) const {
    for (std::size_t i = 0; i < size_; ++i) {
      const double* const row = &entries_[i * (band_ + 1)];
      b[i] /= row[0];
      const std::size_t last = std::min(band_, size_ - 1 - i);
      for (std::size_t k = 1; k <= last; ++k) b[i + k] -= row[k] * b[i];
    }
    for (std::size_t i = size_; i-- > 0;) {
      const double* const row = &entries_[i * (band_ + 1)];
      const std::size_t last = std::min(band_, size_ - 1 - i);
      for (std::size_t k = 1; k <= last; ++k) b[i] -= row[k] * b[i + k];
      b[i] /= row[0];
    }
    return b;
  }

 private:
  std::size_t size_, band_;
  Vector entries_;
};

double dot(const Vector& a, const Vector& b) {
  double sum = 0.0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// A point of the method, and likewise a step.
struct Iterate {
  Vector f, u, s, v;  // primal
  double t = 0.0;
  Vector zu, zs, zv;  // their multipliers
  double zt = 0.0, mass = 0.0;
};

class InteriorPoint {
 public:
  explicit InteriorPoint(const ScaledProgram& program)
      : program_(program), n_(program.size()), m_(program.pairs.size()), x_(start()) {}

  // Rounding ends the method at a gap of 1e-6 or so, when the least drops have become tiny: then
  // the multipliers are no longer right.
  bool run() {
    Iterate best;
    double least = no_bound;
    for (int round = 0, without = 0; round < 120 && without < 3; ++round) {
      residuals();
      const double gap = mean_product() * static_cast<double>(n_ + 2 * m_ + 1);
      if (!(gap < 1e30)) break;
      if (const double left = gap + dual_error_; primal_error_ < 1e-7 && left < least) {
        best = x_;
        least = left;
        without = 0;
        if (least < 1e-8) break;
      } else if (least < 1e-3) {
        ++without;
      }
      factorize();
      // Where a step of full length would lead tells how much to center [Mehrotra1992].
      const Iterate straight = step(0.0, nullptr);
      const double length = std::min(reach_primal(straight), reach_dual(straight));
      const double now = mean_product(), left = mean_product_after(straight, length) / now;
      advance(step(left * left * left * now, &straight));
    }
    if (!(least < no_bound)) return false;
    x_ = std::move(best);
    return least < 1e-2;
  }

  const Iterate& point() const { return x_; }

 private:
  Iterate start() const {
    Iterate x;
    x.f.assign(n_, 1.0);
    x.s.assign(n_, 1.0);
    x.t = 1.0;
    x.zt = 10.0;
    // All products are the same, and what u's multipliers must add up to holds.
    const double product = x.zt / static_cast<double>(m_);
    x.zs.assign(n_, product);
    for (const RingPair& pair : program_.pairs) {
      x.zu.push_back(0.5 * x.zt * pair.area);
      x.u.push_back(product / x.zu.back());
    }
    x.zv = x.zu;
    x.v = x.u;
    return x;
  }

  // B f: f_inner - factor f_outer.
  double excess(const Vector& f, const RingPair& pair) const {
    return f[pair.inner] - (pair.factor > 0.0 ? pair.factor * f[pair.outer] : 0.0);
  }
  void add_transposed(Vector& out, const RingPair& pair, double value) const {
    out[pair.inner] += value;
    if (pair.factor > 0.0) out[pair.outer] -= pair.factor * value;
  }
  double drop(const Vector& f, std::size_t i) const {
    return f[i] - (i + 1 < n_ ? program_.falls[i] * f[i + 1] : 0.0);
  }
  void add_drop_transposed(Vector& out, std::size_t i, double value) const {
    out[i] += value;
    if (i + 1 < n_) out[i + 1] -= program_.falls[i] * value;
  }

  double mean_product() const { return mean_product_after(x_, 0.0); }
  double mean_product_after(const Iterate& d, double length) const {
    double sum = 0.0;
    const auto add = [&](const Vector& a, const Vector& b, const Vector& da, const Vector& db) {
      for (std::size_t i = 0; i < a.size(); ++i)
        sum += (a[i] + length * da[i]) * (b[i] + length * db[i]);
    };
    add(x_.u, x_.zu, d.u, d.zu);
    add(x_.v, x_.zv, d.v, d.zv);
    add(x_.s, x_.zs, d.s, d.zs);
    sum += (x_.t + length * d.t) * (x_.zt + length * d.zt);
    return sum / static_cast<double>(n_ + 2 * m_ + 1);
  }

  void residuals() {
    rs_.assign(n_, 0.0);
    rv_.assign(m_, 0.0);
    ru_.assign(m_, 0.0);
    rf_ = program_.costs;
    rt_ = x_.t - 1.0;
    for (std::size_t i = 0; i < n_; ++i) {
      rs_[i] = x_.s[i] - drop(x_.f, i);
      rf_[i] -= x_.mass * program_.areas[i];
    }
    for (std::size_t i = 0; i < n_; ++i) add_drop_transposed(rf_, i, -x_.zs[i]);
    for (std::size_t p = 0; p < m_; ++p) {
      const RingPair& pair = program_.pairs[p];
      rv_[p] = x_.v[p] - x_.u[p] + excess(x_.f, pair);
      ru_[p] = x_.zt * pair.area - x_.zu[p] - x_.zv[p];
      rt_ += pair.area * x_.u[p];
      add_transposed(rf_, pair, x_.zv[p]);
    }
    ra_ = dot(program_.areas, x_.f) - 1.0;
    primal_error_ = std::max(std::abs(ra_), std::abs(rt_));
    for (const double r : rs_) primal_error_ = std::max(primal_error_, std::abs(r));
    for (std::size_t p = 0; p < m_; ++p)
      primal_error_ =
          std::max(primal_error_, std::abs(rv_[p]) * std::min(1.0, program_.pairs[p].area));
    dual_error_ = 0.0;
    for (const double r : rf_) dual_error_ = std::max(dual_error_, std::abs(r));
    for (const double r : ru_) dual_error_ = std::max(dual_error_, std::abs(r));
  }

  // The matrix that is left when all but f and the multiplier of its mass are eliminated: M + eta
  // p p^T, bordered by the areas.
  void factorize() {
    matrix_ = BandMatrix(n_, program_.band);
    for (std::size_t i = 0; i < n_; ++i) {
      const double theta = x_.zs[i] / x_.s[i];
      matrix_.at(i, i) += theta;
      if (i + 1 < n_) {
        const double fall = program_.falls[i];
        matrix_.at(i, i + 1) -= theta * fall;
        matrix_.at(i + 1, i + 1) += theta * fall * fall;
      }
    }
    p_.assign(n_, 0.0);
    double kappa = 0.0;
    for (std::size_t p = 0; p < m_; ++p) {
      const RingPair& pair = program_.pairs[p];
      const double u = x_.zu[p] / x_.u[p], v = x_.zv[p] / x_.v[p];
      const double both = u * v / (u + v);
      matrix_.at(pair.inner, pair.inner) += both;
      if (pair.factor > 0.0) {
        matrix_.at(pair.inner, pair.outer) -= both * pair.factor;
        matrix_.at(pair.outer, pair.outer) += both * pair.factor * pair.factor;
      }
      add_transposed(p_, pair, pair.area * v / (u + v));
      kappa += pair.area * pair.area / (u + v);
    }
    const double theta = x_.zt / x_.t;
    eta_ = theta / (1.0 + theta * kappa);
    share_ = 1.0 / (1.0 + theta * kappa);
    matrix_.factorize();
    solved_p_ = matrix_.solve(p_);
    solved_a_ = with_rank_one(matrix_.solve(program_.areas));
  }
  // (M + eta p p^T)^-1 b from M^-1 b.
  Vector with_rank_one(Vector solved) const {
    const double factor = eta_ * dot(p_, solved) / (1.0 + eta_ * dot(p_, solved_p_));
    for (std::size_t i = 0; i < n_; ++i) solved[i] -= factor * solved_p_[i];
    return solved;
  }

  // The Newton step towards products of `aim`, less what the straight step would leave of them.
  Iterate step(double aim, const Iterate* straight) const {
    const auto pull = [&](double x, double z, double dx, double dz) {
      return (aim - x * z - (straight != nullptr ? dx * dz : 0.0)) / x;
    };
    const auto of = [&](const Vector Iterate::*part, std::size_t i) {
      return straight != nullptr ? (straight->*part)[i] : 0.0;
    };
    const double gt =
        pull(x_.t, x_.zt, straight ? straight->t : 0.0, straight ? straight->zt : 0.0);
    const double theta_t = x_.zt / x_.t;
    Vector gu(m_), gv(m_), gs(n_), bu(m_), right(n_);
    double beta = 0.0;
    for (std::size_t i = 0; i < n_; ++i) {
      gs[i] = pull(x_.s[i], x_.zs[i], of(&Iterate::s, i), of(&Iterate::zs, i));
      right[i] -= rf_[i];
      add_drop_transposed(right, i, gs[i] + x_.zs[i] / x_.s[i] * rs_[i]);
    }
    for (std::size_t p = 0; p < m_; ++p) {
      const RingPair& pair = program_.pairs[p];
      const double u = x_.zu[p] / x_.u[p], v = x_.zv[p] / x_.v[p];
      gu[p] = pull(x_.u[p], x_.zu[p], of(&Iterate::u, p), of(&Iterate::zu, p));
      gv[p] = pull(x_.v[p], x_.zv[p], of(&Iterate::v, p), of(&Iterate::zv, p));
      const double price = pair.area * (gt + theta_t * rt_) + ru_[p];
      bu[p] = gu[p] + gv[p] + v * rv_[p] - price;
      add_transposed(right, pair, (v * (gu[p] - price) - u * (gv[p] + v * rv_[p])) / (u + v));
      beta += pair.area * bu[p] / (u + v);
    }
    for (std::size_t i = 0; i < n_; ++i) right[i] -= eta_ * beta * p_[i];
    Iterate d;
    d.f = with_rank_one(matrix_.solve(right));
    d.mass = (-ra_ - dot(program_.areas, d.f)) / dot(program_.areas, solved_a_);
    for (std::size_t i = 0; i < n_; ++i) d.f[i] += d.mass * solved_a_[i];
    const double sigma = share_ * (dot(p_, d.f) + beta);
    d.u.resize(m_);
    d.v.resize(m_);
    d.zu.resize(m_);
    d.zv.resize(m_);
    d.s.resize(n_);
    d.zs.resize(n_);
    d.t = -sigma - rt_;
    d.zt = gt - theta_t * d.t;
    for (std::size_t p = 0; p < m_; ++p) {
      const RingPair& pair = program_.pairs[p];
      const double u = x_.zu[p] / x_.u[p], v = x_.zv[p] / x_.v[p], moved = excess(d.f, pair);
      d.u[p] = (v * moved + bu[p] - theta_t * pair.area * sigma) / (u + v);
      d.v[p] = d.u[p] - moved - rv_[p];
      // The multiplier of the slack that is not small; the other follows from their sum.
      const double sum = pair.area * d.zt + ru_[p];
      if (u < v) {
        d.zu[p] = gu[p] - u * d.u[p];
        d.zv[p] = sum - d.zu[p];
      } else {
        d.zv[p] = gv[p] - v * d.v[p];
        d.zu[p] = sum - d.zv[p];
      }
    }
    for (std::size_t i = 0; i < n_; ++i) {
      d.s[i] = drop(d.f, i) - rs_[i];
      d.zs[i] = gs[i] - x_.zs[i] / x_.s[i] * d.s[i];
    }
    return d;
  }

  static double reach(double limit, const Vector& at, const Vector& d) {
    for (std::size_t i = 0; i < at.size(); ++i)
      if (d[i] < 0.0) limit = std::min(limit, -at[i] / d[i]);
    return limit;
  }
  double reach_primal(const Iterate& d) const {
    double limit = d.t < 0.0 ? std::min(1.0, -x_.t / d.t) : 1.0;
    limit = reach(limit, x_.u, d.u);
    limit = reach(limit, x_.v, d.v);
    return reach(limit, x_.s, d.s);
  }
  double reach_dual(const Iterate& d) const {
    double limit = d.zt < 0.0 ? std::min(1.0, -x_.zt / d.zt) : 1.0;
    limit = reach(limit, x_.zu, d.zu);
    limit = reach(limit, x_.zv, d.zv);
    return reach(limit, x_.zs, d.zs);
  }
  void advance(const Iterate& d) {
    const double primal = std::min(1.0, 0.995 * reach_primal(d));
    const double dual = std::min(1.0, 0.995 * reach_dual(d));
    const auto add = [](Vector& x, const Vector& dx, double length) {
      for (std::size_t i = 0; i < x.size(); ++i) x[i] += length * dx[i];
    };
    add(x_.f, d.f, primal);
    add(x_.u, d.u, primal);
    add(x_.v, d.v, primal);
    add(x_.s, d.s, primal);
    x_.t += primal * d.t;
    add(x_.zu, d.zu, dual);
    add(x_.zv, d.zv, dual);
    add(x_.zs, d.zs, dual);
    x_.zt += dual * d.zt;
    x_.mass += dual * d.mass;
  }

  const ScaledProgram& program_;
  std::size_t n_, m_;
  Iterate x_;
  Vector rs_, rv_, ru_, rf_;
  double rt_ = 0.0, ra_ = 0.0, primal_error_ = 0.0, dual_error_ = 0.0;
  BandMatrix matrix_{0, 0};
  Vector p_, solved_p_, solved_a_;
  double eta_ = 0.0, share_ = 0.0;
};

}  // namespace

double lens_area(double a, double b, double distance) {
  if (a + b <= distance || !(a > 0.0) || !(b > 0.0)) return 0.0;
  const double small = std::min(a, b);
  if (std::abs(a - b) >= distance) return std::numbers::pi * small * small;
  const double square = distance * distance + (a - b) * (a + b);
  const double other = distance * distance + (b - a) * (a + b);
  const double root = std::sqrt(std::max(
      0.0, (a + b - distance) * (distance + a - b) * (distance - a + b) * (a + b + distance)));
  return a * a * std::atan2(root, square) + b * b * std::atan2(root, other) - 0.5 * root;
}

DiscProgramSolution solve_disc_program(const DiscProgram& program) {
  const ScaledProgram scaled(program);
  InteriorPoint method(scaled);
  DiscProgramSolution result;
  result.solved = method.run();
  const Vector& f = method.point().f;
  const Vector& drops = method.point().s;
  double total = 0.0;
  for (std::size_t i = 0; i < f.size(); ++i) {
    const double radius = program.radii[i];
    result.weights.push_back(drops[i] * scaled.scale(i) * std::numbers::pi * radius * radius);
    total += result.weights.back();
    result.cost += scaled.costs[i] * f[i];
  }
  for (double& weight : result.weights) weight /= total;
  result.cost *= scaled.cost_unit;
  return result;
}

}  // namespace modicum
