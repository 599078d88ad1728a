// SPDX-License-Identifier: MIT
#include "friction/one_contact.h"

#include <algorithm>
#include <cmath>

#include "elementary/elementary.h"

namespace rigor::friction {
namespace {

// Below this fraction of A_nn the effective normal inverse mass of a sliding contact is treated as Painleve's case.
constexpr double kMinSlidingFraction = 1e-3;
// Relative floor of the eigenvalues of S: a contact whose tangential motion is blocked entirely.
constexpr double kEigenvalueFloor = 1e-13;
constexpr int kRootIterations = 60;

}  // namespace

void OneContact::prepare(const double* block, long ld) {
  nn = block[0];
  nt[0] = block[ld];
  nt[1] = block[2 * ld];
  if (!(nn > 0)) return;
  const double s11 = block[1 + ld] - nt[0] * nt[0] / nn;
  const double s22 = block[2 + 2 * ld] - nt[1] * nt[1] / nn;
  const double s12 = block[1 + 2 * ld] - nt[0] * nt[1] / nn;
  const double mean = 0.5 * (s11 + s22), half = 0.5 * (s11 - s22);
  const double radius = elementary::hypot(half, s12);
  const double floor = kEigenvalueFloor * std::max({nn, block[1 + ld], block[2 + 2 * ld]});
  lambda[0] = std::max(mean + radius, floor);
  lambda[1] = std::max(mean - radius, floor);
  if (radius > 0) {
    // Of the two formulas for the eigenvector the one without cancellation.
    double x = half >= 0 ? half + radius : s12, y = half >= 0 ? s12 : radius - half;
    const double norm = elementary::hypot(x, y);
    axis[0] = norm > 0 ? x / norm : 1;
    axis[1] = norm > 0 ? y / norm : 0;
  } else {
    axis[0] = 1;
    axis[1] = 0;
  }
}

ContactMode OneContact::solve(const double c[3], double mu, const double* slide, double f[3]) const {
  if (!(nn > 0) || c[0] >= 0) {
    f[0] = f[1] = f[2] = 0;
    return ContactMode::kFree;
  }
  if (mu == 0) {
    f[0] = -c[0] / nn;
    f[1] = f[2] = 0;
    return ContactMode::kSlip;
  }
  if (slide && std::isfinite(mu)) {
    const double effective = nn - mu * (nt[0] * slide[0] + nt[1] * slide[1]);
    if (effective > kMinSlidingFraction * nn) {
      f[0] = -c[0] / effective;
    } else {
      const double a_n = c[0] + effective * f[0];
      f[0] = std::max(0.0, f[0] - a_n / nn);
    }
    f[1] = -mu * f[0] * slide[0];
    f[2] = -mu * f[0] * slide[1];
    return f[0] > 0 ? ContactMode::kSlip : ContactMode::kFree;
  }
  // In the eigenbasis of S: f_t = -q / (lambda + kappa), f_n = free_n - g . f_t.
  const double free_n = -c[0] / nn;
  const double q1 = c[1] + nt[0] * free_n, q2 = c[2] + nt[1] * free_n;
  const double q[2] = {axis[0] * q1 + axis[1] * q2, -axis[1] * q1 + axis[0] * q2};
  const double g[2] = {(axis[0] * nt[0] + axis[1] * nt[1]) / nn, (-axis[1] * nt[0] + axis[0] * nt[1]) / nn};
  double t[2], n = 0;
  const auto excess = [&](double kappa) {
    t[0] = -q[0] / (lambda[0] + kappa);
    t[1] = -q[1] / (lambda[1] + kappa);
    n = free_n - g[0] * t[0] - g[1] * t[1];
    return std::sqrt(t[0] * t[0] + t[1] * t[1]) - mu * n;
  };
  ContactMode mode = ContactMode::kStick;
  if (std::isfinite(mu)) {
    double high_value = excess(0);
    if (high_value > 0) {
      mode = ContactMode::kSlip;
      // Root in w = 1 / (1 + kappa / lambda0) in [0, 1]: w = 1 is stick, w = 0 no friction. Illinois with bisection.
      double low = 0, high = 1, low_value = -mu * free_n;
      for (int i = 0; i < kRootIterations && high - low > 1e-16 * high; ++i) {
        double w = (low * high_value - high * low_value) / (high_value - low_value);
        if (!(w > low && w < high)) w = 0.5 * (low + high);
        if (!(w > low && w < high)) break;
        const double value = excess(lambda[0] * (1 / w - 1));
        if (value == 0) break;
        if (value > 0) {
          if (i % 3 == 2) low_value *= 0.5;
          high = w, high_value = value;
        } else {
          if (i % 3 == 2) high_value *= 0.5;
          low = w, low_value = value;
        }
        if (std::abs(value) <= 1e-15 * mu * n) break;
      }
    }
  } else {
    excess(0);
    if (!(n > 0)) {
      // No-slip with a stick force that pulls: only a normal force (the far end of the root above).
      t[0] = t[1] = 0;
      n = free_n;
    }
  }
  f[0] = std::max(n, 0.0);
  f[1] = axis[0] * t[0] - axis[1] * t[1];
  f[2] = axis[1] * t[0] + axis[0] * t[1];
  return mode;
}

}  // namespace rigor::friction
