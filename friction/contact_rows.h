// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>

#include "friction/block_factor.h"
#include "friction/problem.h"
#include "friction/wide.h"

/// What Problem does with one contact, in line for the loops over all of them.
namespace rigor::friction {

/// The projection of the natural map: of z = f - step * w, scaled. Coulomb's has no branches: no processor foresees
/// which contacts are open, and which slip.
inline Eigen::Vector3d projected(const Problem::Contact& c, const Eigen::Vector3d& z) {
  constexpr double kLeast = 1e-300;  // What does not slip is divided by its own radius, and never by zero.
  const double n = z[0] > 0 ? z[0] : 0;  // NaN carries nothing, and shows in the residual.
  switch (c.law) {
    case ContactLaw::kFrictionless: break;
    case ContactLaw::kSliding: return {n, -c.mu * n * c.direction[0], -c.mu * n * c.direction[1]};
    case ContactLaw::kSticks: return n > 0 ? Eigen::Vector3d(n, z[1], z[2]) : Eigen::Vector3d(n, 0, 0);
    case ContactLaw::kCoulomb: {
      const double radius = c.mu * n, length = std::sqrt(z[1] * z[1] + z[2] * z[2]);
      const double least = radius > kLeast ? radius : kLeast;
      const double share = radius / (least > length ? least : length);
      return {n, share * z[1] + 0.0, share * z[2] + 0.0};
    }
  }
  return {n, 0, 0};
}

/// v += J^T f.
inline void addRows(const Problem& problem, const Problem::Contact& c, const Eigen::Vector3d& f, double* v) {
  for (const Problem::Side& side : c.side) {
    if (side.body < 0) continue;
    const Problem::Body& b = problem.bodies()[side.body];
    const double* x = problem.rows(side);
    double* out = v + b.first;
    const int n = b.size;
    if (n == kFreeBody) addTransposed6(x, f.data(), out);
    else
      for (int k = 0; k < n; ++k) out[k] += x[k] * f[0] + x[n + k] * f[1] + x[2 * n + k] * f[2];
  }
}

/// J v.
inline Eigen::Vector3d timesRows(const Problem& problem, const Problem::Contact& c, const double* v) {
  double w[3] = {0, 0, 0};
  for (const Problem::Side& side : c.side) {
    if (side.body < 0) continue;
    const Problem::Body& b = problem.bodies()[side.body];
    const double* x = problem.rows(side);
    const double* in = v + b.first;
    const int n = b.size;
    if (n == kFreeBody) addProduct6(x, in, w);
    else
      for (int k = 0; k < n; ++k) w[0] += x[k] * in[k], w[1] += x[n + k] * in[k], w[2] += x[2 * n + k] * in[k];
  }
  return {w[0], w[1], w[2]};
}

/// w = J v + offset.
inline Eigen::Vector3d contactVelocity(const Problem& problem, const Problem::Contact& c, const double* v) {
  return c.offset + timesRows(problem, c, v);
}

/// f - step * (J v + offset), number by number: pairs of numbers would wait for each other in memory.
inline Eigen::Vector3d backward(const Problem& problem, const Problem::Contact& c, const Eigen::Vector3d& f,
                                double step, const double* v) {
  const Eigen::Vector3d w = timesRows(problem, c, v);
  return {f[0] - step * (c.offset[0] + w[0]), f[1] - step * (c.offset[1] + w[1]),
          f[2] - step * (c.offset[2] + w[2])};
}

}  // namespace rigor::friction
