// SPDX-License-Identifier: MIT
#include "sim/step/impact_ledger.h"

#include <algorithm>

#include "impact/model_registry.h"
#include "sim/step/step_impulses.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

constexpr size_t kUsualContacts = 12;    // Of one impact: room that every record has.
constexpr double kRecordedKick = 2;  // Velocity jumps above this many times g times the tick are recorded as impacts.

}  // namespace

void ImpactLedger::begin(std::vector<ImpactRecord>& impacts) {
  for (ImpactRecord& impact : impacts) spare_.push_back(std::move(impact));
  impacts.clear();
  hit_.assign(x_.island.size(), 0), projected_.assign(x_.island.size(), 0);
  acted_.clear(), pulled_ = 0;
  acted_.reserve(8 * kUsualContacts);
}

ImpactRecord ImpactLedger::open(std::string_view model) {
  ImpactRecord record;
  if (!spare_.empty()) record = std::move(spare_.back()), spare_.pop_back();
  record.time = x_.t0;
  record.model = model;
  record.bodies.clear(), record.before.clear(), record.after.clear(), record.contacts.clear();
  record.contacts.reserve(std::max(kUsualContacts, contacts_.size()));
  for (auto* list : {&record.before, &record.after}) list->reserve(x_.start.size());
  record.bodies.reserve(x_.start.size());
  changed_.assign(x_.start.size(), 0);
  return record;
}

/// Notes an impulse, in world axes but for that of a limit.
void ImpactLedger::act(size_t contact, const Vector3d& impulse) {
  const bool limit = contacts_[contact].isLimit();
  acted_.emplace_back(contact, limit ? impulse : Vector3d(contacts_.kinematics(contact).frame.transpose() * impulse));
}

void ImpactLedger::add(size_t contact, const Vector3d& impulse, ImpactRecord& record) {
  act(contact, impulse);
  write(contact, impulse, record);
}

/// Marks what an impulse on a contact changes: its bodies, and all links of their robots.
void ImpactLedger::mark(const Contact& c, std::vector<char>& slots) const {
  const auto markRobot = [&](int r) {
    const SystemRobot& robot = x_.start.robots[r];
    std::fill_n(slots.begin() + robot.first_slot, robot.links.size(), 1);
  };
  if (c.isLimit()) markRobot(c.robot);
  for (const int slot : {c.slot_a, c.slot_b}) {
    if (slot < 0) continue;
    slots[slot] = 1;
    if (x_.start[slot].robot >= 0) markRobot(x_.start[slot].robot);
  }
}

void ImpactLedger::write(size_t contact, const Vector3d& impulse, ImpactRecord& record) {
  const Contact& c = contacts_[contact];
  mark(c, changed_);
  if (!c.isLimit()) {
    const auto& k = contacts_.kinematics(contact);
    record.contacts.push_back(
        {c.pair, k.point, k.frame.row(0).transpose(), c.friction, c.restitution, impulse, k.frame.row(1).transpose()});
    return;
  }
  if (c.isBrake()) return;  // Of what the joint does.
  const RobotLimit& limit = x_.start.robots[c.robot].limits[c.limit];
  Vector3d axis, point;
  contacts_.system().limitPlace(x_.start, c, axis, point);
  record.contacts.push_back(
      {c.pair, point, axis, c.friction, c.restitution, limit.length * impulse, Vector3d::Zero(), limit.name()});
}

void ImpactLedger::markProjected() {
  for (size_t c = 0; c < contacts_.size(); ++c)
    if (!closing_[c].isZero(0)) mark(contacts_[c], projected_);
}

void ImpactLedger::noteBefore(ImpactRecord& record) {
  markProjected();
  for (size_t i = 0; i < x_.start.size(); ++i) {
    if (!changed_[i]) continue;
    record.bodies.push_back(x_.island[i]);
    // What nothing has changed yet starts from its published motion; a cut may have slowed the state by rounding.
    record.before.push_back(hit_[i] || projected_[i] ? x_.start[i].state.velocity() : x_.bodies[x_.island[i]].v_end);
    hit_[i] = 1;
  }
}

bool ImpactLedger::close(ImpactRecord&& record, std::vector<ImpactRecord>& impacts) {
  for (size_t i = 0; i < x_.start.size(); ++i)
    if (changed_[i]) record.after.push_back(x_.start[i].state.velocity());
  const bool moved = !record.bodies.empty();
  (moved ? impacts : spare_).push_back(std::move(record));
  return moved;
}

void ImpactLedger::stop(std::vector<ImpactRecord>& impacts) {
  markProjected();
  for (size_t i = 0; i < x_.start.size(); ++i)
    for (size_t k = impacts.size(); !projected_[i] && k-- > 0;) {
      const auto body = std::find(impacts[k].bodies.begin(), impacts[k].bodies.end(), x_.island[i]);
      if (body == impacts[k].bodies.end()) continue;
      impacts[k].after[body - impacts[k].bodies.begin()].setZero();
      break;
    }
}

void ImpactLedger::writeJump(ImpulseRecord& jump) {
  jump.clear();
  jump.contacts.reserve(2 * kUsualContacts), jump.impulses.reserve(8 * kUsualContacts);
  jump.t0 = jump.t1 = x_.t0;
  for (size_t c = 0; c < contacts_.size(); ++c)
    if (!closing_[c].isZero(0)) act(c, closing_[c]);
  // By contact, in the order in which they acted: by insertion, which takes no memory.
  for (size_t i = 1; i < acted_.size(); ++i)
    for (size_t k = i; k > 0 && acted_[k].first < acted_[k - 1].first; --k) std::swap(acted_[k], acted_[k - 1]);
  for (size_t i = 0; i < acted_.size(); ++i) {
    const Contact& contact = contacts_[acted_[i].first];
    if (contact.isBrake()) continue;  // Of what the joint does.
    const bool fresh = i == 0 || acted_[i].first != acted_[i - 1].first;
    if (contact.isLimit()) {
      const SystemRobot& robot = x_.start.robots[contact.robot];
      const RobotLimit& limit = robot.limits[contact.limit];
      if (!addLimit(robot, limit, jump)) continue;
      const ImpulseRecord::Impulse impulse = limitImpulse(limit, x_.t0, acted_[i].second[0]);
      jump.addToWrench(impulse.time, impulse.P, impulse.moment);
      continue;
    }
    if (fresh) jump.addContact(contact.pair, axisOf(contact.feature));
    jump.addToContact(x_.t0, acted_[i].second);
  }
}

void ImpactLedger::closeBeforeImpact() {
  if (x_.t0 == 0) return;  // recordStart() tells of all.
  pulled_ = hardestPull();
  markProjected();
  for (size_t c = 0; c < closing_.size(); ++c) {
    if (!closing_[c].isZero(0)) act(c, closing_[c]);
    closing_[c].setZero();
  }
}

double ImpactLedger::hardestPull() {
  pulls_.assign(x_.start.size(), 0);
  for (size_t c = 0; c < closing_.size(); ++c) {
    const Contact& contact = contacts_[c];
    if (closing_[c].isZero(0) || contact.isLimit()) continue;
    const double normal = closing_[c][0], friction = closing_[c].tail<2>().norm(),
                 against = normal < 0 ? closing_[c].norm() : std::max(0.0, friction - contact.friction * normal);
    for (const int slot : {contact.slot_a, contact.slot_b})
      if (slot >= 0 && against > 0) pulls_[slot] += against / x_.start[slot].model->mass;
  }
  return pulled_ + (pulls_.empty() ? 0 : *std::max_element(pulls_.begin(), pulls_.end()));
}

void ImpactLedger::recordStart(std::vector<ImpactRecord>& impacts) {
  const auto jumps = [&](int slot) { return slot >= 0 && !hit_[slot] && !jump(slot).isZero(0); };
  bool any = false;
  for (size_t i = 0; i < x_.start.size() && !any; ++i) any = !hit_[i] && x_.speed(jump(i)) > x_.scales.rest_speed;
  if (!any) return;
  ImpactRecord record = open(impact::kCoulombImpact);
  for (size_t c = 0; c < contacts_.size(); ++c) {
    if (closing_[c].isZero(0) || !(jumps(contacts_[c].slot_a) || jumps(contacts_[c].slot_b))) continue;
    write(c, closing_[c], record);
  }
  for (size_t i = 0; i < x_.start.size(); ++i) {
    if (!jumps(static_cast<int>(i))) continue;
    record.bodies.push_back(x_.island[i]);
    record.before.push_back(x_.bodies[x_.island[i]].v_end);
    record.after.push_back(x_.start[i].state.velocity());
  }
  impacts.push_back(std::move(record));
}

bool ImpactLedger::recordHit(double h, std::span<const Vector3d> impulses, std::vector<ImpactRecord>& impacts) {
  ImpactRecord record = open(impact::kCoulombImpact);
  for (size_t c = 0; c < contacts_.size(); ++c)
    if (!impulses[c].isZero(0)) add(c, impulses[c], record);
  double fastest = 0;
  for (size_t i = 0; i < x_.start.size(); ++i) {
    if (!changed_[i]) continue;
    fastest = std::max(fastest, x_.speed(jump(i)));
    record.bodies.push_back(x_.island[i]);
    record.before.push_back(x_.bodies[x_.island[i]].v_end);
  }
  if (fastest > kRecordedKick * x_.scales.acceleration * h) return close(std::move(record), impacts);
  spare_.push_back(std::move(record));
  return false;
}

}  // namespace rigor::sim
