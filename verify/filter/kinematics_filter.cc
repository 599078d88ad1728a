// SPDX-License-Identifier: MIT
#include "verify/filter/kinematics_filter.h"

#include <algorithm>
#include <cmath>

#include "verify/filter/ball_algebra.h"
#include "verify/kernel/laws.h"

namespace rigor::verify::filter {
namespace {

double largest(const double* values, int count) {
  double size = 0;
  for (int i = 0; i < count; ++i) size = std::max(size, std::abs(values[i]));
  return size;
}

// (|x| - 3 allowed) / (3 unit), from above.
double beyond(const Ball& x, const Ball& allowed, double unit) {
  double most = 0;
  for (Ball side : {x, -x}) {
    subtractProduct(allowed, Ball(3), side);
    const double ratio = side.upper() / (3 * unit);
    most = ratio <= 0 ? most : ratio >= most ? ratio : std::isnan(ratio) ? HUGE_VAL : most;
  }
  return most * (1 + 0x1p-50);
}

// What the curve turns by beside w, |2 vec(q' q*) / |q|^2 - w| h / 3, beyond roundings, from above [rad].
double turnLift(const kernel::Piece& piece, bool end, const Ball& h, const Ball& slack) {
  const int n = piece.q_degree, i = end ? n : 1;
  const double *q = piece.q[end ? n : 0], *w = piece.velocity + (end ? 9 : 3);
  Ball norm, rate[4];
  for (int k = 0; k < 4; ++k) {
    addProduct(Ball(q[k]), Ball(q[k]), norm);
    if (n == 0) continue;
    rate[k] = piece.q[i][k];
    rate[k] -= piece.q[i - 1][k];
    rate[k] *= n;
  }
  const double size = largest(piece.q[0], 4 * (n + 1)), least_norm = -(-norm).upper();
  if (!(least_norm > 0)) return HUGE_VAL;
  Ball allowed = slack, square = size;
  allowed *= largest(w, 3);
  allowed *= norm;
  square *= size;
  addProduct(Ball(4 * kernel::kControlRounding), square, allowed);
  allowed *= Ball(0.333);  // Of a third; less is safe.
  double most = 0;
  for (int k = 0; k < 3; ++k) {
    const int a = (k + 1) % 3 + 1, b = (k + 2) % 3 + 1;
    Ball spin;
    addProduct(Ball(q[0]), rate[k + 1], spin);
    subtractProduct(rate[0], Ball(q[k + 1]), spin);
    subtractProduct(rate[a], Ball(q[b]), spin);
    addProduct(rate[b], Ball(q[a]), spin);
    spin *= 2;
    Ball turned = h;
    turned *= w[k];
    subtractProduct(turned, norm, spin);
    most = std::max(most, beyond(spin, allowed, least_norm));
  }
  return most;
}

}  // namespace

bool provesKinematics(const kernel::Piece& piece, double gap_nominal, double length, double bound, double& lift, double& time) {
  Ball h = piece.t1, slack = piece.t1;
  h -= piece.t0;
  slack *= kernel::kTimeRounding;
  addProduct(Ball(kernel::kRateRounding), h, slack);
  lift = 0;
  for (const bool end : {false, true}) {
    const int n = piece.p_degree, i = end ? n : 1;
    const double* v = piece.velocity + (end ? 6 : 0);
    Ball rounding = slack;
    rounding *= largest(v, 3);
    addProduct(Ball(kernel::kControlRounding), Ball(largest(piece.p[0], 3 * (n + 1))), rounding);
    double most = turnLift(piece, end, h, slack) * length / gap_nominal * (1 + 0x1p-50);
    for (int k = 0; k < 3; ++k) {
      Ball d;
      if (n > 0) {
        d = piece.p[i][k];
        d -= piece.p[i - 1][k];
        d *= n;
      }
      subtractProduct(h, Ball(v[k]), d);
      most = std::max(most, beyond(d, rounding, gap_nominal));
    }
    if (!(most <= bound * (1 - 0x1p-50))) return false;
    if (most > lift) lift = most, time = end ? piece.t1 : piece.t0;
  }
  return true;
}

}  // namespace rigor::verify::filter
