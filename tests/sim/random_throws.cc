// SPDX-License-Identifier: MIT
#include "random_throws.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "simulated_run.h"

namespace rigor::sim::test {

void proveRandomThrows(const ThrownKind& kind, int count, unsigned long seed) {
  Chance chance{std::mt19937_64(seed)};
  auto& random = chance.random;
  const auto uniform = [&](double low, double high) { return chance.uniform(low, high); };
  const auto place = [&](BodyText& body, double z) {
    body.position = {uniform(-0.2, 0.2), uniform(-0.2, 0.2), z};
    body.orientation = {uniform(-1, 1), uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)};
  };
  const auto somebox = [&](double low, double high) {
    return box({uniform(low, high), uniform(low, high), uniform(low, high)});
  };
  for (int i = 0; i < count; ++i) {
    SCOPED_TRACE(fmt::format("seed {} scene {}", seed, i));
    SceneText text;
    text.until = 1;
    text.friction = random() % 4 ? fmt::format("{}", uniform(0, 1)) : "no-slip";
    text.restitution = random() % 2 ? 0 : uniform(0, 1);
    text.bodies = {ground(), {"block", somebox(0.1, 0.4), 0}, {"box", somebox(0.05, 0.2)}};
    place(text.bodies[1], 0.2), place(text.bodies[2], kind.box_height);
    const int thrown = 1 + static_cast<int>(random() % kind.most);
    for (int k = 0; k < thrown; ++k) {
      BodyText body{fmt::format("{}{}", kind.name, k), kind.shape(chance), uniform(0.2, 3)};
      place(body, kind.height + kind.apart * k);
      body.velocity = {uniform(-1, 1), uniform(-1, 1), 0};
      body.angular_velocity = {uniform(-9, 9), uniform(-9, 9), uniform(-9, 9)};
      text.bodies.push_back(body);
    }
    EXPECT_EQ(wrong(simulate(text.parse(), {.seed = seed + static_cast<unsigned long>(i)})), "");
  }
}

}  // namespace rigor::sim::test
