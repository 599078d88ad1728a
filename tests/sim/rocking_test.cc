// SPDX-License-Identifier: MIT
// Proves that a rocking block loses at every impact what Housner's formula says, and comes to rest when the sum of its
// half periods says. Oracle: r = 1 - 3/2 sin^2(alpha) for the ratio of angular rates, an independent integration of the
// rocking inverted pendulum between impacts for the times.   [Housner63]
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

constexpr double kPull = 9.81, kWidth = 2, kHeight = 8;

/// Rocking about a lower edge, tilt theta >= 0: theta'' = -p^2 sin(alpha - theta), p^2 = 3 g / (4 R).
struct Pendulum {
  double alpha = std::atan2(kWidth, kHeight), p_sq = 3 * kPull / (4 * 0.5 * std::hypot(kWidth, kHeight));

  /// Classical Runge-Kutta until theta falls to zero; @returns the time, and the rate there in `w`.
  double fall(double theta, double& w) const {
    const double h = 1e-5 / std::sqrt(p_sq);
    double t = 0;
    bool up = true;
    while (true) {
      auto a = [&](double x) { return -p_sq * std::sin(alpha - x); };
      const double k1 = w, l1 = a(theta), k2 = w + h / 2 * l1, l2 = a(theta + h / 2 * k1), k3 = w + h / 2 * l2,
                   l3 = a(theta + h / 2 * k2), k4 = w + h * l3, l4 = a(theta + h * k3);
      const double next = theta + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4), next_w = w + h / 6 * (l1 + 2 * l2 + 2 * l3 + l4);
      up = up && next > theta;
      if (next <= 0 && !up) {
        const double share = theta / (theta - next);
        w += share * (next_w - w);
        return t + share * h;
      }
      theta = next, w = next_w, t += h;
    }
  }
};

TEST(Rocking, HousnersRatioAtFiftyImpactsAndTheTimeOfRest) {
  Scene scene = bundledScene("rocking-block");
  scene.impact_model = "anitescu-potra";  // Symmetric: the two corners of an edge share the impulse evenly.
  const ProvedRun run = simulate(scene);
  ASSERT_EQ(wrong(run), "");

  const Pendulum pendulum;
  const double ratio = 1 - 1.5 * std::pow(std::sin(pendulum.alpha), 2);
  ASSERT_NEAR(ratio, 0.911765, 5e-7);

  // Impacts at which the block changes its foot, in the order of time.
  std::vector<double> times, ratios;
  for (const ImpactRecord& impact : run.impacts) {
    const double before = impact.before[0][4], after = impact.after[0][4];
    if (!times.empty() && impact.time - times.back() < 1e-9) {
      ratios.back() *= after / before;  // One event in several resolutions.
      continue;
    }
    times.push_back(impact.time);
    ratios.push_back(after / before);
  }
  ASSERT_GE(ratios.size(), 50u);
  for (int i = 0; i < 50; ++i) EXPECT_NEAR(ratios[i], ratio, 5e-5) << i;

  // Times of the impacts, and their limit: the half periods are integrated down to a rate of 1e-3 of the first, from
  // where on they are a geometric series of the ratio (small rocking: the half period is 2 w / (p^2 sin alpha)).
  double w = 0, t = pendulum.fall(0.1, w);
  EXPECT_NEAR(times[0], t, 1e-5);
  const double first = std::abs(w);
  size_t n = 0;
  while (std::abs(w) > 1e-3 * first) {
    if (n < std::min<size_t>(times.size(), 50)) {
      EXPECT_NEAR(times[n], t, 1e-3 * t) << n;
    }
    w = ratio * std::abs(w);
    const double launched = w;
    t += pendulum.fall(0, w);
    ASSERT_NEAR(std::abs(w), launched, 1e-4 * launched);
    ++n;
  }
  const double rest = t + 2 * ratio * std::abs(w) / (pendulum.p_sq * std::sin(pendulum.alpha)) / (1 - ratio);
  double stop = run.summary.time;
  for (size_t i = run.pieces.size(); i-- > 0;) {
    const PieceRecord& r = run.pieces[i];
    if (r.body == 1 && r.w_start.norm() > 1e-9) break;
    if (r.body == 1) stop = r.piece.t0;
  }
  EXPECT_NEAR(stop, rest, 0.01 * rest);
}

}  // namespace
}  // namespace rigor::sim::test
