// SPDX-License-Identifier: MIT
// Proves that the fixed body that a run certifies is the one that it publishes: turned compounds far from the origin,
// with centres of mass anywhere, are hit and lain on by dice, and every record is proved. Oracles: the verifier, which
// works in exact arithmetic on the recorded numbers alone; the scene's own numbers for the published pose.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <string>

#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;
using Eigen::Vector4d;

class RandomFixedScene {
 public:
  explicit RandomFixedScene(unsigned seed) : random_(seed) {}

  /// A fixed compound of two to four boxes, turned, `distance` from the origin, and a die thrown at it.
  Scene next(double distance, const std::string& more) {
    const Vector4d q = Vector4d(normal(), normal(), normal(), normal());
    const Vector3d away = distance * Vector3d(normal(), normal(), normal()).normalized();
    std::string parts;
    const int count = 2 + static_cast<int>(3 * uniform());
    for (int i = 0; i < count; ++i)
      parts += fmt::format(
          "{}{{shape: {{box: {{size: [{:.17g}, {:.17g}, {:.17g}]}}}}, position: [{:.17g}, {:.17g}, {:.17g}]}}",
          i ? ", " : "", 0.1 + 0.3 * uniform(), 0.1 + 0.3 * uniform(), 0.1 + 0.3 * uniform(), 0.2 * normal(),
          0.2 * normal(), 0.2 * normal());
    BodyText block{"block", fmt::format("{{compound: [{}]}}", parts), 0};
    block.position = away, block.orientation = q, block.more = more;
    BodyText die{"die", kCube};
    const Vector3d from(0.1 * normal(), 0.1 * normal(), 1.3);
    die.position = away + from;
    die.velocity = -4 * from;
    die.angular_velocity = 5 * Vector3d(normal(), normal(), normal());
    SceneText text;
    text.bodies = {block, die};
    text.until = 0.35;
    return text.parse();
  }

  double uniform() { return std::uniform_real_distribution<double>(0, 1)(random_); }

 private:
  double normal() { return std::normal_distribution<double>()(random_); }

  std::mt19937_64 random_;
};

void expectProved(const Scene& scene, const std::string& which, int& contacts) {
  const ProvedRun run = simulate(scene);
  EXPECT_EQ(wrong(run, RunStatus::kDone, 1e-11), "") << which;
  contacts += run.summary.contacts_made > 0;
}

void expectAllProved(unsigned seed, int cases) {
  RandomFixedScene random(seed);
  int contacts = 0;
  for (int k = 0; k < cases; ++k) {
    const double distance = 50 * std::pow(20, random.uniform());
    const std::string com = k % 4 == 0 ? "com: [100000000, 0, 0]" : k % 4 == 1 ? "com: [0.3, -40, 1.0e-3]" : "";
    expectProved(random.next(distance, com), fmt::format("case {} at {} m, {}", k, distance, com), contacts);
  }
  EXPECT_GT(contacts, 3 * cases / 4);  // The dice do arrive.
}

TEST(FixedBodies, TurnedCompoundsFarFromTheOriginAreProved) { expectAllProved(11, 24); }
TEST(SlowFixedBodies, TurnedCompoundsFarFromTheOriginAreProved) { expectAllProved(12, 200); }

}  // namespace
}  // namespace rigor::sim::test
