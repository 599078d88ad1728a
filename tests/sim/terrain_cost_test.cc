// SPDX-License-Identifier: MIT
// Proves that a step over terrain costs what is near its contacts, however fine the terrain is: few parts are certified
// one by one, and the others by planes that many share; every record is proved. Oracles: the verifier, which works in
// exact arithmetic on the recorded claims alone; the count of parts in reach, by the cells' size.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "sim/trace.h"
#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;

constexpr double kSide = 0.8;  // [m]

class CertificateCount : public Trace {
 public:
  void entry(const TraceEntry& entry) override { trials_ += entry.kind == "accepted" || entry.kind == "refused"; }
  void certificate(double /*seconds*/, bool /*proved*/) override { ++certificates_; }
  double perTrial() const { return static_cast<double>(certificates_) / static_cast<double>(trials_); }

 private:
  long trials_ = 0, certificates_ = 0;
};

/// Waves of a height, 0.4 m long, in cells of that size [m].
std::string waves(double height, double cell) {
  const int count = static_cast<int>(std::lround(kSide / cell));
  std::string rows;
  for (int r = 0; r <= count; ++r) {
    rows += r ? ", [" : "[";
    for (int c = 0; c <= count; ++c) {
      const double x = kSide * c / count, y = kSide * r / count;
      rows += fmt::format("{}{:.9g}", c ? ", " : "", height * std::sin(5 * M_PI * x) * std::cos(5 * M_PI * y));
    }
    rows += "]";
  }
  return fmt::format("{{heightfield: {{size: [{0}, {0}], thickness: 0.3, heights: [{1}]}}}}", kSide, rows);
}

Scene thrownOn(const std::string& shape) {
  BodyText still{"ground", shape, 0};
  BodyText die{"die", kCube};
  die.position = {0.0137, 0.0071, 0.2};
  die.orientation = {1, 0.15, 0.1, 0.05};
  die.velocity = {0.5, 0.2, -1};
  die.angular_velocity = {3, 2, 1};
  SceneText text;
  text.bodies = {still, die};
  text.until = 0.6;
  return text.parse();
}

TEST(TerrainCost, PlanesCertifyWhatLiesBelowThem) {
  for (const double height : {1e-12, 0.02}) {  // A level one would be one part.
    CertificateCount counter;
    const TraceScope scope(&counter);
    const ProvedRun run = simulate(thrownOn(waves(height, 0.01)));
    EXPECT_EQ(wrong(run, RunStatus::kDone, 1e-11), "") << height;
    EXPECT_GT(run.summary.contacts_made, 0) << height;
    // Of the 600 parts within the die's radius, each of which was certified by itself.
    EXPECT_LT(counter.perTrial(), 60) << height;
  }
}

/// Where the fixed body is the second of its pairs.
TEST(TerrainCost, TerrainMayComeAfterWhatMoves) {
  SceneText text;
  BodyText die{"die", kCube};
  die.position = {0.0137, 0.0071, 0.2};
  die.velocity = {0.5, 0.2, -1};
  text.bodies = {die, BodyText{"ground", waves(0.02, 0.02), 0}};
  text.until = 0.6;
  EXPECT_EQ(wrong(simulate(text.parse()), RunStatus::kDone, 1e-11), "");
}

}  // namespace
}  // namespace rigor::sim::test
