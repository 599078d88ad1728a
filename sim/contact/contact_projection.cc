// SPDX-License-Identifier: MIT
#include "sim/contact/contact_system.h"

#include <algorithm>
#include <cmath>

// Projections of velocities and gaps: the rows of what touches, closed by the least motion.

namespace rigor::sim {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using friction::ContactMode;

namespace {

/// Rows of a projection whose pivot falls below this share of the largest are combinations of the others [-].
constexpr double kRankEpsilon = 1e-11;
/// How far an impulse of a projection may lie outside of its friction cone, with robots and of free bodies alone, of
/// m V of the lighter side [-], beyond what the contact's force does in the window. To take a slip of 1e-7 m/s away,
/// the two wheels of an axle would push each other along it by a thousand times their weight, and stop the car's roll
/// by it; of dice thrown together three would squeeze each other by a hundred m V.
constexpr double kOutside = 1e-3, kFreeOutside = 0.1;

/// Impulses of a projection that are larger, in m V of the lighter side [-], and come from a pivot below this share of
/// the largest, cancel but for rounding: contacts that wedge a robot push each other apart by hundreds of m V to take
/// 1e-9 V away. What the row asks for is left to the step. Free bodies let go of each other instead: nuts in a heap
/// would be met again and again.
constexpr double kLargestPush = 10, kWeakPivot = 1e-6;

/// Impulses of free bodies that are larger, in m V of the lighter side [-], are left away where what they close counts
/// as closed. Contacts around a brick that has turned by a thousandth say nearly the same: to take 1e-9 V away they
/// pushed and pulled by .03 m V, without friction.
constexpr double kNeedlessPush = 1e-3;

/// Factors the positive semidefinite S in place by Cholesky with diagonal pivoting: row i of pivot k's column is
/// S(i, k), for i that comes later in `order`. A column is worked out when its turn comes, so that dependent rows cost
/// little. @returns the numerical rank.
int factorSemidefinite(Eigen::Ref<Eigen::MatrixXd> S, std::vector<int>& order) {
  const int n = static_cast<int>(S.rows());
  order.resize(n);
  for (int i = 0; i < n; ++i) order[i] = i;
  double largest = 0;
  int rank = 0;
  for (; rank < n; ++rank) {
    int pivot = rank;
    for (int i = rank + 1; i < n; ++i)
      if (S(order[i], order[i]) > S(order[pivot], order[pivot])) pivot = i;
    std::swap(order[rank], order[pivot]);
    const int k = order[rank];
    const double d = S(k, k);
    if (rank == 0) largest = d;
    if (!(d > kRankEpsilon * largest)) break;
    const double root = std::sqrt(d);
    double* const column = &S(0, k);
    for (int j = 0; j < rank; ++j) {
      const double* const known = &S(0, order[j]);
      const double l = known[k];
      if (l == 0) continue;  // Most contacts share no body.
      for (int i = 0; i < n; ++i) column[i] -= l * known[i];
    }
    for (int i = 0; i < n; ++i) column[i] /= root;
    column[k] = root;
    for (int i = rank + 1; i < n; ++i) {
      const double l = column[order[i]];
      S(order[i], order[i]) -= l * l;
    }
  }
  return rank;
}

/// Solves S x = r in place with the factors of S; rows beyond the numerical rank get x = 0.
void solveSemidefinite(const Eigen::Ref<const Eigen::MatrixXd>& S, const std::vector<int>& order, int rank,
                       Eigen::Ref<Eigen::VectorXd> r) {
  for (int i = 0; i < rank; ++i) {
    double sum = r[order[i]];
    for (int j = 0; j < i; ++j) sum -= S(order[i], order[j]) * r[order[j]];
    r[order[i]] = sum / S(order[i], order[i]);
  }
  for (int i = rank - 1; i >= 0; --i) {
    double sum = r[order[i]];
    for (int j = i + 1; j < rank; ++j) sum -= S(order[j], order[i]) * r[order[j]];
    r[order[i]] = sum / S(order[i], order[i]);
  }
  for (int i = rank; i < static_cast<int>(r.size()); ++i) r[order[i]] = 0;
}

/// Mass of a body, or of the robot that it is a link of; infinite of what does not move [kg].
double massOf(const SystemState& bodies, int slot) {
  if (slot < 0) return HUGE_VAL;
  if (bodies[slot].robot < 0) return bodies[slot].model->mass;
  const SystemRobot& robot = bodies.robots[bodies[slot].robot];
  double mass = 0;
  for (size_t i = 0; i < robot.links.size(); ++i) mass += bodies[robot.first_slot + i].model->mass;
  return mass;
}

}  // namespace

/// Couplings of rows_, factored.
void ContactSystem::factorRows(std::span<const Contact> contacts) {
  const int n = static_cast<int>(rows_.size());
  if (S_.rows() < n) S_.resize(n, n);
  for (const int row : rows_) respond(row / 3);
  // Rows of one contact follow one another.
  const auto endOf = [&](int i) {
    int end = i + 1;
    while (end < n && rows_[end] / 3 == rows_[i] / 3) ++end;
    return end;
  };
  for (int i = 0, i_end; i < n; i = i_end) {
    i_end = endOf(i);
    const int ci = rows_[i] / 3;
    for (int j = 0, j_end; j <= i; j = j_end) {
      j_end = endOf(j);
      const int cj = rows_[j] / 3;
      if (i_end == i + 1 && j_end == j + 1) {
        S_(i, j) = S_(j, i) =
            coupling(contacts[ci], kinematics_[ci], rows_[i] % 3, contacts[cj], kinematics_[cj], rows_[j] % 3);
        continue;
      }
      const Matrix3d block = coupling(contacts[ci], kinematics_[ci], contacts[cj], kinematics_[cj]);
      for (int a = i; a < i_end; ++a)
        for (int b = j; b < j_end; ++b) S_(a, b) = S_(b, a) = block(rows_[a] % 3, rows_[b] % 3);
    }
  }
  rank_ = factorSemidefinite(S_.topLeftCorner(n, n), pivots_);
}

/// Impulses that change rows_ by rhs_, into rhs_.
void ContactSystem::solveRows() {
  const int n = static_cast<int>(rows_.size());
  solveSemidefinite(S_.topLeftCorner(n, n), pivots_, rank_, rhs_.head(n));
}

/// Moves the bodies, or changes their velocities, so that rows_ change by rhs_.
void ContactSystem::applyRows(SystemState& bodies, std::span<const Contact> contacts, bool positions) {
  const int n = static_cast<int>(rows_.size());
  displacement_.resize(bodies.robots.size());
  for (size_t r = 0; r < bodies.robots.size(); ++r) displacement_[r].setZero(bodies.robots[r].model->numVelocities());
  for (int i = 0; i < n; ++i) {
    if (rhs_[i] == 0) continue;
    const int ci = rows_[i] / 3, ri = rows_[i] % 3;
    const Contact& c = contacts[ci];
    const Kinematics& k = kinematics_[ci];
    auto move = [&](SystemBody& body, const Vector6d& direction) {
      const Vector6d d = rhs_[i] * direction;
      if (positions) {
        body.state.pose.p += d.head<3>();
        body.state.pose.q += dynamics::quaternionRate(body.state.pose.q, d.tail<3>());
      } else {
        body.state.v += d.head<3>();
        body.state.w += d.tail<3>();
      }
    };
    if (c.slot_a >= 0 && k.side_a < 0) move(bodies[c.slot_a], k.WJa.col(ri));
    if (c.slot_b >= 0 && k.side_b < 0) move(bodies[c.slot_b], k.WJb.col(ri));
    for (const int side : {k.side_a, k.side_b})
      if (side >= 0) displacement_[sides_[side].robot] += rhs_[i] * sides_[side].response.col(ri);
  }
  for (size_t r = 0; r < bodies.robots.size(); ++r) {
    SystemRobot& robot = bodies.robots[r];
    if (positions) {
      dynamics::integrate(*robot.model, robot.state.q, displacement_[r], 1, robot.state.q);
    } else {
      displacement_[r] += robot.state.v;
      setRobotVelocity(bodies, static_cast<int>(r), displacement_[r]);
    }
  }
}

/// Counts the row with the least pivot as a combination of the others where that is small and impulses are too large
/// for what they do; of free bodies, where it takes a push to close what counts as closed. @returns whether it was so.
bool ContactSystem::dropWeakest(const SystemState& bodies, std::span<const Contact> contacts, const Usual& usual) {
  if (rank_ < 2) return false;
  if (bodies.robots.empty()) {
    const int last = pivots_[rank_ - 1];
    const double push = std::abs(rhs_[last]), closes = push * S_(last, last) * S_(last, last),
                 none = kNeedlessPush * lighterSide(bodies, contacts[rows_[last] / 3]) * usual.speed;
    if (!(closes <= usual.closed && push > none)) return false;
    --rank_;
    return true;
  }
  const double largest = S_(pivots_[0], pivots_[0]), least = S_(pivots_[rank_ - 1], pivots_[rank_ - 1]);
  if (!(least * least < kWeakPivot * largest * largest)) return false;
  for (size_t i = 0; i < rows_.size(); ++i) {
    const Contact& contact = contacts[rows_[i] / 3];
    if (contact.isBrake() || !(std::abs(rhs_[i]) > kLargestPush * lighterSide(bodies, contact) * usual.speed)) continue;
    --rank_;
    return true;
  }
  return false;
}

double ContactSystem::lighterSide(const SystemState& bodies, const Contact& contact) const {
  return contact.isLimit() ? massOf(bodies, bodies.robots[contact.robot].first_slot)
                           : std::min(massOf(bodies, contact.slot_a), massOf(bodies, contact.slot_b));
}

/// Leaves out rows: of the brake that would bear most of what its friction can within the window, if that is more than
/// it can; contacts without slip may wedge its joint by any force, all of them inside of their cones. Else, where an
/// impulse lies too far outside of its cone, of the contact that is farthest outside: it slips; where none does so, of
/// the one that pulls most: it opens. Others are closed without it. @returns whether there was one.
bool ContactSystem::letGo(const SystemState& bodies, std::span<const Contact> contacts, const Usual& usual) {
  const int n = static_cast<int>(rows_.size());
  const double outside = bodies.robots.empty() ? std::max(kOutside, usual.pulls * kFreeOutside) : kOutside;
  double slips = 0, pulls = 0, bears = 1;
  int slipping = -1, pulling = -1, bearing = -1;
  for (int i = 0, end; i < n; i = end) {
    const int c = rows_[i] / 3;
    const Contact& contact = contacts[c];
    Vector3d P = Vector3d::Zero();
    for (end = i; end < n && rows_[end] / 3 == c; ++end) P[rows_[end] % 3] = rhs_[end];
    if (contact.isBrake()) {
      const double share = std::abs(P[1]) / (usual.window * contact.hold);
      if (share > bears) bears = share, bearing = c;
      continue;
    }
    const double least = outside * lighterSide(bodies, contact) * usual.speed,
                 // A limit that pulls is none, however much it will push.
                 pressed = contact.isLimit() ? 0 : usual.window * std::max(contact.force[0], 0.0),
                 normal = pressed + std::max(P[0], 0.0), pull = -P[0] - pressed - least,
                 // Without slip there is no cone but of what pulls, and all of that is a pull: two contacts may push
                 // each other apart.
                 rough = P[0] < 0 ? P.tail<2>().norm() - least : 0,
                 slip = std::isinf(contact.friction) ? rough
                                                     : P.tail<2>().norm() - contact.friction * normal - least;
    if (slip > slips) slips = slip, slipping = c;
    if (pull > pulls) pulls = pull, pulling = c;
  }
  if (bearing < 0 && slipping < 0 && pulling < 0) return false;
  const bool opens = bearing < 0 && slipping < 0;
  const int gone = bearing >= 0 ? bearing : opens ? pulling : slipping;
  std::erase_if(rows_, [&](int row) { return row / 3 == gone && (opens || row % 3 > 0); });
  factorRows(contacts);
  return true;
}

void ContactSystem::projectVelocities(SystemState& bodies, std::span<const Contact> contacts, const Usual& usual,
                                      std::span<Vector3d> impulses) {
  rows_.clear();
  for (size_t c = 0; c < contacts.size(); ++c) {
    if (!contacts[c].held || contacts[c].mode == ContactMode::kFree) continue;
    const bool sticks = contacts[c].mode == ContactMode::kStick;
    if (!contacts[c].isBrake()) rows_.push_back(static_cast<int>(3 * c));
    else if (sticks) rows_.push_back(static_cast<int>(3 * c + 1));
    if (sticks && !contacts[c].isLimit()) {
      rows_.push_back(static_cast<int>(3 * c + 1));
      rows_.push_back(static_cast<int>(3 * c + 2));
    }
  }
  if (rows_.empty()) return;
  if (rhs_.size() < static_cast<long>(rows_.size())) rhs_.resize(rows_.size());
  const auto readVelocities = [&] {
    for (size_t i = 0; i < rows_.size();) {
      const int c = rows_[i] / 3;  // Rows of one contact follow one another.
      const Vector3d u = contactVelocity(bodies, contacts[c], c);
      for (; i < rows_.size() && rows_[i] / 3 == c; ++i) rhs_[i] = -u[rows_[i] % 3];
    }
  };
  readVelocities();
  if (rhs_.head(static_cast<long>(rows_.size())).isZero(0)) return;  // As in what rests: nothing to take away.
  factorRows(contacts);
  // The second pass removes what rounding and the rank cut of the first one left.
  for (int pass = 0; pass < 2; ++pass) {
    do {
      if (rows_.empty()) return;
      do {
        readVelocities();
        solveRows();
      } while (dropWeakest(bodies, contacts, usual));
    } while (letGo(bodies, contacts, usual));
    applyRows(bodies, contacts, false);
    if (impulses.empty()) continue;
    for (size_t i = 0; i < rows_.size(); ++i) impulses[rows_[i] / 3][rows_[i] % 3] += rhs_[i];
  }
}

double ContactSystem::projectGaps(SystemState& bodies, std::span<const Contact> contacts, double tolerance) {
  rows_.clear();
  double worst = 0;
  for (size_t c = 0; c < contacts.size(); ++c)
    if ((contacts[c].loaded || contacts[c].pressed) && !contacts[c].isBrake()) rows_.push_back(static_cast<int>(3 * c));
  if (rows_.empty()) return 0;
  if (rhs_.size() < static_cast<long>(rows_.size())) rhs_.resize(rows_.size());
  for (size_t i = 0; i < rows_.size(); ++i) {
    rhs_[i] = contacts[rows_[i] / 3].target - kinematics_[rows_[i] / 3].gap;
    worst = std::max(worst, std::abs(rhs_[i]));
  }
  if (worst <= tolerance) return worst;  // NaN moves, and shows.
  factorRows(contacts);
  solveRows();
  applyRows(bodies, contacts, true);
  return worst;
}

}  // namespace rigor::sim
