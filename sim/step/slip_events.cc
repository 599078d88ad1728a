// SPDX-License-Identifier: MIT
#include "sim/step/slip_events.h"

#include <fmt/format.h>

#include <iterator>

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

void write(const StepContext& x, size_t c, StepResult& result) {
  const Contact& contact = x.contacts[c];
  const auto& k = x.contacts.kinematics(c);
  if (result.num_events == result.events.size()) result.events.emplace_back();
  EventRecord& event = result.events[result.num_events++];
  event.time = x.t0;
  event.kind = contact.slips ? "slip-start" : "slip-stop";
  event.body_a = contact.pair.body_a, event.body_b = contact.pair.body_b;
  const Vector3d u = x.contacts.velocity(x.start, c), slip = k.frame.transpose() * Vector3d(0, u[1], u[2]);
  event.detail.clear();
  fmt::format_to(std::back_inserter(event.detail),
                 R"({{"part_a":{},"part_b":{},"point":[{},{},{}],"slip":[{},{},{}]}})", contact.pair.part_a,
                 contact.pair.part_b, k.point[0], k.point[1], k.point[2], slip[0], slip[1], slip[2]);
}

}  // namespace

void noteSlips(StepContext& x, StepResult& result) {
  for (size_t c = 0; c < x.contacts.size(); ++c) {
    Contact& contact = x.contacts[c];
    contact.slips =
        contact.held && !contact.isLimit() && x.contacts.velocity(x.start, c).tail<2>().norm() > x.scales.slip_speed;
    if (contact.was_held && contact.held && !contact.let_go && !contact.isLimit() &&
        contact.slips != contact.was_slipping)
      write(x, c, result);
  }
}

}  // namespace rigor::sim
