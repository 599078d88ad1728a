// SPDX-License-Identifier: MIT
#include "verify/filter/kinematics_filter.h"

#include <algorithm>
#include <cmath>

#include "verify/filter/ball_algebra.h"
#include "verify/kernel/laws.h"

namespace rigor::verify::filter {
namespace {

// |x| <= limit, for certain.
bool isWithin(const Ball& x, const Ball& limit) { return isAtLeast(limit, x) && isAtLeast(limit, -x); }

double largest(const double* values, int count) {
  double size = 0;
  for (int i = 0; i < count; ++i) size = std::max(size, std::abs(values[i]));
  return size;
}

/// What fewer than 20 roundings of 2^-53 leave of a sum of what is not negative, twice over; and what underflows loses,
/// of numbers up to kLargestUsual.
constexpr double kSpinRounding = 0x1p-47, kSpinUnderflow = 0x1p-900, kLargestUsual = 0x1p50;

// As spinsRight(), of usual numbers: one bound of all roundings.
bool certainlySpinsRight(const kernel::Piece& piece, bool end, double h, double slack) {
  const int n = piece.q_degree;
  const double *q = piece.q[end ? n : 0], *w = piece.velocity + (end ? 9 : 3), *from = piece.q[end ? n - 1 : 0];
  double rate[4], norm = 0, q_sum = 0, rate_sum = 0;
  for (int k = 0; k < 4; ++k) {
    rate[k] = n * (from[4 + k] - from[k]);
    norm += q[k] * q[k], q_sum += std::abs(q[k]), rate_sum += std::abs(rate[k]);
  }
  const double size = largest(piece.q[0], 4 * (n + 1)), fast = largest(w, 3);
  if (!(piece.t0 >= 0 && std::max({size, fast, h}) <= kLargestUsual)) return false;
  const double limit = slack * fast * norm + 4 * kernel::kControlRounding * (size * size),
               rounding = kSpinRounding * (2 * q_sum * rate_sum + h * fast * norm + limit) + kSpinUnderflow;
  double most = 0;
  for (int k = 0; k < 3; ++k) {
    const int a = (k + 1) % 3 + 1, b = (k + 2) % 3 + 1;
    const double spin = 2 * (q[0] * rate[k + 1] - rate[0] * q[k + 1] - rate[a] * q[b] + rate[b] * q[a]);
    most = std::max(most, std::abs(spin - h * w[k] * norm));
  }
  return most + rounding <= limit;
}

// No lift at all, of usual numbers.
bool certainlyFollows(const kernel::Piece& piece, bool end, double h, double slack) {
  const int n = piece.p_degree;
  const double *v = piece.velocity + (end ? 6 : 0), *from = piece.p[end ? n - 1 : 0];
  const double size = largest(piece.p[0], 3 * (n + 1)), fast = largest(v, 3);
  if (!(piece.t0 >= 0 && std::max({size, fast, h}) <= kLargestUsual)) return false;
  const double limit = 3 * (slack * fast + kernel::kControlRounding * size) * (1 - kSpinRounding);
  bool follows = true;
  for (int k = 0; k < 3; ++k) {
    const double moved = n * (from[3 + k] - from[k]), due = h * v[k];
    follows &= std::abs(moved - due) + kSpinRounding * (std::abs(moved) + std::abs(due)) + kSpinUnderflow <= limit;
  }
  return follows;
}

// 2 vec(q' q*) = w |q|^2, both times h.
bool spinsRight(const kernel::Piece& piece, bool end, const Ball& h, const Ball& slack) {
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
  const double size = largest(piece.q[0], 4 * (n + 1));
  Ball limit = slack, square = size;
  limit *= largest(w, 3);
  limit *= norm;
  square *= size;
  addProduct(Ball(4 * kernel::kControlRounding), square, limit);
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
    if (!isWithin(spin, limit)) return false;
  }
  return true;
}

// As the kernel's, with room for every rounding.
bool areNear(const double* a, const double* b) {
  constexpr double kRoom = 1.001;
  const auto product = [](const double* x, const double* y) {
    return x[0] * y[0] + x[1] * y[1] + x[2] * y[2] + x[3] * y[3];
  };
  return 2 * product(a, b) >= kRoom * std::max(product(a, a), product(b, b));
}

}  // namespace

bool provesKinematics(const kernel::Piece& piece, double gap_nominal, double bound, double& lift, double& time) {
  Ball h = piece.t1, slack = piece.t1;
  h -= piece.t0;
  slack *= kernel::kTimeRounding;
  addProduct(Ball(kernel::kRateRounding), h, slack);
  lift = 0;
  for (int i = 0; i < piece.q_degree; ++i)
    if (!areNear(piece.q[i], piece.q[i + 1])) return false;
  for (const bool end : {false, true}) {
    const bool spins = piece.q_degree > 0 && certainlySpinsRight(piece, end, h.value, slack.value);
    if (!spins && !spinsRight(piece, end, h, slack)) return false;
    if (piece.p_degree > 0 && certainlyFollows(piece, end, h.value, slack.value)) continue;
    const int n = piece.p_degree, i = end ? n : 1;
    const double* v = piece.velocity + (end ? 6 : 0);
    Ball rounding = slack;
    rounding *= largest(v, 3);
    addProduct(Ball(kernel::kControlRounding), Ball(largest(piece.p[0], 3 * (n + 1))), rounding);
    for (int k = 0; k < 3; ++k) {
      Ball d;
      if (n > 0) {
        d = piece.p[i][k];
        d -= piece.p[i - 1][k];
        d *= n;
      }
      subtractProduct(h, Ball(v[k]), d);
      for (Ball side : {d, -d}) {  // side / 3 - rounding <= bound gap_nominal
        Ball triple = rounding;
        triple *= 3;
        side -= triple;
        const double most = side.upper() / (3 * gap_nominal) * (1 + 0x1p-50);
        if (!(most <= bound * (1 - 0x1p-50))) return false;
        if (most > lift) lift = most, time = end ? piece.t1 : piece.t0;
      }
    }
  }
  return true;
}

}  // namespace rigor::verify::filter
