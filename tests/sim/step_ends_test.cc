// SPDX-License-Identifier: MIT
// Proves that where a step ends says nothing of how long others may be, and that steps end where something happens, not
// ever nearer before it. Oracles: what the event loop decided, trial by trial; the verifier, of every record.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "sim/scales.h"
#include "sim/trace.h"
#include "simulated_run.h"
#include "wavy_ground.h"

namespace rigor::sim::test {
namespace {

struct Decided {
  std::string kind, reason;
  double length;
};

class Decisions : public Trace {
 public:
  void entry(const TraceEntry& entry) override {
    all.push_back({std::string(entry.kind), std::string(entry.reason), entry.length});
  }
  long refused(const std::string& reason) const {
    return std::count_if(all.begin(), all.end(),
                         [&](const Decided& d) { return d.kind == "refused" && d.reason == reason; });
  }
  std::vector<Decided> all;
};

void prove(const Scene& scene, Decisions& decisions) {
  const TraceScope scope(&decisions);
  const ProvedRun run = simulate(scene);
  EXPECT_TRUE(run.report.verified && run.report.physics_known);
}

/// A contact lets go less than a microsecond after the start of a step of 55 ms, which was accurate.
TEST(StepEnds, AfterAReleaseStepsAreAsLongAsBefore) {
  BodyText die;
  die.orientation = {1, 0.15, 0.1, 0.05}, die.velocity = {0.5, 0.2, -1}, die.angular_velocity = {3, 2, 1};
  const Scene scene = thrownOn(waves(0.02, 0.02), die);
  Decisions decisions;
  prove(scene, decisions);
  int releases = 0;
  double tried = 0;  // Of the trial in which it was found, of the step before.
  for (const Decided& d : decisions.all) {
    if (d.kind == "refused" && d.reason == "a contact lets go within it") ++releases, tried = d.length;
    if (d.kind != "step" || tried == 0) continue;
    EXPECT_GE(d.length, std::min(tried, 10 * Scales::fromScene(scene).event_window));
    tried = 0;
  }
  EXPECT_GT(releases, 0);
}

/// A corner runs over a seam onto the next facet: the search came to it again just before each end, and every step took
/// half of the way there, 17 in a row.
TEST(StepEnds, NoStepTakesHalfOfTheWayToAnEvent) {
  BodyText die;
  die.orientation = {1, -0.04, -0.94, -0.58}, die.velocity = {-0.8, -0.6, -1}, die.angular_velocity = {-3, 0, 6};
  Decisions decisions;
  prove(thrownOn(waves(0.02, 0.04), die), decisions);
  int in_a_row = 0, most = 0;
  bool refused = false;
  for (const Decided& d : decisions.all) {
    if (d.kind == "step") refused = false;
    refused = refused || (d.kind == "refused" && d.reason == "its pieces or its event ask for a shorter one");
    if (d.kind != "accepted") continue;
    in_a_row = refused && d.reason.empty() ? in_a_row + 1 : 0;
    most = std::max(most, in_a_row);
  }
  EXPECT_LT(most, 3);
}

/// Feet without a mass of their own: impulses a rounding outside of their cone were an infinite error.
TEST(StepEnds, MasslessFeetMayStopToSlip) {
  Scene scene = bundledScene("quadruped-trot");
  scene.until = 0.5;
  Decisions decisions;
  prove(scene, decisions);
  EXPECT_LT(decisions.refused("not accurate where a slip stops"), 3);  // 42 before.
}

}  // namespace
}  // namespace rigor::sim::test
