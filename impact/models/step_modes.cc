// SPDX-License-Identifier: MIT
#include "impact/models/step_modes.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "elementary/elementary.h"
#include "impact/problem/matrix_factors.h"
#include "impact/random_stream.h"

namespace rigor::impact {
namespace {

// Conditions that hold up to this (of order-one quantities) hold; the residual of the LCP decides afterwards.
constexpr double kConditionTolerance = 1e-11;
// Mode systems with a reciprocal condition below this leave impulses open; the vertices of their solutions are other
// modes.
constexpr double kSingular = 1e-11;

// Conditions of a mode that are looked at in all modes at once, and the random inputs on which those are chosen.
constexpr int kScanned = 2, kTrials = 16;
// Modes side by side are padded to a multiple of this.
constexpr int kLanes = 8;

enum class Normal { kSeparated, kCompressing, kSaturated };

double dot(const double* a, const double* b, int n) {
  double even = 0, odd = 0;
  int i = 0;
  for (; i + 1 < n; i += 2) even += a[i] * b[i], odd += a[i + 1] * b[i + 1];
  if (i < n) even += a[i] * b[i];
  return even + odd;
}

/// worst[j] = the smaller of the scanned conditions of mode j: scan is [condition][entry of the input][mode]. A width
/// known to the compiler keeps the sums in registers.
template <int kWidth>
inline void scanModes(const double* __restrict scan, const double* __restrict input, int lanes,
                      double* __restrict worst) {
  static_assert(kScanned == 2);
  const double* __restrict other = scan + static_cast<long>(kWidth) * lanes;
  for (int j = 0; j < lanes; ++j) {
    double a = 0, b = 0;
    for (int k = 0; k < kWidth; ++k) a += scan[k * lanes + j] * input[k], b += other[k * lanes + j] * input[k];
    worst[j] = a < b ? a : b;
  }
}

// As in lemke.cc: wider registers where the processor has them, the same bits.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
__attribute__((target_clones("avx2", "default")))
#endif
void scanModes(const double* __restrict scan, const double* __restrict input, int width, int lanes,
               double* __restrict worst) {
  switch (width) {
    case 3: return scanModes<3>(scan, input, lanes, worst);  // One planar contact, two, three; a spatial one.
    case 6: return scanModes<6>(scan, input, lanes, worst);
    case 9: return scanModes<9>(scan, input, lanes, worst);
    case 4: return scanModes<4>(scan, input, lanes, worst);
    default: break;
  }
  for (int j = 0; j < lanes; ++j) worst[j] = HUGE_VAL;
  for (int s = 0; s < kScanned; ++s) {
    for (int j = 0; j < lanes; ++j) {
      double a = 0;
      for (int k = 0; k < width; ++k) a += scan[(s * width + k) * lanes + j] * input[k];
      worst[j] = a >= worst[j] ? worst[j] : a;  // NaN stays
    }
  }
}

}  // namespace

int numStepModes(int tangents, int cone_edges, bool returns) {
  const int of_friction = tangents == 0 ? 1 : tangents == 1 ? 3 : 1 + 2 * cone_edges;
  return (returns ? 3 : 2) * of_friction + (returns ? 0 : 1);
}

bool StepModes::prepare(const ImpactProblem& problem, const std::vector<double>& friction, int cone_edges,
                        int max_modes, bool returns) {
  const int m = problem.numContacts();
  returns_ = returns;
  modes_.clear();
  double count = 1;
  for (int i = 0; i < m; ++i) {
    const int tangents = friction[i] > 0 ? static_cast<int>(problem.tangent[i].rows()) : 0;
    count *= numStepModes(tangents, cone_edges, returns);
  }
  if (m == 0 || !(count <= max_modes)) return false;
  contact_rows_.prepare(problem, friction);
  rows_ = contact_rows_.numRows();
  width_ = rows_ + (returns ? 2 : 1) * m;
  const Eigen::MatrixXd& A = contact_rows_.A;
  // Without friction, and for one contact whose friction cannot turn its normal velocity, the answer is unique.
  if (rows_ == m || (m == 1 && A(0, 0) > friction[0] * A.row(0).tail(rows_ - 1).norm())) return false;
  contacts_.resize(m);
  for (int i = 0; i < m; ++i) contacts_[i] = {contact_rows_.row[i], contact_rows_.tangents[i], friction[i]};
  cos_.resize(cone_edges);
  sin_.resize(cone_edges);
  for (int k = 0; k < cone_edges; ++k) {
    cos_[k] = elementary::cos(2 * std::numbers::pi * k / cone_edges);
    sin_[k] = elementary::sin(2 * std::numbers::pi * k / cone_edges);
  }
  condition_.clear();
  map_.clear();
  std::vector<int> choice(m, 0);
  for (bool more = true; more;) {
    addMode(choice);
    more = false;
    for (int i = 0; i < m && !more; ++i) {
      more = ++choice[i] < numStepModes(contacts_[i].tangents, cone_edges, returns);
      if (!more) choice[i] = 0;
    }
  }
  input_.resize(width_);
  arrangeScan(problem.velocity);
  return true;
}

// Brings the conditions of every mode that reject most random inputs to its front, and copies them for the scan. The
// order changes no answer.
void StepModes::arrangeScan(const Eigen::VectorXd& velocity) {
  const int count = static_cast<int>(modes_.size());
  RandomStream random({0, 0});
  // Of order one as those of a step are: of the problem's own velocity, from which all first steps start, and of
  // others.
  const Eigen::MatrixXd& J = contact_rows_.J;
  Eigen::MatrixXd inputs(width_, kTrials);
  for (int t = 0; t < kTrials; ++t) {
    Eigen::VectorXd v = velocity;
    if (2 * t >= kTrials)
      for (double& x : v) x = velocity.norm() * (2 * random.uniform() - 1);
    const Eigen::VectorXd b = J * v;
    inputs.col(t).head(rows_) = b / std::max(b.cwiseAbs().maxCoeff(), 1e-300);
    for (int i = rows_; i < width_; ++i) inputs(i, t) = 2 * random.uniform();
  }
  lanes_ = (count + kLanes - 1) / kLanes * kLanes;
  scan_.assign(static_cast<std::size_t>(kScanned) * width_ * lanes_, 0.0);
  worst_.resize(lanes_);
  passed_.resize(count);
  for (int j = 0; j < count; ++j) {
    double* const rows = condition_.data() + static_cast<std::size_t>(modes_[j].first_condition) * width_;
    const auto row = [&](int c) { return rows + static_cast<std::size_t>(c) * width_; };
    std::array<bool, kTrials> rejected{};
    for (int s = 0; s < std::min(kScanned, modes_[j].conditions); ++s) {
      int best = s, most = -1;
      for (int c = s; c < modes_[j].conditions; ++c) {
        int rejects = 0;
        for (int t = 0; t < kTrials; ++t) rejects += !rejected[t] && dot(row(c), inputs.col(t).data(), width_) < 0;
        if (rejects > most) most = rejects, best = c;
      }
      for (int t = 0; t < kTrials; ++t) rejected[t] = rejected[t] || dot(row(best), inputs.col(t).data(), width_) < 0;
      if (best != s) std::swap_ranges(row(s), row(s) + width_, row(best));
      for (int k = 0; k < width_; ++k)
        scan_[(static_cast<std::size_t>(s) * width_ + k) * lanes_ + j] = row(s)[k];
    }
  }
}

/// What the modes of all contacts ask of a step: impulses generators u + fixed (limit, given), where the equations (on
/// the velocities) determine u, and conditions on what follows.
struct StepModes::Equations {
  struct Condition {
    bool on_impulse;
    int contact;
    double limit, given;  // coefficients of the contact's
    Eigen::VectorXd row;  // of the impulses or the velocities
  };
  Eigen::MatrixXd generators, fixed, equations;
  int unknowns = 0, equalities = 0;
  std::vector<Condition> conditions;

  Equations(int rows, int width)
      : generators(rows, rows), fixed(Eigen::MatrixXd::Zero(rows, width - rows)), equations(rows, rows) {}
};

/// What contact i adds to them in one of its modes.
struct StepModes::ContactPart {
  const StepModes& modes;
  Equations& to;
  const int i;
  const Contact& c = modes.contacts_[i];
  const int edges = static_cast<int>(modes.cos_.size());
  Normal normal = Normal::kSeparated;

  Eigen::VectorXd unit(double along_normal, double t1 = 0, double t2 = 0) const {
    Eigen::VectorXd x = Eigen::VectorXd::Zero(modes.rows_);
    x[c.row] = along_normal;
    if (c.tangents > 0) x[c.row + 1] = t1;
    if (c.tangents > 1) x[c.row + 2] = t2;
    return x;
  }
  Eigen::Vector2d direction(int k) const {  // of a planar contact: +t, -t
    k = (k + edges) % edges;
    return c.tangents == 1 ? Eigen::Vector2d(k == 0 ? 1 : -1, 0) : Eigen::Vector2d(modes.cos_[k], modes.sin_[k]);
  }
  Eigen::VectorXd edge(const Eigen::Vector2d& d) const { return unit(1, c.mu * d.x(), c.mu * d.y()); }
  double scale() const { return 1 / std::max(1.0, c.mu); }
  bool compressing() const { return normal == Normal::kCompressing; }

  void generate(const Eigen::VectorXd& x) { to.generators.col(to.unknowns++) = x; }
  void equate(const Eigen::VectorXd& x) { to.equations.row(to.equalities++) = x.transpose(); }
  void impulse(const Eigen::VectorXd& x, double limit = 0, double given = 0) {
    to.conditions.push_back({true, i, limit, given, x});
  }
  void velocity(const Eigen::VectorXd& x) { to.conditions.push_back({false, i, 0, 0, x}); }
  /// Impulses that belong to the normal one, where that is at one of its bounds.
  void fix(const Eigen::VectorXd& x) {
    if (normal == Normal::kSaturated) to.fixed.col(i) = x;
    if (modes.returns_) to.fixed.col(static_cast<Eigen::Index>(modes.contacts_.size()) + i) = x;
  }

  void add(int mode);
  void stick();
  void slipAlong(int k);
  void slipBetween(int k);  // The directions k and k + 1.
};

void StepModes::ContactPart::add(int mode) {
  const bool returns = modes.returns_;
  const int of_friction = numStepModes(c.tangents, edges, true) / 3, separated = returns ? of_friction : 1;
  normal = mode < separated                 ? Normal::kSeparated
           : mode < separated + of_friction ? Normal::kCompressing
                                            : Normal::kSaturated;
  const int slip = (mode + of_friction - separated % of_friction) % of_friction;  // 0: stick
  if (compressing()) {
    equate(unit(1));
  } else {
    velocity(unit(normal == Normal::kSeparated ? 1 : -1));
  }
  if (normal == Normal::kSeparated && !returns) return;
  if (compressing()) {
    impulse(unit(-1), 1, 1);
    // Otherwise the conditions of friction hold ln >= 0.
    if (returns || c.tangents == 0) impulse(unit(1), 0, -1);
  }
  if (slip == 0) {
    stick();
  } else if (c.tangents == 2 && slip > edges) {
    slipBetween((slip - 1) % edges);
  } else {
    slipAlong((slip - 1) % edges);
  }
}

void StepModes::ContactPart::stick() {
  if (compressing()) {
    generate(unit(1));
  } else {
    fix(unit(1));
  }
  if (c.tangents > 0) generate(unit(0, 1)), equate(unit(0, 1));
  if (c.tangents > 1) generate(unit(0, 0, 1)), equate(unit(0, 0, 1));
  // The polygon's sides.
  const double damp = std::sqrt(scale());
  if (c.tangents == 1) {
    impulse(unit(c.mu, 1) * damp);
    impulse(unit(c.mu, -1) * damp);
  } else if (c.tangents == 2) {
    const double reach = elementary::cos(std::numbers::pi / edges);
    for (int k = 0; k < edges; ++k) {
      const Eigen::Vector2d side = (direction(k) + direction(k + 1)).normalized();
      impulse(unit(c.mu * reach, -side.x(), -side.y()) * damp);
    }
  }
}

void StepModes::ContactPart::slipBetween(int k) {
  const Eigen::Vector2d d = direction(k), next = direction(k + 1), mean = d + next, difference = d - next;
  equate(unit(0, difference.x(), difference.y()));
  velocity(unit(0, -mean.x(), -mean.y()));
  // Shares of the two directions, as functionals of the tangential impulse.
  Eigen::Matrix2d basis;
  basis << d, next;
  const Eigen::Matrix2d share = basis.inverse();
  impulse(unit(0, share(0, 0), share(0, 1)) * scale());
  impulse(unit(0, share(1, 0), share(1, 1)) * scale());
  if (compressing()) {
    generate(edge(d) * scale());
    generate(edge(next) * scale());
  } else {
    generate(unit(0, difference.x(), difference.y()));
    fix(edge(next));
  }
}

void StepModes::ContactPart::slipAlong(int k) {
  const Eigen::Vector2d d = direction(k), next = direction(k + 1), last = direction(k - 1);
  if (c.tangents == 1) {
    velocity(unit(0, -d.x()));
  } else {
    velocity(unit(0, next.x() - d.x(), next.y() - d.y()));
    velocity(unit(0, last.x() - d.x(), last.y() - d.y()));
  }
  if (compressing()) {
    generate(edge(d) * scale());
    // The tangential part is the larger one where mu > 1: a tiny negative ln must not pass there.
    impulse(c.mu > 1 ? unit(0, d.x(), d.y()) : unit(1));
  } else {
    fix(edge(d));
  }
}

void StepModes::addMode(const std::vector<int>& choice) {
  const Eigen::MatrixXd& A = contact_rows_.A;
  const int m = static_cast<int>(contacts_.size());
  Equations all(rows_, width_);
  for (int i = 0; i < m; ++i) ContactPart{*this, all, i}.add(choice[i]);
  // u = -G^-1 (Eq b + Eq A fixed (limit, given)), G = Eq A generators.
  Eigen::MatrixXd lambda(rows_, width_);
  lambda.leftCols(rows_).setZero();
  lambda.rightCols(width_ - rows_) = all.fixed;
  if (all.unknowns > 0) {
    const Eigen::MatrixXd Eq = all.equations.topRows(all.unknowns), Gen = all.generators.leftCols(all.unknowns);
    const Eigen::MatrixXd EqA = Eq * A, Afixed = A * all.fixed;
    PartialLu lu;
    lu.factor(EqA * Gen);
    if (!(lu.reciprocalCondition() > kSingular)) return;
    Eigen::MatrixXd rhs(all.unknowns, width_);
    rhs.leftCols(rows_) = Eq;
    rhs.rightCols(width_ - rows_) = Eq * Afixed;
    const Eigen::MatrixXd solved = lu.solve(rhs);
    lambda -= Gen * solved;
  }
  Eigen::MatrixXd y = A * lambda;
  y.leftCols(rows_).diagonal().array() += 1;
  Mode mode{static_cast<int>(condition_.size()) / width_, 0, static_cast<int>(map_.size()) / width_};
  for (const Equations::Condition& c : all.conditions) {
    Eigen::RowVectorXd row = c.row.transpose() * (c.on_impulse ? lambda : y);
    row[rows_ + c.contact] += c.limit;
    if (returns_) row[rows_ + m + c.contact] += c.given;
    condition_.insert(condition_.end(), row.data(), row.data() + width_);
    ++mode.conditions;
  }
  for (int r = 0; r < rows_; ++r) {
    for (int k = 0; k < width_; ++k) map_.push_back(lambda(r, k));
  }
  modes_.push_back(mode);
}

int StepModes::solve(const double* b, const double* limit, const double* given) {
  const std::size_t m = contacts_.size();
  std::copy_n(b, rows_, input_.data());
  std::copy_n(limit, m, input_.data() + rows_);
  if (returns_) std::copy_n(given, m, input_.data() + rows_ + m);
  impulse_.clear();
  velocity_.clear();
  int found = 0, passed = 0;
  scanModes(scan_.data(), input_.data(), width_, lanes_, worst_.data());
  const int count = static_cast<int>(modes_.size());
  for (int j = 0; j < count; ++j) passed_[passed] = j, passed += worst_[j] >= -kConditionTolerance;  // NaN does not
  for (int p = 0; p < passed; ++p) {
    const Mode& mode = modes_[passed_[p]];
    int k = std::min(kScanned, mode.conditions);
    const double* row = condition_.data() + static_cast<std::size_t>(mode.first_condition + k) * width_;
    while (k < mode.conditions && dot(row, input_.data(), width_) >= -kConditionTolerance) ++k, row += width_;
    if (k < mode.conditions) continue;
    impulse_.resize(static_cast<std::size_t>(found + 1) * rows_);
    velocity_.resize(impulse_.size());
    double* lambda = impulse_.data() + static_cast<std::size_t>(found) * rows_;
    double* y = velocity_.data() + static_cast<std::size_t>(found) * rows_;
    const double* map = map_.data() + static_cast<std::size_t>(mode.impulses) * width_;
    for (int r = 0; r < rows_; ++r) lambda[r] = dot(map + static_cast<std::size_t>(r) * width_, input_.data(), width_);
    for (int r = 0; r < rows_; ++r)
      y[r] = b[r] + dot(contact_rows_.A.data() + static_cast<std::size_t>(r) * rows_, lambda, rows_);
    const auto apart = [&](int s) {
      const double* other = velocity_.data() + static_cast<std::size_t>(s) * rows_;
      double worst = 0;
      for (int r = 0; r < rows_; ++r) worst = std::max(worst, std::abs(y[r] - other[r]));
      return worst;
    };
    int same = 0;
    while (same < found && !(apart(same) <= kSameSolution)) ++same;
    if (same == found) {
      times_.resize(++found);
      times_[same] = 1;
      continue;
    }
    // Another vertex of the impulses that give these velocities.
    double* mean = impulse_.data() + static_cast<std::size_t>(same) * rows_;
    for (int r = 0; r < rows_; ++r) mean[r] += lambda[r];
    ++times_[same];
  }
  for (int s = 0; s < found; ++s) {
    if (times_[s] == 1) continue;
    for (int r = 0; r < rows_; ++r) impulse_[static_cast<std::size_t>(s) * rows_ + r] /= times_[s];
  }
  return found_ = found;
}

void StepModes::drop(int k) {
  --found_;
  for (std::vector<double>* x : {&impulse_, &velocity_})
    std::copy_n(x->data() + static_cast<std::size_t>(found_) * rows_, rows_,
                x->data() + static_cast<std::size_t>(k) * rows_);
}

}  // namespace rigor::impact
