// SPDX-License-Identifier: MIT
#include "impact/lcp/contact_modes.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "elementary/elementary.h"
#include "impact/problem/matrix_factors.h"

namespace rigor::impact {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Scaled speeds that count as zero when candidates are looked at; acceptImpact() decides.
constexpr double kSlack = 1e-8;
// Pivots below this, relative to the largest, are zero.
constexpr double kRankEpsilon = 1e-11;

// What a linear program may miss its equalities by, so that rounding does not make it infeasible.
constexpr double kProgramSlack = 1e-11;
// Modes that leave the velocity open and are looked at more closely, some 50 microseconds each.
constexpr int kMostOpenModes = 100'000;

enum class Kind { kSeparates, kSticks, kSlides };

/// One thing that a contact may do, in its own rows: normal, d_0, d_1, ...
struct Mode {
  Kind kind;
  int first = 0;      // Slides along d_first ... d_last: one direction or two neighbours.
  int last = 0;
  MatrixXd B, G;      // r x rows, rows x r.
  MatrixXd cone;      // rows x generators of its impulses.
};

struct Contact {
  int row = 0;  // Of its normal in the order contact by contact.
  int directions = 0;
  double mu = 0;
  std::vector<Mode> modes;
};

/// The column n + mu d, of order one.
VectorXd generator(int rows, double mu, int direction) {
  VectorXd column = VectorXd::Zero(rows);
  const double scale = 1 / std::max(1.0, mu);
  column[0] = scale;
  if (direction >= 0) column[1 + direction] = mu * scale;
  return column;
}

std::vector<Mode> modesOf(int directions, double mu, bool slides) {
  const int rows = 1 + directions;
  std::vector<Mode> modes;
  modes.push_back({Kind::kSeparates, 0, 0, MatrixXd(0, rows), MatrixXd(rows, 0), MatrixXd(rows, 0)});
  const int tangents = directions == 0 ? 0 : directions == 2 ? 1 : 2;
  Mode stick{Kind::kSticks, 0, 0, MatrixXd::Zero(1 + tangents, rows), MatrixXd::Zero(rows, 1 + tangents), {}};
  for (int k = 0; k <= tangents; ++k) stick.B(k, k) = stick.G(k, k) = 1;
  stick.cone.resize(rows, std::max(1, directions));
  for (int k = 0; k < stick.cone.cols(); ++k) stick.cone.col(k) = generator(rows, mu, directions > 0 ? k : -1);
  modes.push_back(stick);
  for (int k = 0; slides && k < directions; ++k) {
    Mode slide{Kind::kSlides, k, k, MatrixXd::Zero(1, rows), generator(rows, mu, k), generator(rows, mu, k)};
    slide.B(0, 0) = 1;
    modes.push_back(slide);
    if (directions == 2) continue;
    const int next = (k + 1) % directions;
    Mode between{Kind::kSlides, k, next, MatrixXd::Zero(2, rows), MatrixXd(rows, 2), {}};
    between.B(0, 0) = 1;
    between.B(1, 1 + k) = 1;
    between.B(1, 1 + next) = -1;
    between.G << generator(rows, mu, k), generator(rows, mu, next);
    between.cone = between.G;
    modes.push_back(between);
  }
  return modes;
}

/// Whether the contact's velocities after, its rows, agree with what it does; impulses are not looked at.
bool agrees(const Mode& mode, const Eigen::Ref<const VectorXd>& v) {
  if (mode.kind == Kind::kSeparates) return v[0] >= -kSlack;
  if (mode.kind == Kind::kSticks) return true;  // Solved for.
  const double slip = v[1 + mode.first];
  return slip <= kSlack && slip <= v.tail(v.size() - 1).minCoeff() + kSlack;
}

/// Adds the impulse of a sticking contact, given along n, d_0, d_1, as non-negative parts of two neighbouring
/// directions.
void addStick(const Contact& contact, const Eigen::Ref<const VectorXd>& x, Eigen::Ref<VectorXd> rows) {
  rows[0] += x[0];
  const int k = contact.directions;
  if (k == 2) rows[x[1] >= 0 ? 1 : 2] += std::abs(x[1]);
  if (k <= 2) return;
  const double turn = 2 * std::numbers::pi / k;
  const double p = x[1] + elementary::cos(turn) * x[2], q = elementary::sin(turn) * x[2];
  if (p == 0 && q == 0) return;
  double angle = elementary::atan2(q, p);
  if (angle < 0) angle += 2 * std::numbers::pi;
  const int sector = std::min(k - 1, static_cast<int>(angle / turn));
  const double length = elementary::hypot(p, q), within = angle - sector * turn;
  const double second = length * elementary::sin(within) / elementary::sin(turn);
  rows[1 + sector] += std::max(0.0, length * elementary::cos(within) - second * elementary::cos(turn));
  rows[1 + (sector + 1) % k] += std::max(0.0, second);
}

class ModeEnumeration {
 public:
  ModeEnumeration(const ContactLcp& lcp, LemkeSolver& lemke, const std::vector<bool>& never_slides)
      : lcp_(lcp), lemke_(lemke) {
    const int m = lcp.numContacts();
    for (int i = 0; i < m; ++i) {
      Contact contact;
      contact.row = static_cast<int>(order_.size());
      contact.directions = lcp.numDirections(i);
      contact.mu = lcp.friction(i);
      contact.modes = modesOf(contact.directions, contact.mu, !never_slides[i]);
      order_.push_back(i);
      for (int k = 0; k < contact.directions; ++k) order_.push_back(lcp.firstDirection(i) + k);
      combinations_ *= static_cast<double>(contact.modes.size());
      contacts_.push_back(std::move(contact));
    }
  }

  double combinations() const { return combinations_; }

  ModeSearch run(const std::function<void(const VectorXd&)>& visit) {
    prepareBlocks();
    ModeSearch result{true, true, 0};
    const size_t m = contacts_.size();
    chosen_.assign(m, 0);
    for (bool more = true; more;) {
      ++result.modes;
      tryMode(visit, result);
      more = false;
      for (size_t i = 0; i < m && !more; ++i) {
        more = ++chosen_[i] < contacts_[i].modes.size();
        if (!more) chosen_[i] = 0;
      }
    }
    return result;
  }

 private:
  void prepareBlocks() {
    const MatrixXd given = lcp_.delassus();
    const VectorXd velocity = lcp_.scaledContactVelocity();
    const int rows = static_cast<int>(order_.size());
    A_.resize(rows, rows);
    v_.resize(rows);
    for (int i = 0; i < rows; ++i) {
      v_[i] = velocity[order_[i]];
      for (int j = 0; j < rows; ++j) A_(i, j) = given(order_[i], order_[j]);
    }
    response_.resize(contacts_.size());
    for (size_t j = 0; j < contacts_.size(); ++j) {
      const Contact& contact = contacts_[j];
      for (const Mode& mode : contact.modes) {
        response_[j].push_back(A_.middleCols(contact.row, 1 + contact.directions) * mode.G);
      }
    }
  }

  void tryMode(const std::function<void(const VectorXd&)>& visit, ModeSearch& result) {
    const size_t m = contacts_.size();
    int size = 0;
    for (size_t i = 0; i < m; ++i) size += static_cast<int>(mode(i).B.rows());
    S_.resize(size, size);
    rhs_.resize(size);
    response_to_x_.resize(A_.rows(), size);
    int at = 0;
    for (size_t j = 0; j < m; ++j) {
      const MatrixXd& column = response_[j][chosen_[j]];
      response_to_x_.middleCols(at, column.cols()) = column;
      at += static_cast<int>(column.cols());
    }
    at = 0;
    for (size_t i = 0; i < m; ++i) {
      const MatrixXd& B = mode(i).B;
      if (B.rows() == 0) continue;
      const int row = contacts_[i].row;
      S_.middleRows(at, B.rows()).noalias() = B * response_to_x_.middleRows(row, B.cols());
      rhs_.segment(at, B.rows()).noalias() = -(B * v_.segment(row, B.cols()));
      at += static_cast<int>(B.rows());
    }
    bool singular = false, open = false;
    MatrixXd free;
    VectorXd x(size);
    if (size > 0) {
      const FullLu lu(S_, kRankEpsilon);
      x = lu.solve(rhs_);
      singular = lu.rank() < size;
      if (singular) {
        if (!((S_ * x - rhs_).cwiseAbs().maxCoeff() <= kSlack)) return;
        const MatrixXd kernel = lu.kernel();
        free = response_to_x_ * kernel;
        open = free.cwiseAbs().maxCoeff() > kSlack * kernel.cwiseAbs().maxCoeff();
      }
    }
    if (open) {
      if (!searchOpenMode(free, visit)) result.complete = false;
      return;
    }
    after_ = v_;
    if (size > 0) after_.noalias() += response_to_x_ * x;
    for (size_t i = 0; i < m; ++i) {
      if (!agrees(mode(i), after_.segment(contacts_[i].row, 1 + contacts_[i].directions))) return;
    }
    VectorXd impulse = VectorXd::Zero(A_.rows());
    if (singular ? findImpulse(x, impulse) : takeImpulse(x, impulse)) publish(impulse, visit);
  }

  void publish(const VectorXd& impulse, const std::function<void(const VectorXd&)>& visit) const {
    VectorXd given(impulse.size());
    for (int i = 0; i < impulse.size(); ++i) given[order_[i]] = impulse[i];
    visit(given);
  }

  /// The impulse of x, if it lies in the cones up to kSlack.
  bool takeImpulse(const VectorXd& x, VectorXd& impulse) const {
    int at = 0;
    for (size_t i = 0; i < contacts_.size(); ++i) {
      const Contact& contact = contacts_[i];
      const auto own = x.segment(at, mode(i).G.cols());
      auto rows = impulse.segment(contact.row, 1 + contact.directions);
      at += static_cast<int>(own.size());
      if (own.size() == 0) continue;
      const double slack = kSlack * x.cwiseAbs().maxCoeff();
      if (mode(i).kind == Kind::kSticks) {
        if (own[0] < -slack) return false;
        addStick(contact, own, rows);
        rows[0] = std::max(rows[0], 0.0);
        if (contact.directions > 0 && rows.tail(contact.directions).sum() > contact.mu * rows[0] + slack) return false;
      } else {
        if (own.minCoeff() < -slack) return false;
        rows += mode(i).G * own.cwiseMax(0.0);
      }
    }
    return true;
  }

  /// Impulses in the cones with the same effect as x: the nearest point of the cone, in the kinetic metric.
  bool findImpulse(const VectorXd& x, VectorXd& impulse) {
    const MatrixXd K = cones();
    const MatrixXd gram = K.transpose() * A_ * K;
    const VectorXd q = -(K.transpose() * (response_to_x_ * x));
    VectorXd weights(q.size());
    LemkeOptions options;
    options.max_enumerated = 0;
    if (lemke_.solve(gram, q, weights, options) != LcpStatus::kSolved) return false;
    impulse = K * weights;
    return (A_ * impulse - response_to_x_ * x).cwiseAbs().maxCoeff() <= kSlack;
  }

  /// What a mode asks of the weights a >= 0 of its cones and of a slack >= 0 for each inequality: system (a, slack) =
  /// rhs.
  struct Conditions {
    MatrixXd K, system;
    VectorXd rhs;
  };

  Conditions conditions() const {
    std::vector<VectorXd> rows;  // Of v', = 0 up to `equalities`, >= 0 after them.
    const auto add = [&](int row, double a, int other, double b) {
      rows.push_back(VectorXd::Zero(A_.rows()));
      rows.back()[row] += a;
      if (other >= 0) rows.back()[other] += b;
    };
    for (size_t i = 0; i < contacts_.size(); ++i) {
      for (int k = 0; k < mode(i).B.rows(); ++k) {
        rows.push_back(VectorXd::Zero(A_.rows()));
        rows.back().segment(contacts_[i].row, mode(i).B.cols()) = mode(i).B.row(k);
      }
    }
    const auto equalities = static_cast<long>(rows.size());
    for (size_t i = 0; i < contacts_.size(); ++i) {
      const int row = contacts_[i].row, along = row + 1 + mode(i).first;
      if (mode(i).kind == Kind::kSeparates) add(row, 1, -1, 0);
      if (mode(i).kind != Kind::kSlides) continue;
      add(along, -1, -1, 0);
      for (int k = 0; k < contacts_[i].directions; ++k) {
        if (row + 1 + k != along) add(row + 1 + k, 1, along, -1);
      }
    }
    const auto count = static_cast<long>(rows.size());
    Conditions result;
    result.K = cones();
    const MatrixXd response = A_ * result.K;
    result.system = MatrixXd::Zero(count, result.K.cols() + count - equalities);
    result.rhs.resize(count);
    for (long k = 0; k < count; ++k) {
      result.system.row(k).head(result.K.cols()) = rows[k].transpose() * response;
      if (k >= equalities) result.system(k, result.K.cols() + k - equalities) = -1;
      result.rhs[k] = -rows[k].dot(v_);
    }
    return result;
  }

  /// A mode that leaves the velocity open, along the contact velocities `free`: visits its extreme velocities.
  /// @returns false unless it has none, or one alone.
  bool searchOpenMode(const MatrixXd& free, const std::function<void(const VectorXd&)>& visit) {
    if (++open_modes_ > kMostOpenModes) return false;
    const Conditions needed = conditions();
    const MatrixXd& E = needed.system;
    // Feasible? Least squares over the orthant.
    LemkeOptions options;
    options.max_enumerated = 0;
    VectorXd weights(E.cols());
    if (lemke_.solve(E.transpose() * E, -(E.transpose() * needed.rhs), weights, options) != LcpStatus::kSolved)
      return false;
    if (!((E * weights - needed.rhs).cwiseAbs().maxCoeff() <= kSlack)) return true;
    publish(needed.K * weights.head(needed.K.cols()), visit);
    // Its extent: the linear program min p'x, E x = rhs, x >= 0 as an LCP, for p along and against each free direction.
    const long n = E.cols(), rows = E.rows();
    MatrixXd program = MatrixXd::Zero(n + 2 * rows, n + 2 * rows);
    program.block(n, 0, rows, n) = E;
    program.block(n + rows, 0, rows, n) = -E;
    program.block(0, n, n, rows) = -E.transpose();
    program.block(0, n + rows, n, rows) = E.transpose();
    VectorXd q(n + 2 * rows), x(n + 2 * rows);
    q.segment(n, rows) = -needed.rhs.array() + kProgramSlack;
    q.tail(rows) = needed.rhs.array() + kProgramSlack;
    bool single = true;
    for (long k = 0; k < 2 * free.cols(); ++k) {
      const VectorXd direction = free.col(k / 2) / free.col(k / 2).norm();
      q.head(n).setZero();
      q.head(needed.K.cols()) = (k % 2 ? 1 : -1) * (needed.K.transpose() * (A_ * direction));
      if (lemke_.solve(program, q, x, options) != LcpStatus::kSolved) return false;
      publish(needed.K * x.head(needed.K.cols()), visit);
      const VectorXd difference = A_ * (needed.K * (x.head(needed.K.cols()) - weights.head(needed.K.cols())));
      single = single && difference.cwiseAbs().maxCoeff() <= kSlack;
    }
    return single;
  }

  /// The generators of all contacts' impulse cones, columns.
  MatrixXd cones() const {
    long generators = 0, at = 0;
    for (size_t i = 0; i < contacts_.size(); ++i) generators += mode(i).cone.cols();
    MatrixXd K = MatrixXd::Zero(A_.rows(), generators);
    for (size_t i = 0; i < contacts_.size(); ++i) {
      const MatrixXd& cone = mode(i).cone;
      K.block(contacts_[i].row, at, cone.rows(), cone.cols()) = cone;
      at += cone.cols();
    }
    return K;
  }

  const Mode& mode(size_t contact) const { return contacts_[contact].modes[chosen_[contact]]; }

  const ContactLcp& lcp_;
  LemkeSolver& lemke_;
  std::vector<Contact> contacts_;
  std::vector<int> order_;  // Of J's rows, contact by contact.
  double combinations_ = 1;
  std::vector<std::vector<MatrixXd>> response_;  // A G of each contact's modes.
  std::vector<size_t> chosen_;
  int open_modes_ = 0;
  MatrixXd A_, S_, response_to_x_;
  VectorXd v_, rhs_, after_;
};

}  // namespace

ModeSearch findModeSolutions(const ContactLcp& lcp, LemkeSolver& lemke, const std::vector<bool>& never_slides,
                             const std::function<void(const VectorXd& impulse)>& visit) {
  ModeEnumeration search(lcp, lemke, never_slides);
  if (!(search.combinations() <= kMostModes)) return {};
  return search.run(visit);
}

}  // namespace rigor::impact
