// SPDX-License-Identifier: MIT
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>

#include "verify/tables/tables.h"

namespace rigor::verify::tables {
namespace {

using kernel::Joint;
using kernel::JointType;
using recorded::CoordinateState;
using recorded::JointsRow;

/// A coordinate against the links: these follow their joint to `joint_fit`. Relative, or in rad, m and their rates.
constexpr double kFit = 1e-5;
/// Of the largest coordinate of a curve's points: what the rest of a curve that was cut is beside it.
constexpr double kRestFit = 1e-9;
/// What an actuator did against the record's rounded wrenches (2^-29), relative, and where there is none.
constexpr double kEffortRounding = 1e-6, kNoEffort = 1e-12;  // [N m s] or [N s]
/// From one row to the next a joint turns by what its rates say, to less than this [rad]: by which turn it is known.
constexpr double kLessThanHalfATurn = 3;

bool near(double a, double b) { return std::abs(a - b) <= kFit * (1 + std::abs(b)); }  // NaN is not near.

template <std::size_t n>
double cubicAt(const double (&points)[4][n], int degree, std::size_t i, double u) {
  double value[4];
  for (int k = 0; k <= degree; ++k) value[k] = points[k][i];
  for (int level = degree; level > 0; --level)
    for (int k = 0; k < level; ++k) value[k] = (1 - u) * value[k] + u * value[k + 1];
  return value[0];
}

template <std::size_t n>
bool isRest(const double (&longer)[4][n], int degree, const double (&shorter)[4][n], double from, double to) {
  double size = 0;
  for (int k = 0; k <= degree; ++k)
    for (std::size_t i = 0; i < n; ++i) size = std::max(size, std::abs(longer[k][i]));
  for (int k = 0; k <= 3; ++k)
    for (std::size_t i = 0; i < n; ++i) {
      const double u = k / 3.0, whole = cubicAt(longer, degree, i, from + u * (to - from));
      if (!(std::abs(cubicAt(shorter, degree, i, u) - whole) <= kRestFit * size)) return false;  // NaN is none.
    }
  return true;
}

bool rests(const kernel::Piece* piece) { return piece && piece->p_degree == 0 && piece->q_degree == 0; }

/// Whether a piece goes on with the curve of the one before it, which was cut to be looked at: no step starts there.
bool goesOn(const kernel::Piece& before, const kernel::Piece& piece) {
  if (before.t1 != piece.t0 || before.step != piece.step || before.p_degree != piece.p_degree ||
      before.q_degree != piece.q_degree)
    return false;
  // The longer one says more of the curve.
  const bool swaps = piece.t1 - piece.t0 > before.t1 - before.t0;
  const kernel::Piece &longer = swaps ? piece : before, &shorter = swaps ? before : piece;
  const double h = longer.t1 - longer.t0, from = (shorter.t0 - longer.t0) / h, to = (shorter.t1 - longer.t0) / h;
  return isRest(longer.p, longer.p_degree, shorter.p, from, to) &&
         isRest(longer.q, longer.q_degree, shorter.q, from, to);
}

class JointTable {
 public:
  JointTable(const Branch& branch, int robot) : x_(branch), robot_(robot), names_(x_.text.coordinates[robot_]) {
    for (std::size_t j = 0; j < joints().size(); ++j) {
      const std::string name = x_.motion.model().robots[robot_].name + "/" + joints()[j].name;
      const auto is_own = [&](const std::string& other) { return other == name || other.starts_with(name + "."); };
      const auto first = std::find_if(names_.begin(), names_.end(), is_own);
      first_.push_back(joints()[j].loop || first == names_.end() ? -1 : static_cast<int>(first - names_.begin()));
    }
  }

  void check() {
    const JointsRow* before = nullptr;
    for (const JointsRow& row : x_.rows.joints) {
      if (row.robot == static_cast<int>(robot_) && x_.isNowhere(row.time))
        return fail(row, -1, "its branch does not go on there");
      if (row.robot != static_cast<int>(robot_) || x_.isPast(row.time)) continue;
      if (before && !(before->time < row.time)) return fail(row, -1, "it is not later than the one before it");
      if (!check(row, before)) return;
      before = &row;
    }
    checkNoneMissing();
  }

 private:
  const std::vector<Joint>& joints() const { return x_.motion.model().robots[robot_].joints; }
  void fail(const JointsRow& row, int body, const std::string& reason) const {
    x_.fail(row.time, body, fmt::format("row {} of 'joints': {}", row.id, reason));
  }

  // Every piece of a link that moves has its row, but for those that go on with the one before, or with what a branch
  // left.
  void checkNoneMissing() const {
    const auto moves = [&](const Joint& joint) { return !x_.motion.fixed(joint.child); };
    const auto joint = std::find_if(joints().begin(), joints().end(), moves);
    if (joint == joints().end() || !x_.proof().run().actions_known) return;
    std::set<double> times;
    for (const JointsRow& row : x_.rows.joints)
      if (row.robot == static_cast<int>(robot_)) times.insert(row.time);
    const bool branches = x_.proof().branch().parent >= 0;
    const auto pieces = x_.proof().piecesOf(joint->child);
    for (const kernel::Piece& piece : pieces) {
      if (x_.isPast(piece.t0)) return;
      const bool first = &piece == &pieces[0];
      if (rests(&piece) || times.contains(piece.t0) || (first ? branches : goesOn(*(&piece - 1), piece))) continue;
      return x_.fail(piece.t0, joint->child, "no row of 'joints' tells of a step of the robot");
    }
  }

  bool check(const JointsRow& row, const JointsRow* before) {
    for (std::size_t j = 0; j < joints().size(); ++j) {
      if (joints()[j].loop || tellsNothingOf(j)) continue;
      const std::string wrong = wrongWith(row, before, j);
      if (wrong.empty()) continue;
      fail(row, joints()[j].child, fmt::format("joint '{}': {}", joints()[j].name, wrong));
      return false;
    }
    return true;
  }

  bool tellsNothingOf(std::size_t j) const { return first_[j] < 0 && x_.text.joints[robot_][j].leader.empty(); }

  std::string wrongWith(const JointsRow& row, const JointsRow* before, std::size_t j) const {
    const Joint& joint = joints()[j];
    const std::optional<BodyAt> child = x_.motion.atStart(joint.child, row.time),
                                parent = joint.parent < 0 ? std::optional<BodyAt>(BodyAt())
                                                          : x_.motion.atStart(joint.parent, row.time);
    if (!child || !parent) return "no piece of its links starts there";
    const std::vector<CoordinateState> found = jointPosition(joint, linkOf(*parent), linkOf(*child));
    if (const std::string wrong = wrongWithLeader(row, j, found); first_[j] < 0 || !wrong.empty()) return wrong;
    for (std::size_t k = 0; k < found.size(); ++k) {
      const double* const told = valuesOf(row, j) + 3 * k;
      const bool turns = joint.type != JointType::kPrismatic && !(joint.type == JointType::kPlanar && k < 2);
      if (!isAt(found[k].position, told[0], turns)) return "its position is not that of its links";
      const double rate = found[k].velocity;
      if (!(std::abs(told[1] - rate) <= kFit * (1 + std::abs(rate)) + catchUp(joint, row.time)))
        return "its rate is not that of its links";
      if (!turns || !before) continue;
      const double* const last = valuesOf(*before, j) + 3 * k;
      const double end = restsFrom(joint, before->time, row.time), rate_at_end = atEnd(joint, end, found)[k].velocity;
      const double expected = last[0] + (end - before->time) * (last[1] + rate_at_end) / 2;
      if (!(std::abs(told[0] - expected) < kLessThanHalfATurn)) return "its position is off by a turn";
    }
    return wrongWithEffort(row, j);
  }
  // Rests have no rows. @returns when the first one of a joint's links begins that starts in [t0, t1); t1: none does.
  double restsFrom(const Joint& joint, double t0, double t1) const {
    const bool holds = joint.parent < 0 || x_.motion.fixed(joint.parent);
    const auto pieces = x_.proof().piecesOf(joint.child);
    const kernel::Piece *piece = x_.motion.starting(joint.child, t0), *const end = pieces.data() + pieces.size();
    for (; piece && piece != end && piece->t0 < t1; ++piece)
      if (rests(piece) && (holds || rests(x_.motion.starting(joint.parent, piece->t0)))) return piece->t0;
    return t1;
  }
  // Where the step ends that leads to `time`: an impact there changes the rates.
  std::vector<CoordinateState> atEnd(const Joint& joint, double time, const std::vector<CoordinateState>& after) const {
    const std::optional<BodyAt> child = x_.motion.atEnd(joint.child, time),
                                parent = joint.parent < 0 ? std::optional<BodyAt>(BodyAt())
                                                          : x_.motion.atEnd(joint.parent, time);
    return child && parent ? jointPosition(joint, linkOf(*parent), linkOf(*child)) : after;
  }
  // Links that were cut at a fork catch up with their joints' motion in the piece after it: at most so fast.
  double catchUp(const Joint& joint, double time) const {
    const kernel::Branch& branch = x_.proof().branch();
    if (branch.parent < 0 || time != branch.fork_time) return 0;
    const kernel::Piece* const piece = x_.motion.starting(joint.child, time);
    return piece ? kFit / (piece->t1 - piece->t0) : 0;
  }
  static bool isAt(double position, double told, bool turns) {
    return near(turns ? std::remainder(position - told, 2 * M_PI) : position - told, 0);
  }
  const double* valuesOf(const JointsRow& row, std::size_t j) const {
    return &row.values[3 * static_cast<std::size_t>(first_[j])];
  }

  std::string wrongWithLeader(const JointsRow& row, std::size_t j, const std::vector<CoordinateState>& found) const {
    const recorded::JointText& more = x_.text.joints[robot_][j];
    if (more.leader.empty() || found.size() != 1) return {};
    const auto leader =
        std::find_if(joints().begin(), joints().end(), [&](const Joint& other) { return other.name == more.leader; });
    if (leader == joints().end() || first_[leader - joints().begin()] < 0) return "it follows no joint";
    const double* const other = valuesOf(row, leader - joints().begin());
    const bool turns = joints()[j].type != JointType::kPrismatic;
    return isAt(found[0].position, more.ratio * other[0] + more.offset, turns) &&
                   near(found[0].velocity, more.ratio * other[1])
               ? ""
               : "it does not follow the other joint at its ratio";
  }

  std::string wrongWithEffort(const JointsRow& row, std::size_t j) const {
    if (!x_.proof().run().actions_known) return {};
    const Joint& joint = joints()[j];
    const Eigen::Vector3d axis = axisOf(joint, *x_.motion.atStart(joint.child, row.time));
    double did = 0, h = 0;  // Along the axis where it acts: that at the start, turned by less than a right angle.
    for (const kernel::Action* action : x_.acted.stepsFrom(row.time))
      for (const kernel::Wrench& wrench : action->wrenches) {
        if (wrench.robot != static_cast<int>(robot_)) continue;
        h = action->t1 - action->t0;
        if (wrench.joint != static_cast<int>(j) || wrench.source != kernel::Wrench::Source::kActuator) continue;
        for (const kernel::Twisting& impulse : wrench.impulses) {
          const Eigen::Vector3d along = vectorOf(joint.type == JointType::kPrismatic ? impulse.P : impulse.moment);
          did += std::copysign(along.norm(), along.dot(axis));
        }
      }
    return !(h > 0) || std::abs(valuesOf(row, j)[2] * h - did) <= kEffortRounding * std::abs(did) + kNoEffort
               ? ""
               : "its effort is not what its actuator did";
  }

  const Branch& x_;
  const std::size_t robot_;
  const std::vector<std::string>& names_;
  std::vector<int> first_;  // Of each joint: place of its first coordinate; -1: it has none.
};

}  // namespace

void checkJoints(const Branch& branch) {
  for (std::size_t r = 0; r < branch.text.coordinates.size(); ++r)
    if (!branch.text.coordinates[r].empty()) JointTable(branch, static_cast<int>(r)).check();
}

}  // namespace rigor::verify::tables
