// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <cmath>

#include "friction/block_factor.h"
#include "friction/problem.h"
#include "friction/wide.h"

/// What Problem does with one contact, in line for the loops over all of them.
namespace rigor::friction {

/// The projection of the natural map: of z = f - step * w, scaled.
inline Eigen::Vector3d projected(const Problem::Contact& c, const Eigen::Vector3d& z) {
  Eigen::Vector3d p(std::max(z[0], 0.0), 0, 0);
  if (!(z[0] > 0)) return p;  // NaN carries nothing, and shows in the residual.
  switch (c.law) {
    case ContactLaw::kFrictionless: break;
    case ContactLaw::kSliding: p.tail<2>() = -c.mu * p[0] * c.direction; break;
    case ContactLaw::kSticks: p.tail<2>() = z.tail<2>(); break;
    case ContactLaw::kCoulomb: {
      const double radius = c.mu * p[0], length = std::sqrt(z[1] * z[1] + z[2] * z[2]);
      const double share = length > radius ? radius / length : 1;
      p[1] = share * z[1], p[2] = share * z[2];
      break;
    }
  }
  return p;
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
  Eigen::Vector3d w(0, 0, 0);
  for (const Problem::Side& side : c.side) {
    if (side.body < 0) continue;
    const Problem::Body& b = problem.bodies()[side.body];
    const double* x = problem.rows(side);
    const double* in = v + b.first;
    const int n = b.size;
    if (n == kFreeBody) addProduct6(x, in, w.data());
    else
      for (int k = 0; k < n; ++k) w[0] += x[k] * in[k], w[1] += x[n + k] * in[k], w[2] += x[2 * n + k] * in[k];
  }
  return w;
}

}  // namespace rigor::friction
