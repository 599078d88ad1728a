// SPDX-License-Identifier: MIT
#include "verify/branch_motion.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <limits>
#include <tuple>

#include "verify/vector_checks.h"

namespace rigor::verify {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Velocity columns against the derivative of the control points, relative. They are for the reader: no guarantee rests
/// on them.
constexpr double kVelocityTolerance = 1e-9;
/// How far a contact may have raised the inner control points of a position, in gap floors (half the nominal gap).
constexpr double kRaisedControl = 200;
/// Rounding of that derivative, in units of |control point| / duration.
constexpr double kVelocityRounding = 64 * 0x1p-53;
/// Rounding of a piece's two times, in units of them: the step that was integrated differs by it from their difference.
constexpr double kTimeRounding = 0x1p-52;

using Velocity = std::array<double, 6>;

// Velocity of the polynomial at one end, and the rounding that separates it from any other way to compute it.
Velocity derivative(const Piece& m, bool at_end, double& v_rounding, double& w_rounding) {
  const double h = m.t1 - m.t0;
  Velocity velocity{};
  v_rounding = w_rounding = 0;
  if (m.p_degree > 0) {
    const int i = at_end ? m.p_degree : 1;
    for (int k = 0; k < 3; ++k) velocity[k] = m.p_degree * (m.p[i][k] - m.p[i - 1][k]) / h;
    v_rounding = kVelocityRounding * m.p_degree * largest(m.p[0], 3 * (m.p_degree + 1)) / h;
  }
  if (m.q_degree > 0) {
    const int i = at_end ? m.q_degree : 1;
    const double* q = m.q[at_end ? m.q_degree : 0];
    double d[4], n = 0;
    for (int k = 0; k < 4; ++k) {
      d[k] = m.q_degree * (m.q[i][k] - m.q[i - 1][k]) / h;
      n += q[k] * q[k];
    }
    // w = 2 vec(q' q*) / |q|^2
    for (int k = 0; k < 3; ++k) {
      const int a = (k + 1) % 3 + 1, b = (k + 2) % 3 + 1;
      velocity[3 + k] = 2 * (q[0] * d[k + 1] - d[0] * q[k + 1] - (d[a] * q[b] - d[b] * q[a])) / n;
    }
    const double size = largest(m.q[0], 4 * (m.q_degree + 1));
    w_rounding = kVelocityRounding * m.q_degree * size * size / n / h;
  }
  return velocity;
}

}  // namespace

Pose poseOf(const Piece& m, bool at_end) {
  Pose pose;
  std::memcpy(pose.data(), m.p[at_end ? m.p_degree : 0], 3 * sizeof(double));
  std::memcpy(pose.data() + 3, m.q[at_end ? m.q_degree : 0], 4 * sizeof(double));
  return pose;
}

bool sameBits(const Pose& a, const Pose& b) { return std::memcmp(a.data(), b.data(), sizeof a) == 0; }

bool BranchMotion::sort(CheckedRecord& record, const Branch& branch, std::vector<Piece>& rows) {
  bool ok = true;
  const bool root = branch.parent.empty();
  for (const Piece& m : rows) {
    if (!record.hasBody(m.body)) {
      record.fail({true, branch.id, m.id, {}, m.t0, fmt::format("a piece of body {}, which does not exist", m.body)});
      return false;
    }
    const bool fixed = record.bodies[m.body].fixed;
    if (!allFinite(m.p[0], 3 * (m.p_degree + 1)) || !allFinite(m.q[0], 4 * (m.q_degree + 1)) || !std::isfinite(m.t0))
      ok = false, record.failPiece(branch, m, m.t0, "a control point or time is not finite");
    else if (fixed && !(root && m.t0 == 0 && m.t1 == kInfinity && m.p_degree == 0 && m.q_degree == 0))
      ok = false, record.failPiece(branch, m, m.t0, "a fixed body moves");
    else if (!fixed && !(m.t0 < m.t1 && std::isfinite(m.t1)))
      ok = false, record.failPiece(branch, m, m.t0, "a piece ends before it starts");
  }
  if (!ok) return false;
  std::sort(rows.begin(), rows.end(),
            [](const Piece& a, const Piece& b) { return std::tie(a.body, a.t0, a.id) < std::tie(b.body, b.t0, b.id); });
  if (root)
    fixed_.clear();
  else
    std::erase_if(rows, [&](const Piece& m) { return record.bodies[m.body].fixed; });
  pieces_ = std::move(rows);
  trajectories_.assign(record.bodies.size(), {});
  for (std::size_t first = 0, last; first < pieces_.size(); first = last) {
    for (last = first; last < pieces_.size() && pieces_[last].body == pieces_[first].body;) ++last;
    const int body = pieces_[first].body;
    if (!record.bodies[body].fixed)
      trajectories_[body] = Trajectory({&pieces_[first], last - first});
    else if (last - first == 1)
      fixed_[body] = pieces_[first];
    else
      record.failPiece(branch, pieces_[first + 1], 0, "a fixed body has more than one piece"), ok = false;
  }
  for (std::size_t b = 0; b < record.bodies.size(); ++b) {
    if (!record.bodies[b].fixed) continue;
    if (const auto found = fixed_.find(static_cast<int>(b)); found != fixed_.end())
      trajectories_[b] = Trajectory({&found->second, 1});
    else
      record.fail({true, branch.id, -1, {record.bodies[b].name, ""}, 0, "a fixed body has no pose"}), ok = false;
  }
  return ok;
}

bool BranchMotion::check(CheckedRecord& record, const Branch& branch) const {
  std::atomic<bool> ok{true};
  record.parallel(pieces_.size(), 256, [&](WitnessProver& prover, std::size_t i) {
    const Piece& m = pieces_[i];
    if (const Verdict verdict = prover.proveOrientation(m); verdict.proof != Proof::kProved)
      ok = false, record.failPiece(branch, m, verdict.time, verdict.reason, verdict.proof == Proof::kRefuted);
    if (record.bodies[m.body].fixed) return;
    const double tolerance = kVelocityTolerance + kTimeRounding * m.t1 / (m.t1 - m.t0);
    for (const bool at_end : {false, true}) {
      double v_rounding, w_rounding;
      const Velocity expected = derivative(m, at_end, v_rounding, w_rounding);
      const double* recorded = m.velocity + (at_end ? 6 : 0);
      const double raised = m.p_degree * kRaisedControl * record.header.gap_floor / (m.t1 - m.t0);
      if (!agree(recorded, expected.data(), tolerance, v_rounding + raised) ||
          !agree(recorded + 3, expected.data() + 3, tolerance, w_rounding))
        record.failPiece(
            branch, m, at_end ? m.t1 : m.t0,
            fmt::format("the velocity at its {} is not that of its control points", at_end ? "end" : "start"));
    }
    if (i == 0 || pieces_[i - 1].body != m.body) return;
    const Piece& before = pieces_[i - 1];
    if (m.t0 != before.t1)
      ok = false,
      record.failPiece(branch, m, m.t0,
                       fmt::format("it {} piece {}, which ends at {}",
                                   m.t0 < before.t1 ? "overlaps" : "leaves a hole after", before.id, before.t1));
    else if (!sameBits(poseOf(m, false), poseOf(before, true)))
      record.failPiece(branch, m, m.t0, fmt::format("it does not start where piece {} ends", before.id));
  });
  return ok;
}

bool BranchMotion::movesNothing(const std::vector<Body>& bodies) const {
  return std::none_of(pieces_.begin(), pieces_.end(), [&](const Piece& m) { return !bodies[m.body].fixed; });
}

std::int64_t BranchMotion::pieceAt(int body, double time) const {
  std::size_t first, last;
  if (!std::isfinite(time)) return -1;
  trajectories_[body].range(time, kInfinity, first, last);
  return first < last ? trajectories_[body].pieces()[first].id : -1;
}

}  // namespace rigor::verify
