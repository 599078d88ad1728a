// SPDX-License-Identifier: MIT
#include "elementary/elementary.h"
#include "impact/coulomb_stages.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numbers>

namespace rigor::impact {

bool startFromPolygon(const CoulombTask& task, CoulombWorkspace& w, int round, int series) {
  const int m = task.m, rows = 3 * m;
  constexpr int kRegular = 6, kAround = 3;
  const double spread = std::numbers::pi / kRegular / elementary::power(3.0, round - 1);
  // Unknowns: normals, then friction directions, then one slip speed per contact with friction.
  int n = m, cones = 0;
  for (int i = 0; i < m; ++i) {
    if (w.kind[i] == kCoulomb || w.kind[i] == kNeverSlips) ++cones, n += kRegular + (round > 0 ? kAround : 0);
  }
  const int directions = n - m;
  w.polygon_columns.setZero(rows, n);
  w.polygon_matrix.setZero(n + cones, n + cones);
  w.polygon_q.setZero(n + cones);
  w.polygon_z.setZero(n + cones);
  auto& U = w.polygon_columns;  // force per unknown
  std::vector<int>& first = w.pivot;
  int next = m;
  for (int i = 0; i < m; ++i) {
    U(3 * i, i) = 1;
    first[i] = next;
    if (w.kind[i] == kSliding) {
      U(3 * i + 1, i) = -task.problem.mu[i] * task.problem.direction[i].x();
      U(3 * i + 2, i) = -task.problem.mu[i] * task.problem.direction[i].y();
    }
    if (w.kind[i] != kCoulomb && w.kind[i] != kNeverSlips) continue;
    const double centre = elementary::atan2(-w.d[i].y(), -w.d[i].x());
    for (int k = 0; k < kRegular; ++k, ++next) {
      const double angle = centre + 2 * std::numbers::pi * k / kRegular;
      U(3 * i + 1, next) = elementary::cos(angle), U(3 * i + 2, next) = elementary::sin(angle);
    }
    for (int k = 0; round > 0 && k < kAround; ++k, ++next) {
      const double angle = centre + spread * (k == 0 ? 1 : k == 1 ? -1 : 0.5);
      U(3 * i + 1, next) = elementary::cos(angle), U(3 * i + 2, next) = elementary::sin(angle);
    }
  }
  double largest = 0;
  for (int i = 0; i < rows; ++i) largest = std::max(largest, task.diagonal(i));
  if (!(largest > 0)) return false;
  // Rows: normal accelerations and those along the friction directions.
  Eigen::MatrixXd& G = w.polygon_matrix;
  G.topLeftCorner(n, n).noalias() = U.transpose() * (task.problem.A * U) / largest;
  w.polygon_q.head(n).noalias() = U.transpose() * task.problem.b / task.scale;
  for (int i = 0; i < m; ++i) {
    if (w.kind[i] != kSliding) continue;  // its equation is that of the normal alone
    G.row(i).head(n) = (task.problem.A.row(3 * i) * U) / largest;
    w.polygon_q[i] = task.problem.b[3 * i] / task.scale;
  }
  int cone = n;
  for (int i = 0; i < m; ++i) {
    if (w.kind[i] != kCoulomb && w.kind[i] != kNeverSlips) continue;
    const double mu = std::min(task.problem.mu[i], 1e6), damp = 1 / std::max(1.0, mu);
    const int count = directions / cones;
    for (int k = first[i]; k < first[i] + count; ++k) G(k, cone) = damp, G(cone, k) = -damp;
    G(cone, i) = mu * damp;
    ++cone;
  }
  w.covering.resize(n + cones);
  std::uint64_t state = static_cast<std::uint64_t>(series);
  for (double& c : w.covering) {
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    c = series == 0 ? 1 : 0.1 + static_cast<double>(state >> 40) / (1 << 24);
  }
  LemkeOptions lemke_options;
  lemke_options.covering = w.covering.data();
  if (w.lemke.solve(G, w.polygon_q, w.polygon_z, lemke_options) != LcpStatus::kSolved) return false;
  Eigen::Map<Eigen::VectorXd> f(w.f.data(), rows);
  f.noalias() = U * w.polygon_z.head(n) * (task.scale / largest);
  multiply(task, w, w.f.data(), w.a.data());
  cone = n;
  for (int i = 0; i < m; ++i) {
    w.kappa[i] = -1;
    w.modes[i] = w.f[3 * i] > 0 ? ContactMode::kSlip : ContactMode::kFree;
    const bool has_cone = w.kind[i] == kCoulomb || w.kind[i] == kNeverSlips;
    const bool slips = has_cone && w.polygon_z[cone] > 0;
    if (has_cone) ++cone;
    if (!has_cone || w.modes[i] == ContactMode::kFree) continue;
    if (w.kind[i] == kNeverSlips || !slips) {
      w.modes[i] = ContactMode::kStick;
      continue;
    }
    const double s_t = std::max(task.diagonal(3 * i + 1), task.diagonal(3 * i + 2));
    const double p1 = -s_t * w.f[3 * i + 1] + w.a[3 * i + 1], p2 = -s_t * w.f[3 * i + 2] + w.a[3 * i + 2];
    const double length = std::sqrt(p1 * p1 + p2 * p2);
    if (length > 0) w.d[i] = Eigen::Vector2d(p1 / length, p2 / length);
    updateKappa(task, w, i);
  }
  return true;
}

bool searchFromPolygons(const CoulombTask& task, CoulombWorkspace& w, int rounds, int all_series) {
  for (int series = 0; series < all_series; ++series) {
    for (int round = 0; round < rounds; ++round) {
      if (!startFromPolygon(task, w, round, series)) break;
      // The polygons are inscribed: where nothing slips their solution is exact.
      if (noteCandidate(task, w) <= task.target) return true;
      std::copy_n(w.d.data(), task.m, w.kept_d.data());
      if (searchActiveSet(task, w, kFinishingChanges + std::min(task.m, kFewContacts * 4))) return true;
      std::copy_n(w.kept_d.data(), task.m, w.d.data());
    }
  }
  if (!(w.best_residual <= task.tolerance)) return false;
  takeBest(task, w);
  return true;
}

}  // namespace rigor::impact
