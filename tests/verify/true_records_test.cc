// SPDX-License-Identifier: MIT
// Proves: no true record is refused, and each is held to the laws of motion. Oracle: the simulator's own guarantee;
// every run here is one that it finished, or was stopped or killed in, and its record was not touched.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <random>

#include "recorded_scene.h"
#include "tests/temporary_folder.h"
#include "verify/verify.h"

namespace rigor::verify {
namespace {

namespace fs = std::filesystem;

std::string whyNotProved(const Report& report) {
  return report.verified           ? ""
         : report.failures.empty() ? report.status()
                                   : fmt::format("{} t = {}: {}", report.failures[0].pair[0], report.failures[0].time,
                                                 report.failures[0].reason);
}

using Random = std::mt19937_64;
double uniform(Random& random, double low, double high) { return std::uniform_real_distribution<>(low, high)(random); }

std::string list(Random& random, int count, double size) {
  std::string text = "[";
  for (int i = 0; i < count; ++i) text += fmt::format("{}{}", i ? ", " : "", uniform(random, -size, size));
  return text + "]";
}

/// Of some tenth of `unit`.
std::string shape(Random& random, double unit) {
  const double a = unit * uniform(random, 0.02, 0.2), b = unit * uniform(random, 0.02, 0.2),
               c = unit * uniform(random, 0.02, 0.2), thin = 0.02 * unit;
  switch (random() % 5) {
    case 0: return fmt::format("{{box: {{size: [{}, {}, {}]}}}}", a, b, c);
    case 1: return fmt::format("{{cylinder: {{radius: {}, length: {}, sides: {}}}}}", a / 2, b, 3 + random() % 12);
    case 2: return fmt::format("{{sphere: {{radius: {}}}}}", a / 2);
    case 3: {
      std::string points;
      for (int i = 0; i < 12; ++i) points += (i ? ", " : "") + list(random, 3, 0.1 * unit);
      return fmt::format("{{hull: {{vertices: [{}]}}}}", points);
    }
    default:
      return fmt::format(
          "{{compound: [{{shape: {{box: {{size: [{0}, {2}, {2}]}}}}}}, {{shape: {{box: {{size: [{2}, {1}, {2}]}}}}, "
          "position: [{3}, 0, 0]}}]}}",
          a + 0.05 * unit, b + 0.05 * unit, thin, a / 2);
  }
}

/// What bodies fall on: a floor and a wall; a slope; a turned compound far from the origin, `away`.
std::string surroundings(Random& random, double unit, std::array<double, 3>& away) {
  const auto floor = [](const std::string& normal) {
    return "  - {name: floor, fixed: true, shape: {halfspace: {normal: " + normal + ", offset: 0}}}\n";
  };
  away = {};
  switch (random() % 4) {
    case 0:
      return floor("[0, 0, 1]") +
             fmt::format("  - {{name: wall, fixed: true, shape: {{box: {{size: [{0}, {1}, {1}]}}}}, "
                         "position: [{2}, 0, {3}], rpy: {4}}}\n",
                         0.1 * unit, 2 * unit, 0.8 * unit, unit, list(random, 3, 0.1));
    case 1: return floor("[0, 0, 1]");
    case 2: return floor(fmt::format("[{}, {}, 1]", uniform(random, -0.5, 0.5), uniform(random, -0.5, 0.5)));
    default: break;
  }
  for (double& x : away) x = unit * std::pow(10, uniform(random, 0, 3)) * (random() % 2 ? 1 : -1);
  std::string parts;
  for (unsigned long i = 0, count = 1 + random() % 3; i < count; ++i)
    parts += fmt::format("{}{{shape: {{box: {{size: [{}, {}, {}]}}}}, position: {}}}", i ? ", " : "",
                         unit * uniform(random, 0.1, 0.4), unit * uniform(random, 0.1, 0.4),
                         unit * uniform(random, 0.1, 0.4), list(random, 3, 0.2 * unit));
  return fmt::format(
      "  - {{name: block, fixed: true, shape: {{compound: [{}]}}, position: [{}, {}, {}], orientation: {}}}\n", parts,
      away[0], away[1], away[2], list(random, 4, 2));
}

/// A few bodies of any shape, thrown; every size, friction, speed and tolerance, other units and planets too.
std::string randomScene(Random& random) {
  const char* frictions[] = {"0", "0.3", "0.9", "no-slip"};
  const bool strange = random() % 3 == 0;
  const double unit = strange ? std::pow(10, uniform(random, -3, 2)) : 1,
               g = strange ? std::pow(10, uniform(random, -2, 2)) : 9.81, speed = std::sqrt(unit * g / 9.81),
               time = unit / speed;
  std::string text = fmt::format(
      "name: random\nuntil: {}\ngravity: [0, 0, {}]\ncontact: {{friction: {}, restitution: {}}}\n",
      time * uniform(random, 0.05, 0.5), -g, frictions[random() % 4], random() % 3 ? 0.0 : uniform(random, 0, 1));
  if (random() % 3 == 0)
    text += fmt::format("solver: {{velocity_tolerance: {}}}\n", std::pow(10, uniform(random, -6, -2.3)));
  std::array<double, 3> away;
  text += "bodies:\n" + surroundings(random, unit, away);
  const int count = 1 + static_cast<int>(random() % 3);
  for (int i = 0; i < count; ++i)
    text += fmt::format(
        "  - {{name: b{}, density: {}, shape: {}, position: [{}, {}, {}], {}, velocity: {}, angular_velocity: {}}}\n",
        i, uniform(random, 100, 5000), shape(random, unit), away[0] + unit * uniform(random, -0.1, 0.1),
        away[1] + unit * uniform(random, -0.1, 0.1), away[2] + unit * ((away[2] == 0 ? 0.4 : 0.9) + 0.5 * i),
        random() % 2 ? "rpy: " + list(random, 3, 3) : "orientation: " + list(random, 4, 2), list(random, 3, 3 * speed),
        list(random, 3, 20 / time));
  return text;
}

void proveRandomScenes(int count, unsigned long seed) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.rigor";
  Random random(seed);
  for (int i = 0; i < count; ++i) {
    const std::string text = randomScene(random);
    recordScene(scenes::parseScene(text, "random.yaml"), seed + i, path, i % 10 ? End::kFinished : End::kKilled);
    const Report report = verifyRecord(path, {.threads = 1});
    EXPECT_TRUE(report.physics_known) << seed << ' ' << i << '\n' << text;
    EXPECT_TRUE(report.verified) << seed << ' ' << i << ' ' << whyNotProved(report) << '\n' << text;
  }
}

TEST(TrueRecords, OfRandomScenesAreProved) { proveRandomScenes(20, 1); }

// A universal joint's axes are two, of one name and one limit: both may be at it.
TEST(TrueRecords, OfAUniversalJointWhoseAxesAreBothAtTheirLimits) {
  const TemporaryFolder folder;
  std::ofstream(folder / "r.urdf")
      << "<robot name=\"r\"><link name=\"world\"/><link name=\"rod\"><inertial><origin xyz=\"0 0 .5\"/><mass "
         "value=\"1\"/><inertia ixx=\".1\" iyy=\".1\" izz=\".01\" ixy=\"0\" ixz=\"0\" iyz=\"0\"/></inertial>"
         "<collision><origin xyz=\"0 0 .5\"/><geometry><box size=\".1 .1 1\"/></geometry></collision></link>"
         "<joint name=\"u\" type=\"universal\"><parent link=\"world\"/><child link=\"rod\"/><axis xyz=\"1 0 0\"/>"
         "<axis2 xyz=\"0 1 0\"/><limit lower=\"-1\" upper=\"1\" effort=\"0\" velocity=\"0\"/></joint></robot>";
  const std::string path = folder / "run.rigor";
  recordScene(scenes::parseScene("name: u\nuntil: 1.5\nrobots: [{name: r, urdf: r.urdf, joint_velocities: {u: [1, "
                                 "0.5]}}]\n",
                                 (folder / "s.yaml").string()),
              1, path);
  const Report report = verifyRecord(path, {.threads = 1});
  EXPECT_TRUE(report.verified) << whyNotProved(report);
}

// What a slow body spends to lift its contacts back is an error that does not fall with the step.
TEST(TrueRecords, OfDiceThatLandFlatWithoutSlipAtTightTolerancesAreWhole) {
  const struct {
    const char *tolerance, *orientation, *velocity, *spin;
  } throws[] = {
      {"4.991289671020925e-07", "[0.09470803828730423, 1.2500243810835503, -0.931378367720707, 0.9923772805192402]",
       "[0.67493816419292, -0.4812919713439847, -0.5313380779066073]",
       "[2.5144060821610807, -8.689422815203738, -9.736640168902518]"},
      {"3.1397108471492377e-07", "[-0.2558802884476004, 0.511431512516514, -0.2260961647831047, -0.3150684223311854]",
       "[0.014871466378840514, -0.9250086831160302, -0.13270863267522826]",
       "[0.7176400861337839, -2.6862216617482897, -8.840021504505863]"},
      {"4.819362897274341e-07", "[-0.9256659733323231, -1.249095389354746, 0.6373606280518088, -0.17631352701066172]",
       "[-0.25525056072843344, 0.6297316462233915, -0.6333304606700121]",
       "[-8.692615292310002, 6.485148599678837, -3.3386669676135883]"},
  };
  const TemporaryFolder folder;
  const std::string path = folder / "die.rigor";
  for (const auto& [tolerance, orientation, velocity, spin] : throws) {
    SCOPED_TRACE(tolerance);
    const std::string text = fmt::format(
        "until: 1\ncontact: {{friction: no-slip, restitution: 0}}\nsolver: {{velocity_tolerance: {}}}\n"
        "bodies:\n  - {{name: table, fixed: true, shape: {{halfspace: {{}}}}}}\n"
        "  - {{name: die, shape: {{box: {{size: [0.1, 0.1, 0.1]}}}}, mass: 1, position: [0, 0, 0.2], "
        "orientation: {}, velocity: {}, angular_velocity: {}}}\n",
        tolerance, orientation, velocity, spin);
    recordScene(scenes::parseScene(text, "die.yaml"), 0, path);
    const Report report = verifyRecord(path, {.threads = 1});
    EXPECT_TRUE(report.verified) << whyNotProved(report);
    EXPECT_TRUE(report.complete);
  }
}

class SlowTrueRecords : public testing::TestWithParam<unsigned long> {};
TEST_P(SlowTrueRecords, OfRandomScenesAreProved) { proveRandomScenes(500, 1000 * GetParam()); }
INSTANTIATE_TEST_SUITE_P(Seeds, SlowTrueRecords, testing::Range(1ul, 5ul));

/// The first steps of every bundled scene, proved with the filters and by the kernel alone.
std::vector<std::string> bundledScenes() {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(RIGOR_SOURCE_DIR "/scenes"))
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem());
  std::sort(names.begin(), names.end());
  return names;
}

class SlowBundledRecords : public testing::TestWithParam<std::string> {};
TEST_P(SlowBundledRecords, AreProvedByTheKernelAlone) {
  constexpr long kSteps = 100;  // The kernel alone takes up to 300 times as long as the run.
  const TemporaryFolder folder;
  const std::string path = folder / "run.rigor";
  sim::Scene scene = scenes::loadScene(RIGOR_SOURCE_DIR "/scenes/" + GetParam() + ".yaml");
  scene.solver.max_steps = kSteps;
  recordScene(scene, 0, path);
  const Report filtered = verifyRecord(path, {.threads = 1});
  EXPECT_TRUE(filtered.verified) << whyNotProved(filtered);
  Options options;
  options.kernel_alone = true;
  const Report report = verifyRecord(path, options);
  EXPECT_TRUE(report.verified) << whyNotProved(report);
  EXPECT_EQ(report.min_gap, filtered.min_gap);
  EXPECT_EQ(report.horizon, filtered.horizon);
}
INSTANTIATE_TEST_SUITE_P(Scenes, SlowBundledRecords, testing::ValuesIn(bundledScenes()), [](const auto& name) {
  std::string word = name.param;
  std::erase_if(word, [](unsigned char c) { return !std::isalnum(c); });
  return word;
});

}  // namespace
}  // namespace rigor::verify
