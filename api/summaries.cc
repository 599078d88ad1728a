// SPDX-License-Identifier: MIT
#include "api/summaries.h"

#include "record/writer.h"

namespace rigor {

Summary toPublic(const sim::Summary& s) {
  Summary out;
  out.status = record::statusName(s.status), out.message = s.message, out.time = s.time;
  out.steps = s.steps, out.manifold_changes = s.manifold_changes, out.impacts = s.impacts,
  out.contacts_made = s.contacts_made;
  out.contacts_broken = s.contacts_broken, out.plastic_impacts = s.plastic_impacts,
  out.false_liftoffs = s.false_liftoffs;
  out.min_gap = s.min_gap, out.min_step = s.min_step, out.max_step = s.max_step, out.mean_step = s.mean_step;
  out.energy_initial = s.energy_initial, out.energy_final = s.energy_final,
  out.max_energy_increase = s.max_energy_increase;
  return out;
}

Event toPublic(const sim::History::Event& event, const sim::Scene& scene) {
  const auto name = [&](int body) { return body >= 0 ? scene.bodies[body].name : std::string(); };
  return {event.time, event.kind, name(event.body_a), name(event.body_b), event.detail};
}

Impact toPublic(const sim::ImpactRecord& impact, const sim::Scene& scene) {
  Impact out;
  out.time = impact.time, out.model = impact.model;
  for (const int body : impact.bodies) out.bodies.push_back(scene.bodies[body].name);
  const auto rows = [](const auto& from, auto& to) {
    for (const auto& v : from) to.push_back({v[0], v[1], v[2], v[3], v[4], v[5]});
  };
  rows(impact.before, out.before), rows(impact.after, out.after);
  for (const sim::ImpactContactRecord& c : impact.contacts)
    out.contacts.push_back({scene.bodies[c.pair.body_a].name, scene.bodies[c.pair.body_b].name, toArray(c.point),
                            toArray(c.normal), toArray(c.tangent), toArray(c.impulse), c.friction, c.restitution});
  return out;
}

}  // namespace rigor
