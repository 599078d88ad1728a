// SPDX-License-Identifier: MIT
#include "sim/contact_sweeps.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>

#include "elementary/elementary.h"

namespace rigor::sim {

using Eigen::Matrix3d;
using Eigen::Vector3d;

void ContactSweeps::prepare() {
  for (Row& r : rows) {
    r.block.setZero();
    if (r.slot_a >= 0) r.block.noalias() += r.at->Ja * r.at->WJa;
    if (r.slot_b >= 0) r.block.noalias() += r.at->Jb * r.at->WJb;
    bool invertible = false;
    r.block.computeInverseWithCheck(r.inverse, invertible, 1e-12 * elementary::power(r.block.trace(), 3));
    if (!invertible) r.inverse.setZero();
    const double bound = std::max(r.block(1, 1), r.block(2, 2)) + std::abs(r.block(1, 2));
    r.slip_share = bound > 0 ? 1 / bound : 0;
  }
}

void ContactSweeps::addImpulses(std::span<Vector6d> u) const {
  for (const Row& r : rows) {
    if (r.impulse.isZero(0)) continue;
    if (r.slot_a >= 0) u[r.slot_a].noalias() += r.at->WJa * r.impulse;
    if (r.slot_b >= 0) u[r.slot_b].noalias() += r.at->WJb * r.impulse;
  }
}

double ContactSweeps::solve(std::span<Vector6d> u, int max_sweeps, double tolerance) {
  const int m = static_cast<int>(rows.size());
  double largest = 0;
  for (int s = 0; s < max_sweeps; ++s) {
    ++sweeps;
    largest = 0;
    for (int k = 0; k < m; ++k) {
      Row& r = rows[s % 2 ? m - 1 - k : k];
      Vector3d w(r.offset, 0, 0);
      if (r.slot_a >= 0) w.noalias() += r.at->Ja * u[r.slot_a];
      if (r.slot_b >= 0) w.noalias() += r.at->Jb * u[r.slot_b];
      if (w[0] >= 0 && r.impulse[0] == 0) continue;
      const Vector3d old = r.impulse;
      // Stick, if the cone allows it; else the normal first, then friction for it.
      Vector3d next = old - r.inverse * w;
      const bool cone = next[0] > 0 && (std::isinf(r.mu) || next.tail<2>().squaredNorm() <= r.mu * r.mu * next[0] * next[0]);
      if (!cone || r.inverse(0, 0) == 0) {
        next = old;
        for (int pass = 0; pass < 3; ++pass) {
          next[0] = std::max(0.0, next[0] - (w[0] + r.block.row(0).dot(next - old)) / r.block(0, 0));
          const Vector3d now = w + r.block * (next - old);
          next.tail<2>() -= r.slip_share * now.tail<2>();
          const double limit = r.mu * next[0], length = next.tail<2>().norm();
          if (next[0] == 0) next.tail<2>().setZero();
          else if (length > limit) next.tail<2>() *= limit / length;
        }
      }
      const Vector3d change = next - old;
      if (change.isZero(0)) continue;
      r.impulse = next;
      if (r.slot_a >= 0) u[r.slot_a].noalias() += r.at->WJa * change;
      if (r.slot_b >= 0) u[r.slot_b].noalias() += r.at->WJb * change;
      largest = std::max(largest, (r.block * change).cwiseAbs().maxCoeff());
    }
    if (largest <= tolerance) break;
  }
  return largest;
}

}  // namespace rigor::sim
