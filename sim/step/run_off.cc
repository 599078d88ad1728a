// SPDX-License-Identifier: MIT
#include "sim/step/run_off.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "advance/feature_region.h"
#include "sim/step/end_placement.h"

namespace rigor::sim {

using advance::AxisKind;
using Eigen::Vector3d;

namespace {

// In rims, by which a contact may lie beyond its feature and still be found there: the step ends at so much, where
// nothing touches any more,
constexpr double kEnds = 2;
constexpr double kAccepted = 4;  // and no farther than that. The next one begins so: what it still finds leaves again,
                                 // at most twice as far as it is then.
constexpr double kRimOfSize = 1e-9;  // A rim is the band, or this share of the part: as ManifoldFinder has it.
constexpr int kBisections = 40;
constexpr double kNowhere = std::numeric_limits<double>::infinity();

double rimOf(const geom::Polytope& part, double band) { return std::max(band, kRimOfSize * part.size()); }

/// How far the point x of a core, in the frame of a part, is from being nearest to its corner or edge v w.
double beyondNearest(const geom::Polytope& part, int v, int w, const Vector3d& x) {
  if (part.round()) {  // Beyond a line's ends; an end is nearest where x is beyond it.
    const int first = part.numVertices(), last = part.numCorners() - 1;
    if (first == last) return -kNowhere;
    const Vector3d start = part.corner(first), line = part.corner(last) - start;
    const double length = line.norm(), s = (x - start).dot(line) / (length * length);
    return v != w ? advance::beyondEnds(s, length) : (v == first ? s : 1 - s) * length;
  }
  return v == w ? advance::beyondVertex(part, v, x) : advance::beyondEdge(part, advance::edgeBetween(part, v, w), x);
}

/// The same of a plane: beyond its face's rim; of one that no face carries, how much farther its part is.
double beyondPlane(const geom::Polytope& part, const advance::ContactFeature& f, double sign, const Vector3d& x) {
  if (f.face >= 0) return advance::beyondFace(part, f.face, x);
  if (part.round()) return -kNowhere;
  double farther = -kNowhere;
  for (int k = 0; k < part.numFaces(); ++k)
    farther = std::max(farther, part.face(k).normal.dot(x) - part.face(k).offset);
  return farther - sign * (f.axis.dot(x) - f.offset);
}

}  // namespace

/// How many rims a contact lies beyond its features at t, with the group's bodies as in `state`.
double RunOff::beyond(const Contact& contact, const SystemState& state, double t) const {
  const NearPair& pair = x_.pairs[contact.pair_index];
  const PartRuntime &part_a = x_.parts[pair.part_a], &part_b = x_.parts[pair.part_b];
  const auto *A = std::get_if<geom::Polytope>(part_a.shape), *B = std::get_if<geom::Polytope>(part_b.shape);
  const advance::ContactFeature& f = contact.feature;
  if (!A || !B) return -kNowhere;
  const auto poseOf = [&](int index, int slot) {
    const BodyRuntime& body = x_.bodies[index];
    geom::Pose pose = slot >= 0 ? state[slot].state.pose : body.piece.at(std::min(t, body.clock));
    pose.p -= pose.rotation() * body.centre;
    return pose;
  };
  const geom::Pose X_WA = poseOf(part_a.body, pair.slot_a), X_WB = poseOf(part_b.body, pair.slot_b);
  const Eigen::Matrix3d R_A = X_WA.rotation(), R_B = X_WB.rotation();
  const Vector3d between = X_WB.p - X_WA.p;
  const double rim_a = rimOf(*A, x_.scales.band), rim_b = rimOf(*B, x_.scales.band);
  if (f.kind == AxisKind::kFixedInA)
    return beyondPlane(*A, f, 1, R_A.transpose() * (R_B * B->corner(f.b0) + between)) / rim_a;
  if (f.kind == AxisKind::kFixedInB)
    return beyondPlane(*B, f, -1, R_B.transpose() * (R_A * A->corner(f.a0) - between)) / rim_b;
  if (f.kind == AxisKind::kNearest && !axisOf(f).isOfTwoLines()) {
    // Each corner as seen from the other's feature; that of a polytope is nearest to a line wherever it is over it.
    const auto ofA = [&]() -> Vector3d { return R_B.transpose() * (R_A * A->corner(f.a0) - between); };
    const auto ofB = [&]() -> Vector3d { return R_A.transpose() * (R_B * B->corner(f.b0) + between); };
    double beyond = -kNowhere;
    if (f.b0 == f.b1) beyond = beyondNearest(*A, f.a0, f.a1, ofB()) / rim_a;
    if (f.a0 == f.a1) beyond = std::max(beyond, beyondNearest(*B, f.b0, f.b1, ofA()) / rim_b);
    return beyond;
  }
  const Vector3d a0 = R_A * A->corner(f.a0), a = R_A * A->corner(f.a1) - a0, b0 = R_B * B->corner(f.b0) + between,
                 b = R_B * B->corner(f.b1) + between - b0, n = a.cross(b), d = b0 - a0;
  const double s = d.cross(b).dot(n) / n.squaredNorm(), u = d.cross(a).dot(n) / n.squaredNorm();
  return std::max(advance::beyondEnds(s, a.norm()) / rim_a, advance::beyondEnds(u, b.norm()) / rim_b);
}

/// Of all contacts; of those that were off at the start of the step, in what they were off by then for kEnds.
double RunOff::farthest(const SystemState& state, double t) const {
  double most = -kNowhere;
  for (const Contact& c : x_.contacts) {
    if (!c.held || c.isLimit()) continue;
    const double beyond = this->beyond(c, state, t);
    if (!(beyond > std::max(kEnds, most))) continue;
    most = std::max(most, beyond / std::max(1.0, this->beyond(c, x_.start, x_.t0) / kEnds));
  }
  return most;
}

bool RunOff::isOff(const Contact& contact, const SystemState& state, double t) const {
  return !contact.isLimit() && beyond(contact, state, t) > kAccepted;
}

double RunOff::first(const Trial& trial) {
  if (x_.contacts.empty() || trial.isFree()) return 1;
  // Off at `off`, by more than the step's end may be; still there at `on`.
  double on = 0, off = 1;
  if (!(farthest(trial.ends, x_.t0 + trial.h) > kAccepted)) {
    off = 0.5;  // What turns, or slides up and back, may be off in the middle, where it acts as well.
    interpolateTrial(x_, trial, off, between_);
    if (!(farthest(between_, x_.t0 + off * trial.h) > kAccepted)) return 1;
  }
  for (int k = 0; k < kBisections; ++k) {
    const double u = 0.5 * (on + off);
    interpolateTrial(x_, trial, u, between_);
    const double beyond = farthest(between_, x_.t0 + u * trial.h);
    if (beyond > kEnds && beyond <= kAccepted) return u;
    (beyond > kEnds ? off : on) = u;
  }
  return off;
}

}  // namespace rigor::sim
