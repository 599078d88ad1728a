// SPDX-License-Identifier: MIT
// Proves: no true record is refused. Oracle: the simulator's own guarantee; every run here is one that it finished, or
// was stopped or killed in, and its record was not touched.
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
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

std::string shape(Random& random) {
  const double a = uniform(random, 0.02, 0.2), b = uniform(random, 0.02, 0.2), c = uniform(random, 0.02, 0.2);
  switch (random() % 5) {
    case 0: return fmt::format("{{box: {{size: [{}, {}, {}]}}}}", a, b, c);
    case 1: return fmt::format("{{cylinder: {{radius: {}, length: {}, sides: {}}}}}", a / 2, b, 3 + random() % 12);
    case 2: return fmt::format("{{sphere: {{radius: {}}}}}", a / 2);
    case 3: {
      std::string points;
      for (int i = 0; i < 12; ++i) points += (i ? ", " : "") + list(random, 3, 0.1);
      return fmt::format("{{hull: {{vertices: [{}]}}}}", points);
    }
    default:
      return fmt::format(
          "{{compound: [{{shape: {{box: {{size: [{}, 0.02, 0.02]}}}}}}, {{shape: {{box: {{size: [0.02, {}, 0.02]}}}}, "
          "position: [{}, 0, 0]}}]}}",
          a + 0.05, b + 0.05, a / 2);
  }
}

/// A few bodies of any shape, thrown over a floor and past a wall; every size, friction and speed.
std::string randomScene(Random& random) {
  const char* frictions[] = {"0", "0.3", "0.9", "no-slip"};
  std::string text =
      fmt::format("name: random\nuntil: {}\ncontact: {{friction: {}, restitution: {}}}\nbodies:\n",
                  uniform(random, 0.05, 0.5), frictions[random() % 4], random() % 3 ? 0.0 : uniform(random, 0, 1));
  text += "  - {name: floor, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}\n";
  text += fmt::format(
      "  - {{name: wall, fixed: true, shape: {{box: {{size: [0.1, 2, 2]}}}}, position: [0.8, 0, 1], rpy: {}}}\n",
      list(random, 3, 0.1));
  const int count = 1 + static_cast<int>(random() % 3);
  for (int i = 0; i < count; ++i)
    text += fmt::format(
        "  - {{name: b{}, density: {}, shape: {}, position: [{}, {}, {}], rpy: {}, velocity: {}, angular_velocity: "
        "{}}}\n",
        i, uniform(random, 100, 5000), shape(random), uniform(random, -0.1, 0.1), uniform(random, -0.1, 0.1),
        0.4 + 0.5 * i, list(random, 3, 3), list(random, 3, 3), list(random, 3, 20));
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
    EXPECT_TRUE(report.verified) << seed << ' ' << i << ' ' << whyNotProved(report) << '\n' << text;
  }
}

TEST(TrueRecords, OfRandomScenesAreProved) { proveRandomScenes(20, 1); }
class SlowTrueRecords : public testing::TestWithParam<unsigned long> {};
TEST_P(SlowTrueRecords, OfRandomScenesAreProved) { proveRandomScenes(125, 1000 * GetParam()); }
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
  constexpr long kSteps = 100;  // The kernel alone takes some 20 times as long as the run.
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
