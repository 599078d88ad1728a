// SPDX-License-Identifier: MIT
#include "dynamics/loop_constraints.h"

#include <Eigen/Geometry>
#include <Eigen/Householder>
#include <algorithm>
#include <cmath>
#include <utility>

#include "dynamics/forward_dynamics.h"
#include "dynamics/kinematics.h"
#include "dynamics/quaternion.h"
#include "elementary/require.h"

namespace rigor::dynamics {

namespace {

using Eigen::Vector3d;

/// Share of a row, in the metric of M^-1, that the rows before it do not span: below it, what is left is rounding.
constexpr double kIndependent = 1e-9;
/// Of the largest entry of all rows of a kind, or of the model's arms: a row smaller than that is rounding, a direction
/// that is closed always.
constexpr double kNoRow = 1e-9;
constexpr double kLocked = 1e-8;  // Of the unit velocities of a closed mechanism: smaller ones are rounding.
constexpr int kMostRounds = 20;         // Of Newton's method, which doubles the digits.
constexpr double kStopsHelping = 0.5;   // A round that leaves more of the gap is the last.
constexpr double kFactorServes = 0.1;   // Of the gap: a round that leaves less needs no factor of its own after it.
constexpr double kRounded = 4e-16;      // Of the coordinates of what loops join: gaps up to that are closed. Where
                                        // loops hold joints to second order, 1e-15 of a gap moves them by 3e-8.

/// A loop's frame on one of its links, in the world.
geom::Pose placeFrame(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, int link,
                      const geom::Pose& frame) {
  if (link == kWorld) return frame;
  const geom::Pose X = linkPose(model, workspace, link);
  return {multiply(X.q, frame.q), X * frame.p};
}

struct PlacedLoop {
  geom::Pose a, b;
  Eigen::Matrix3d Ra, Rb;

  PlacedLoop(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, const LoopDescription& loop)
      : a(placeFrame(model, workspace, loop.link_a, loop.frame_a)),
        b(placeFrame(model, workspace, loop.link_b, loop.frame_b)),
        Ra(a.rotation()),
        Rb(b.rotation()) {}
  /// Axes of the rows on the relative angular velocity; of a hinge d(x_a . z_b) = (w_b - w_a) . (z_b x x_a).
  Vector3d turn(LoopType type, int k) const {
    return type == LoopType::kHinge ? Vector3d(Rb.col(2).cross(Ra.col(k))) : Vector3d(Vector3d::Unit(k));
  }
};

int anglesOf(LoopType type) { return type == LoopType::kPoint ? 0 : type == LoopType::kHinge ? 2 : 3; }

/// The rotation vector from a to b, for small ones: twice the vector part of b a^-1.
Vector3d turnBetween(const geom::Pose& a, const geom::Pose& b) {
  const Eigen::Vector4d inverse(a.q[0], -a.q[1], -a.q[2], -a.q[3]);
  Eigen::Vector4d q = multiply(b.q, inverse);
  q /= q.norm();
  return (q[0] < 0 ? -2 : 2) * q.tail<3>();
}

void addRow(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, const LoopDescription& loop,
            const PlacedLoop& at, const Vector6d& direction, Eigen::VectorXd& row) {
  row.setZero();
  if (loop.link_b != kWorld) addLinkForce(model, workspace, loop.link_b, at.b.p, direction, row);
  if (loop.link_a != kWorld) addLinkForce(model, workspace, loop.link_a, at.a.p, -direction, row);
}

/// Of the points that loops join, and of directions if there are any: what gaps round to.
double largestCoordinate(const ArticulatedModel& model, const ArticulatedWorkspace& workspace) {
  double largest = 0;
  for (const LoopDescription& loop : model.loops()) {
    if (anglesOf(loop.type) > 0) largest = std::max(largest, 1.0);
    largest = std::max(largest, PlacedLoop(model, workspace, loop).a.p.cwiseAbs().maxCoeff());
  }
  return largest;
}

/// G', a column a row of G.
void calcLoopRows(const ArticulatedModel& model, ArticulatedWorkspace& workspace) {
  ArticulatedWorkspace::LoopData& data = workspace.loops;
  int k = 0;
  for (const LoopDescription& loop : model.loops()) {
    const PlacedLoop at(model, workspace, loop);
    for (int i = 0; i < 3 + anglesOf(loop.type); ++i, ++k) {
      Vector6d direction = Vector6d::Zero();
      if (i < 3) direction[i] = 1;
      else direction.tail<3>() = at.turn(loop.type, i - 3);
      addRow(model, workspace, loop, at, direction, data.row);
      data.rows.col(k) = data.row;
    }
  }
}

/// Scales of the rows of the Gram matrix, such that its diagonal is 1; 0 for rows that are rounding.
void scaleRows(const ArticulatedModel& model, ArticulatedWorkspace::LoopData& data) {
  double largest[2] = {model.longestArm(), 1};  // Of lengths; a turn of a joint by 1 rad turns its link by 1 rad.
  int k = 0;
  for (const LoopDescription& loop : model.loops())
    for (int i = 0; i < 3 + anglesOf(loop.type); ++i, ++k)
      if (i < 3) largest[0] = std::max(largest[0], data.rows.col(k).cwiseAbs().maxCoeff());
  k = 0;
  for (const LoopDescription& loop : model.loops())
    for (int i = 0; i < 3 + anglesOf(loop.type); ++i, ++k) {
      const bool any = data.rows.col(k).cwiseAbs().maxCoeff() > kNoRow * largest[i >= 3];
      data.scale[k] = any ? 1 / std::sqrt(data.gram(k, k)) : 0;
    }
}

/// Cholesky's factor of the independent rows, by the largest pivot; in the order of data.order.
void factorGram(ArticulatedWorkspace::LoopData& data) {
  Eigen::MatrixXd& A = data.gram;
  const int m = static_cast<int>(A.cols());
  for (int k = 0; k < m; ++k) data.order[k] = k;
  data.rank = 0;
  for (int k = 0; k < m; ++k) {
    int best = k;
    for (int i = k + 1; i < m; ++i)
      if (A(i, i) > A(best, best)) best = i;
    if (!(A(best, best) > kIndependent)) break;  // NaN -> none is left
    if (best != k) {
      std::swap(data.order[k], data.order[best]);
      A.row(k).swap(A.row(best));
      A.col(k).swap(A.col(best));
    }
    A(k, k) = std::sqrt(A(k, k));
    for (int i = k + 1; i < m; ++i) A(i, k) /= A(k, k);
    for (int j = k + 1; j < m; ++j)
      for (int i = k + 1; i < m; ++i) A(i, j) -= A(i, k) * A(j, k);
    ++data.rank;
  }
}

/// data.force = (G M^-1 G')^-1 data.force, 0 on rows that are redundant.
void solveGram(ArticulatedWorkspace::LoopData& data) {
  const Eigen::MatrixXd& L = data.gram;
  Eigen::VectorXd &x = data.solved, &force = data.force;
  for (int k = 0; k < data.rank; ++k) {
    x[k] = data.scale[data.order[k]] * force[data.order[k]];
    for (int i = 0; i < k; ++i) x[k] -= L(k, i) * x[i];
    x[k] /= L(k, k);
  }
  force.setZero();
  for (int k = data.rank; k-- > 0;) {
    for (int i = k + 1; i < data.rank; ++i) x[k] -= L(i, k) * x[i];
    x[k] /= L(k, k);
    force[data.order[k]] = data.scale[data.order[k]] * x[k];
  }
}

}  // namespace

void calcLoopGaps(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, Eigen::VectorXd& gaps) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kPositions));
  gaps.resize(model.numLoopRows());
  int k = 0;
  for (const LoopDescription& loop : model.loops()) {
    const PlacedLoop at(model, workspace, loop);
    gaps.segment<3>(k) = at.b.p - at.a.p;
    k += 3;
    if (loop.type == LoopType::kHinge) {
      for (int i = 0; i < 2; ++i) gaps[k++] = at.Ra.col(i).dot(at.Rb.col(2));
    } else if (loop.type == LoopType::kWeld) {
      gaps.segment<3>(k) = turnBetween(at.a, at.b);
      k += 3;
    }
  }
}

double largestLoopGap(const ArticulatedModel& model, const ArticulatedWorkspace& workspace) {
  if (model.loops().empty()) return 0;
  Eigen::VectorXd gaps;
  calcLoopGaps(model, workspace, gaps);
  return gaps.cwiseAbs().maxCoeff();
}

void factorLoops(const ArticulatedModel& model, ArticulatedWorkspace& workspace) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kFactored));
  ArticulatedWorkspace::LoopData& data = workspace.loops;
  calcLoopRows(model, workspace);
  data.response = data.rows;
  solveOpenMassMatrixColumns(model, workspace, data.response);
  data.gram.noalias() = data.rows.transpose() * data.response;
  scaleRows(model, data);
  data.gram = (data.scale.asDiagonal() * data.gram * data.scale.asDiagonal()).eval();
  factorGram(data);
}

void closeVelocity(ArticulatedWorkspace& workspace, Eigen::Ref<Eigen::VectorXd> x) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kFactored));
  ArticulatedWorkspace::LoopData& data = workspace.loops;
  data.force.noalias() = data.rows.transpose() * x;
  solveGram(data);
  x.noalias() -= data.response * data.force;
}

void addLoopBias(const ArticulatedModel& model, const ArticulatedWorkspace& workspace, Eigen::VectorXd& rows) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kFactored | ArticulatedWorkspace::kVelocities));
  int k = 0;
  for (const LoopDescription& loop : model.loops()) {
    const PlacedLoop at(model, workspace, loop);
    const auto side = [&](int link, const Vector3d& point, auto function) {
      return link == kWorld ? Vector6d(Vector6d::Zero()) : Vector6d(function(model, workspace, link, point));
    };
    const Vector6d bias_b = side(loop.link_b, at.b.p, linkBiasAcceleration),
                   bias_a = side(loop.link_a, at.a.p, linkBiasAcceleration), bias = bias_b - bias_a;
    rows.segment<3>(k) += bias.head<3>();
    k += 3;
    if (loop.type == LoopType::kPoint) continue;
    const Vector3d wb = side(loop.link_b, at.b.p, linkVelocity).tail<3>(),
                   wa = side(loop.link_a, at.a.p, linkVelocity).tail<3>();
    for (int i = 0; i < anglesOf(loop.type); ++i, ++k) {
      rows[k] += bias.tail<3>().dot(at.turn(loop.type, i));
      if (loop.type != LoopType::kHinge) continue;
      const Vector3d x = at.Ra.col(i), z = at.Rb.col(2);
      rows[k] += (wb - wa).dot(wb.cross(z).cross(x) + z.cross(wa.cross(x)));
    }
  }
}

void closeAcceleration(const ArticulatedModel& model, ArticulatedWorkspace& workspace, Eigen::VectorXd& dv) {
  ArticulatedWorkspace::LoopData& data = workspace.loops;
  data.force.noalias() = data.rows.transpose() * dv;
  addLoopBias(model, workspace, data.force);
  solveGram(data);
  dv.noalias() -= data.response * data.force;
}

double closePositions(const ArticulatedModel& model, ArticulatedWorkspace& workspace, Eigen::VectorXd& q) {
  RIGOR_REQUIRE(!model.loops().empty());
  ArticulatedWorkspace::LoopData& data = workspace.loops;
  data.best = q;
  double least = INFINITY, last = INFINITY;
  bool fresh = false;  // The factor is of the coordinates that the last round left.
  for (int round = 0; round < kMostRounds; ++round) {
    calcPositions(model, q, workspace);
    calcLoopGaps(model, workspace, data.gaps);
    const double gap = data.gaps.cwiseAbs().maxCoeff();
    const bool helped = gap < kStopsHelping * least, serves = round > 0 && gap < kFactorServes * last;
    if (gap < least) least = gap, data.best = q;
    if ((fresh && !helped) || gap <= kRounded * largestCoordinate(model, workspace)) break;
    fresh = !serves;
    if (fresh) factorInertia(model, workspace);
    last = gap;
    data.force = data.gaps;
    solveGram(data);
    data.step.noalias() = -(data.response * data.force);
    integrate(model, q, data.step, 1, q);
  }
  q = data.best;
  calcPositions(model, q, workspace);
  return least;
}

double closeLoops(const ArticulatedModel& model, ArticulatedWorkspace& workspace, ArticulatedState& state) {
  if (model.loops().empty()) return 0;
  const double gap = closePositions(model, workspace, state.q);
  factorInertia(model, workspace);
  closeVelocity(workspace, state.v);
  return gap;
}

namespace {

/// An orthonormal basis of what is across the columns, which are independent: the last columns of Q of Householder's
/// QR. Unblocked: Eigen's HouseholderQR costs the compiler seconds, and these are few.
Eigen::MatrixXd across(Eigen::MatrixXd columns) {
  const Eigen::Index n = columns.rows(), rank = columns.cols();
  Eigen::VectorXd factors(rank), work(n);
  for (Eigen::Index k = 0; k < rank; ++k) {
    double length = 0;
    columns.col(k).tail(n - k).makeHouseholderInPlace(factors[k], length);
    columns.bottomRightCorner(n - k, rank - k - 1)
        .applyHouseholderOnTheLeft(columns.col(k).tail(n - k - 1), factors[k], work.data());
  }
  Eigen::MatrixXd Q = Eigen::MatrixXd::Identity(n, n).rightCols(n - rank);
  for (Eigen::Index k = rank - 1; k >= 0; --k)
    Q.bottomRows(n - k).applyHouseholderOnTheLeft(columns.col(k).tail(n - k - 1), factors[k], work.data());
  return Q;
}

}  // namespace

Eigen::MatrixXd closedVelocities(const ArticulatedModel& model, const ArticulatedWorkspace& workspace) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kFactored));
  const ArticulatedWorkspace::LoopData& data = workspace.loops;
  const int n = model.numVelocities();
  if (data.rank == 0) return Eigen::MatrixXd::Identity(n, n);
  Eigen::MatrixXd rows(n, data.rank);
  for (int k = 0; k < data.rank; ++k) rows.col(k) = data.rows.col(data.order[k]).normalized();
  return across(rows);
}

std::vector<char> lockedVelocities(const ArticulatedModel& model, const ArticulatedWorkspace& workspace) {
  RIGOR_REQUIRE(workspace.has(ArticulatedWorkspace::kFactored));
  std::vector<char> locked(model.numVelocities(), 0);
  if (workspace.loops.rank == 0) return locked;
  const Eigen::MatrixXd closed = closedVelocities(model, workspace);
  for (int i = 0; i < model.numVelocities(); ++i) locked[i] = !(closed.row(i).norm() > kLocked);
  return locked;
}

}  // namespace rigor::dynamics
