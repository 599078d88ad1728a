// SPDX-License-Identifier: MIT
// Proves: events of contacts add up: what is made less what breaks is what touches more than before, also where two
// contacts of a step are of the same features. Oracle: the sum, by hand.
#include "sim/touching.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rigor::sim {
namespace {

using testing::ElementsAre;

struct Told : Sink {
  void event(const EventRecord& event) override { list.push_back(std::string(event.kind) + " " + event.detail); }
  std::vector<std::string> list;
};

class TouchingFeatures : public testing::Test {
 protected:
  TouchingFeatures() {
    bodies_[0].fixed = true;
    set_.reset(bodies_);
  }
  std::vector<std::string> update(std::initializer_list<int> vertices) {
    std::vector<Contact> contacts;
    for (const int vertex : vertices) {
      Contact& c = contacts.emplace_back();
      c.pair = {0, 0, 1, 0};
      c.feature.b0 = c.feature.b1 = vertex;
      c.held = true;
    }
    Told told;
    const int group[] = {1};
    set_.update(time_ += 1, contacts, group, {}, 0.1, {}, told, summary_);
    return told.list;
  }

 private:
  std::vector<BodyRuntime> bodies_{2};
  TouchingSet set_;
  Summary summary_;
  double time_ = 0;
};

TEST_F(TouchingFeatures, AreCountedOnceAndAddUp) {
  EXPECT_THAT(update({3, 5, 5}),
              ElementsAre(R"(contact-made {"part_a":0,"part_b":0,"made":2,"broken":0,"touching":2})"));
  EXPECT_THAT(update({5, 3}), ElementsAre());
  EXPECT_THAT(update({5, 4, 3, 3}),
              ElementsAre(R"(contact-made {"part_a":0,"part_b":0,"made":1,"broken":0,"touching":3})"));
  EXPECT_THAT(update({7, 7}),
              ElementsAre(R"(contact-changed {"part_a":0,"part_b":0,"made":1,"broken":3,"touching":1})"));
}

}  // namespace
}  // namespace rigor::sim
