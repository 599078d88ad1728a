// SPDX-License-Identifier: MIT
#include "impact/coulomb_stages.h"

#include <algorithm>
#include <cmath>


namespace rigor::impact {
namespace {

// Largest tangential compliance, in units of the tangential inverse mass, before a contact is opened instead.
constexpr double kSoftest = 100;

}  // namespace

bool searchByCompliance(const CoulombTask& task, CoulombWorkspace& w, int max_changes) {
  const int m = task.m;
  for (int i = 0; i < m; ++i) {
    w.soft[i] = 0;
    w.age[i] = 0;
    w.modes[i] = w.kind[i] == kFrictionless || w.kind[i] == kSliding ? ContactMode::kSlip : ContactMode::kStick;
  }
  bool solved = false;
  for (int change = 0, settled = 0; change < max_changes; ++change) {
    ++w.stats.set_changes;
    if (!solveActive(task, w)) break;
    const double* a = w.a.data();
    const double* f = w.f.data();
    const bool bulk = m > kFewContacts && change < max_changes / 4;
    int worst = -1;
    double value = -task.sign;
    for (int i = 0; i < m; ++i) {
      const double v = w.modes[i] == ContactMode::kFree ? a[3 * i] : task.diagonal(3 * i) * f[3 * i];
      if (v < value) value = v, worst = i;
    }
    if (worst >= 0) {
      for (int i = 0; i < m; ++i) {
        const bool free = w.modes[i] == ContactMode::kFree;
        const double v = free ? a[3 * i] : task.diagonal(3 * i) * f[3 * i];
        if (i != worst && !(bulk && v < 0.3 * value)) continue;
        if (!free) {
          // Friction that pulls the contact away must yield before the contact may open.
          const double s_t = w.local[i].lambda[0];
          if (w.kind[i] == kCoulomb && w.soft[i] < kSoftest * s_t) {
            w.soft[i] = 10 * std::max(w.soft[i], 0.3 * s_t);
            w.modes[i] = ContactMode::kSlip;
            w.age[i] = 1;
          } else {
            w.modes[i] = ContactMode::kFree;
          }
        } else {
          w.modes[i] = w.kind[i] == kFrictionless || w.kind[i] == kSliding ? ContactMode::kSlip : ContactMode::kStick;
          w.soft[i] = 0;
        }
      }
      continue;
    }
    double largest_change = 0;
    for (int i = 0; i < m; ++i) {
      if (w.kind[i] != kCoulomb || w.modes[i] == ContactMode::kFree) continue;
      const double f1 = f[3 * i + 1], f2 = f[3 * i + 2], limit = task.problem.mu[i] * std::max(f[3 * i], 0.0);
      const double length = std::sqrt(f1 * f1 + f2 * f2), s_t = w.local[i].lambda[1];
      // Exact for one contact with one tangential direction: f_t = q / (S + soft).
      const double ratio = std::min(limit > 0 ? length / limit : 1e3, 1e3);
      const double next = w.soft[i] + (ratio - 1) * (s_t + w.soft[i]);
      double soft = next > 0 && length > 0 ? next : 0;
      if (w.age[i]) soft = std::max(soft, 0.25 * w.soft[i]);
      largest_change = std::max(largest_change, std::abs(soft - w.soft[i]) / (soft + w.soft[i] + s_t));
      w.soft[i] = soft;
      w.modes[i] = soft > 0 ? ContactMode::kSlip : ContactMode::kStick;
      if (soft > 0) w.d[i] = Eigen::Vector2d(-f1 / length, -f2 / length);
    }
    if (largest_change > 0.1 && ++settled % 8 != 0) continue;
    // Finish by Newton; from its failure the compliances continue.
    for (int i = 0; i < m; ++i) {
      w.kept_soft[i] = w.soft[i];
      w.kept_modes[i] = w.modes[i];
      w.kept_d[i] = w.d[i];
      w.kappa[i] = -1;
      if (w.modes[i] == ContactMode::kSlip && w.kind[i] == kCoulomb) w.kappa[i] = w.soft[i];
      w.soft[i] = 0;
    }
    solved = searchActiveSet(task, w, kFinishingChanges + std::min(m, kFewContacts * 4));
    if (solved) break;
    for (int i = 0; i < m; ++i) {
      w.soft[i] = w.kept_soft[i];
      w.modes[i] = w.kept_modes[i];
      w.d[i] = w.kept_d[i];
    }
  }
  for (int i = 0; i < m; ++i) w.soft[i] = 0;
  return solved;
}

}  // namespace rigor::impact
