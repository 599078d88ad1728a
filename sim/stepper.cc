// SPDX-License-Identifier: MIT
#include "sim/stepper.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "elementary/elementary.h"

namespace rigor::sim {

using advance::AxisKind;
using Eigen::Matrix3d;
using Eigen::Vector3d;
using impact::ContactMode;
using impact::CoulombStatus;

namespace {

constexpr int kMaxRounds = 24;        // Impact and closing rounds of one decision.
constexpr int kClosureRounds = 8;     // Rounds after which one plastic impact of all contacts closes the event.
constexpr size_t kAxes = 128;         // Of one pair: seldom more.
constexpr double kSurelySlides = 20;   // Slip faster than this times g times the window keeps its direction over it.
constexpr int kMaxSampled = 12;        // Contacts of one impact beyond which it is resolved as one plastic impact.
constexpr int kMaxTries = 60;         // Trial steps before a step is given up.
constexpr int kMaxEvents = 12;        // Truncations of one trial.
constexpr double kReintegrate = 0.8;  // Share of a trial below which an event is integrated to anew where it must be,
constexpr double kPastEvent = 1.05;   // to this multiple of its time.
constexpr double kGrowth = 3;         // Largest growth of the step from one to the next.
constexpr double kChatterShare = 20;  // Event steps shorter than this many event windows count as chatter...
constexpr int kChatterCount = 6;      // ... and this many in a row widen the window,
constexpr double kWidestWindow = 20;  // up to this many times its first width.

/// Completes a unit normal to an orthonormal frame: rows n, t1, t2 (Duff et al. 2017).
Matrix3d frameAround(const Vector3d& n) {
  const double sign = std::copysign(1.0, n.z());
  const double a = -1 / (sign + n.z()), b = n.x() * n.y() * a;
  Matrix3d frame;
  frame.row(0) = n;
  frame.row(1) << 1 + sign * n.x() * n.x() * a, sign * b, -sign * n.x();
  frame.row(2) << b, sign + n.y() * n.y() * a, -n.y();
  return frame;
}

}  // namespace

Stepper::Stepper(const Scene& scene, const Scales& scales, std::uint64_t seed)
    : scene_(scene), scales_(scales), seed_(seed), impact_options_(scene.impact) {
  impact_options_.capture_speed = scales.capture_speed;
  axes_.reserve(kAxes);
  if (!impact::makeResolver(scene.impact_model)) throw std::invalid_argument("impact model '" + scene.impact_model + "' is not known");
}

geom::Pose Stepper::poseOf(int body, int slot, double t) const {
  if (slot >= 0) return t == t0_ ? start_[slot].state.pose : pieces_[slot].at(t);
  return bodies_[body].piece.at(t);
}

/// Of a side that does not move within the step; else unused.
Placement Stepper::fixedPlacement(int body, int slot) const { return slot >= 0 ? Placement() : Placement(poseOf(body, slot, t0_)); }

geom::Pose Stepper::originPose(int part, int slot, double t) const {
  const BodyRuntime& body = bodies_[parts_[part].body];
  geom::Pose pose = poseOf(parts_[part].body, slot, t);
  if (!body.centre.isZero(0)) pose.p -= pose.rotation() * body.centre;
  return pose;
}

/// Adds the pair of two parts, a half-space or else the body with the smaller number first. @returns its index.
int Stepper::addPair(int i, int j) {
  const bool swap = std::holds_alternative<geom::HalfSpace>(*parts_[j].shape) ||
                    (!std::holds_alternative<geom::HalfSpace>(*parts_[i].shape) && parts_[j].body < parts_[i].body);
  if (swap) std::swap(i, j);
  only_planes_ = only_planes_ && std::holds_alternative<geom::HalfSpace>(*parts_[i].shape);
  if (num_pairs_ == static_cast<int>(pairs_.size())) pairs_.emplace_back();
  NearPair& pair = pairs_[num_pairs_];
  pair.cache = {};  // What a step does must not depend on steps before a snapshot.
  pair.part_a = i, pair.part_b = j;
  pair.slot_a = slot_of_[parts_[i].body], pair.slot_b = slot_of_[parts_[j].body];
  pair.axes.clear();
  pair.first_contact = -1;
  pair.next_of_b = pair_of_b_[j];
  pair_of_b_[j] = num_pairs_;
  return num_pairs_++;
}

int Stepper::findPair(int i, int j) const {
  for (const auto& [a, b] : {std::pair{i, j}, std::pair{j, i}})
    for (int p = pair_of_b_[b]; p >= 0; p = pairs_[p].next_of_b)
      if (pairs_[p].part_a == a) return p;
  return -1;
}

/// Pairs of parts that may come near each other within `horizon`, by boxes around where the bodies can get to when no
/// contact accelerates them. certify() checks the published pieces of the others.
void Stepper::collectPairs(double horizon) {
  auto box = [&](int body, Vector3d& lower, Vector3d& upper) {
    const BodyRuntime& b = bodies_[body];
    if (const int slot = slot_of_[body]; slot >= 0) {
      const auto& s = start_[slot].state;
      const Vector3d reach = Vector3d::Constant(b.radius) + horizon * s.v.cwiseAbs() +
                             0.5 * horizon * horizon * scene_.gravity.cwiseAbs();
      lower = s.pose.p - reach, upper = s.pose.p + reach;
    } else {
      pieceBox(b.piece, b.radius, lower, upper);
    }
  };
  num_pairs_ = 0;
  only_planes_ = true;
  pair_of_b_.assign(parts_.size(), -1);
  Vector3d lower_a, upper_a, lower_b, upper_b;
  const double margin = scales_.band;
  for (size_t s = 0; s < island_.size(); ++s) {
    const int a = island_[s];
    box(a, lower_a, upper_a);
    for (int b = 0; b < static_cast<int>(bodies_.size()); ++b) {
      if (b == a || (slot_of_[b] >= 0 && b < a) || !bodies_[a].collidesWith(b)) continue;
      box(b, lower_b, upper_b);
      if ((lower_a - upper_b).maxCoeff() > margin || (lower_b - upper_a).maxCoeff() > margin) continue;
      for (int i = bodies_[a].first_part; i < bodies_[a].first_part + bodies_[a].num_parts; ++i)
        for (int j = bodies_[b].first_part; j < bodies_[b].first_part + bodies_[b].num_parts; ++j) addPair(i, j);
    }
  }
}

Contact Stepper::makeContact(int pair_index, const advance::ContactFeature& feature) const {
  const NearPair& pair = pairs_[pair_index];
  const PartRuntime& A = parts_[pair.part_a];
  const PartRuntime& B = parts_[pair.part_b];
  const BodyRuntime& body_a = bodies_[A.body];
  const BodyRuntime& body_b = bodies_[B.body];
  Contact c;
  c.pair = {A.body, A.part, B.body, B.part};
  c.pair_index = pair_index;
  c.feature = feature;
  c.slot_a = pair.slot_a, c.slot_b = pair.slot_b;
  const auto* PA = std::get_if<geom::Polytope>(A.shape);
  const auto& PB = std::get<geom::Polytope>(*B.shape);
  switch (feature.kind) {
    case AxisKind::kFixedInA:
      c.frame = frameAround(feature.axis);
      c.offset = feature.offset - feature.axis.dot(body_a.centre);
      c.b = PB.vertex(feature.b0) - body_b.centre;
      break;
    case AxisKind::kFixedInB:
      c.frame = frameAround(feature.axis);
      c.offset = feature.offset - feature.axis.dot(body_b.centre);
      c.a = PA->vertex(feature.a0) - body_a.centre;
      break;
    case AxisKind::kEdges:
      c.a = PA->vertex(feature.a0) - body_a.centre, c.a_edge = PA->vertex(feature.a1) - PA->vertex(feature.a0);
      c.b = PB.vertex(feature.b0) - body_b.centre, c.b_edge = PB.vertex(feature.b1) - PB.vertex(feature.b0);
      break;
  }
  c.friction = std::sqrt(body_a.material.friction * body_b.material.friction);
  if (std::isinf(body_a.material.friction) || std::isinf(body_b.material.friction)) c.friction = impact::kNoSlip;
  c.restitution = std::max(body_a.material.restitution, body_b.material.restitution);
  c.held = true;
  return c;
}

/// Touching points of all near pairs at the start of the step, with what the last step knew of them.
void Stepper::findContacts() {
  contacts_.swap(previous_);
  contacts_.clear();
  for (int p = 0; p < num_pairs_; ++p) {
    NearPair& pair = pairs_[p];
    const PartRuntime& A = parts_[pair.part_a];
    const PartRuntime& B = parts_[pair.part_b];
    features_.clear();
    manifold_.find(*A.shape, originPose(pair.part_a, pair.slot_a, t0_), *B.shape,
                   originPose(pair.part_b, pair.slot_b, t0_), scales_.band, pair.cache, features_);
    for (const auto& feature : features_) contacts_.push_back(makeContact(p, feature));
  }
  findLimits();
  for (Contact& c : contacts_)
    for (const Contact& old : previous_)
      if (old.isSameAs(c)) {
        c.mode = old.mode, c.direction = old.direction;
        c.was_held = old.held, c.force = old.force;
        break;
      }
  fixed_a_.clear(), fixed_b_.clear();
  for (const Contact& c : contacts_) {
    fixed_a_.push_back(fixedPlacement(c.pair.body_a, c.slot_a));
    fixed_b_.push_back(fixedPlacement(c.pair.body_b, c.slot_b));
  }
}

/// The limits of joints that are in the contact band.
void Stepper::findLimits() {
  for (size_t r = 0; r < start_.robots.size(); ++r)
    for (size_t k = 0; k < start_.robots[r].limits.size(); ++k) {
      if (start_.robots[r].limits[k].gap(start_.robots[r].state) > scales_.band) continue;  // NaN is in it.
      contacts_.push_back(makeLimit(static_cast<int>(r), static_cast<int>(k)));
    }
}

Contact Stepper::makeLimit(int robot, int limit) const {
  const RobotLimit& description = start_.robots[robot].limits[limit];
  Contact c;
  c.pair = description.links;
  c.robot = robot, c.limit = limit;
  c.restitution = description.restitution;
  c.held = true;
  return c;
}

/// Bodies of other groups that this one touches: contact forces and impacts have to be solved for all together.
bool Stepper::touchesOthers(StepResult& result) const {
  result.touched.clear();
  for (const Contact& c : contacts_) {
    if (c.isLimit()) continue;
    for (auto [body, slot] : {std::pair{c.pair.body_a, c.slot_a}, std::pair{c.pair.body_b, c.slot_b}})
      if (slot < 0 && !bodies_[body].fixed) result.touched.push_back(body);
  }
  return !result.touched.empty();
}

/// Of every pair's patch, keeps at most four points in the contact problem: two far ends and the farthest on either side of the
/// line between them. The others stay certified, and come back when the motion would press one of them in.
void Stepper::reducePatches() {
  constexpr size_t kPatchPoints = 4;
  for (size_t first = 0, last; first < contacts_.size(); first = last) {
    for (last = first + 1; last < contacts_.size() && contacts_[last].pair_index == contacts_[first].pair_index;) ++last;
    if (last - first <= kPatchPoints || contacts_[first].isLimit()) continue;
    auto farthest = [&](auto&& measure) {
      size_t best = first;
      for (size_t i = first; i < last; ++i)
        if (measure(system_[i].point) > measure(system_[best].point)) best = i;
      return best;
    };
    const Vector3d origin = system_[first].point, normal = system_[first].frame.row(0).transpose();
    const size_t p = farthest([&](const Vector3d& x) { return (x - origin).squaredNorm(); });
    const Vector3d xp = system_[p].point;
    const size_t q = farthest([&](const Vector3d& x) { return (x - xp).squaredNorm(); });
    const Vector3d side = normal.cross(system_[q].point - xp);
    const size_t r = farthest([&](const Vector3d& x) { return side.dot(x - xp); });
    const size_t s = farthest([&](const Vector3d& x) { return -side.dot(x - xp); });
    for (size_t i = first; i < last; ++i) contacts_[i].in_patch = i == p || i == q || i == r || i == s;
  }
}

bool Stepper::impact(StepResult& result, std::uint64_t path) {
  // Coordinates: six of every free body, then those of the robots.
  column_.assign(start_.size(), -1);
  robot_column_.resize(start_.robots.size());
  int n = 0;
  for (size_t i = 0; i < start_.size(); ++i)
    if (start_[i].robot < 0) column_[i] = n, n += 6;
  for (size_t r = 0; r < start_.robots.size(); ++r)
    robot_column_[r] = n, n += start_.robots[r].model->numVelocities();
  involved_.clear();
  for (size_t c = 0; c < contacts_.size(); ++c)
    if (contacts_[c].in_patch) involved_.push_back(static_cast<int>(c));
  const int m = static_cast<int>(involved_.size());
  ImpactSpace& space = impact_spaces_[m > kMaxSampled ? std::pair(0, 0) : std::pair(n, m)];
  if (!space.resolver) space.resolver = impact::makeResolver(scene_.impact_model);
  impact::ImpactProblem& problem = space.problem;
  problem.mass_matrix.setZero(n, n);
  problem.velocity.resize(n);
  problem.normal.resize(m, n);
  problem.tangent.resize(m);
  problem.friction.resize(m);
  problem.restitution.resize(m);
  for (size_t i = 0; i < start_.size(); ++i) {
    const auto& body = start_[i];
    const int k = column_[i];
    if (k < 0) continue;
    const Matrix3d R = body.state.pose.rotation();
    problem.mass_matrix.block<3, 3>(k, k) = body.model->mass * Matrix3d::Identity();
    problem.mass_matrix.block<3, 3>(k + 3, k + 3) = R * body.model->inertia * R.transpose();
    problem.velocity.segment<6>(k) = body.state.velocity();
  }
  for (size_t r = 0; r < start_.robots.size(); ++r) {
    const int k = robot_column_[r], nv = start_.robots[r].model->numVelocities();
    system_.robotMassMatrix(start_.robots[r], problem.mass_matrix.block(k, k, nv, nv));
    problem.velocity.segment(k, nv) = start_.robots[r].state.v;
  }
  for (int i = 0; i < m; ++i) {
    const Contact& c = contacts_[involved_[i]];
    const auto& k = system_[involved_[i]];
    Eigen::MatrixXd& rows = space.rows;
    rows.setZero(3, n);
    if (c.slot_a >= 0 && column_[c.slot_a] >= 0) rows.middleCols<6>(column_[c.slot_a]) = k.Ja;
    if (c.slot_b >= 0 && column_[c.slot_b] >= 0) rows.middleCols<6>(column_[c.slot_b]) = k.Jb;
    for (size_t r = 0; r < start_.robots.size(); ++r)
      system_.addRobotRows(involved_[i], static_cast<int>(r),
                           rows.middleCols(robot_column_[r], start_.robots[r].model->numVelocities()));
    problem.normal.row(i) = rows.row(0);
    problem.tangent[i] = rows.bottomRows(c.isLimit() ? 0 : 2);
    problem.friction[i] = c.friction;
    problem.restitution[i] = c.restitution;
  }
  impact::ImpactOutcome& outcome = space.outcome;
  // In a pile the sampler's linear complementarity problem grows with the cube of all contacts; without restitution the plastic
  // impact with the smooth cone is one of its outcomes.
  const bool plastic = m > kMaxSampled && std::all_of(problem.restitution.begin(), problem.restitution.end(),
                                                      [](double e) { return e == 0; });
  const ImpactChoice* repeated = forks_ ? forks_->repeat() : nullptr;
  const impact::RandomKey key{seed_, forks_ ? path ^ forks_->branch() : path};
  auto status = impact::ImpactStatus::kUnfinished;
  if (repeated) {
    status = repeated->status;
    outcome.velocity = repeated->velocity, outcome.impulses = repeated->impulses;
  } else if (!plastic) {
    status = space.resolver->resolve(problem, impact_options_, key, outcome);
  }
  if (status == impact::ImpactStatus::kResolved &&
      std::all_of(outcome.impulses.begin(), outcome.impulses.end(), [](const auto& j) { return j.isZero(0); }))
    status = impact::ImpactStatus::kUnfinished;  // Too slow for the model's own tolerance.
  if (status != impact::ImpactStatus::kResolved) outcome.velocity.resize(0), outcome.impulses.clear();
  if (forks_) {
    if (!repeated && status == impact::ImpactStatus::kResolved && t0_ >= forks_->from()) {
      double lightest = std::numeric_limits<double>::infinity();
      for (const SystemBody& body : start_)
        if (body.model->mass > 0) lightest = std::min(lightest, body.model->mass);
      if (forks_->isAmbiguous(problem, impact_options_, scene_.impact_model, key, outcome, scales_.capture_speed, lightest)) {
        auto& contacts = forks_->fork().contacts;
        contacts.clear();
        for (const int i : involved_) {
          const Contact& c = contacts_[i];
          auto& contact = contacts.emplace_back(ImpactContactRecord{c.pair, {}, {}, c.friction, c.restitution, Vector3d::Zero()});
          if (c.isLimit()) {
            system_.limitPlace(start_, c, contact.normal, contact.point);
          } else {
            contact.point = system_[i].point, contact.normal = system_[i].frame.row(0).transpose();
            contact.tangent = system_[i].frame.row(1).transpose();
          }
        }
        result.status = StepStatus::kFork;
        return false;
      }
    }
    forks_->took({status, outcome.velocity, outcome.impulses});
  }
  if (status != impact::ImpactStatus::kResolved) {
    // The plastic Coulomb impact always has a solution at velocity level.
    if (system_.solveVelocities(start_, contacts_, Vector3d::Zero(), 0) == CoulombStatus::kFailed) return false;
    outcome.velocity.resize(n);
    outcome.impulses.clear();
    for (size_t i = 0; i < start_.size(); ++i)
      if (column_[i] >= 0) outcome.velocity.segment<6>(column_[i]) = system_.velocities()[i];
    for (size_t r = 0; r < start_.robots.size(); ++r)
      outcome.velocity.segment(robot_column_[r], start_.robots[r].model->numVelocities()) = system_.robotVelocities(static_cast<int>(r));
    for (int i = 0; i < m; ++i) outcome.impulses.push_back(system_.impulse(involved_[i]));
    ++stats_.approximate_impacts;
  }
  ImpactRecord record = newImpact(status == impact::ImpactStatus::kResolved ? std::string_view(scene_.impact_model) : "coulomb");
  std::vector<char>& changed = changed_;
  changed.assign(start_.size(), 0);
  for (int i = 0; i < m; ++i) {
    if (outcome.impulses[i].isZero(0)) continue;
    Vector3d impulse = Vector3d::Zero();
    impulse.head(outcome.impulses[i].size()) = outcome.impulses[i];
    recordImpulse(involved_[i], impulse, record, changed);
  }
  for (size_t i = 0; i < start_.size(); ++i) {
    if (!changed[i]) continue;
    record.bodies.push_back(island_[i]);
    // The first impact of a body starts from its published motion; a cut may have slowed the state by rounding.
    record.before.push_back(hit_[i] ? start_[i].state.velocity() : bodies_[island_[i]].v_end);
    hit_[i] = 1;
  }
  for (size_t i = 0; i < start_.size(); ++i)
    if (changed[i] && column_[i] >= 0) start_[i].state.setVelocity(outcome.velocity.segment<6>(column_[i]));
  for (size_t r = 0; r < start_.robots.size(); ++r)
    if (changed[start_.robots[r].first_slot])
      system_.setRobotVelocity(start_, static_cast<int>(r),
                               outcome.velocity.segment(robot_column_[r], start_.robots[r].model->numVelocities()));
  for (size_t i = 0; i < start_.size(); ++i)
    if (changed[i]) record.after.push_back(start_[i].state.velocity());
  result.impacts.push_back(std::move(record));
  ++stats_.impacts;
  return true;
}

/// An empty record of an impact at the start of the step.
ImpactRecord Stepper::newImpact(std::string_view model) {
  ImpactRecord record;
  if (!spare_impacts_.empty()) record = std::move(spare_impacts_.back()), spare_impacts_.pop_back();
  record.time = t0_;
  record.model = model;
  record.bodies.clear(), record.before.clear(), record.after.clear(), record.contacts.clear();
  record.contacts.reserve(std::max<size_t>(kMaxSampled, contacts_.size()));
  for (auto* list : {&record.before, &record.after}) list->reserve(start_.size());
  record.bodies.reserve(start_.size());
  return record;
}

/// Takes the records of the step before, whose room the next impacts use.
void Stepper::reuse(std::vector<ImpactRecord>& impacts) {
  for (ImpactRecord& impact : impacts) spare_impacts_.push_back(std::move(impact));
  impacts.clear();
}

/// Adds what acted on a contact to an impact's record, and the bodies that it moved to `changed`.
void Stepper::recordImpulse(int contact, const Vector3d& impulse, ImpactRecord& record, std::vector<char>& changed) {
  const Contact& c = contacts_[contact];
  const auto changeRobot = [&](int r) {
    const SystemRobot& robot = start_.robots[r];
    std::fill_n(changed.begin() + robot.first_slot, robot.links.size(), 1);
  };
  for (const int slot : {c.slot_a, c.slot_b}) {
    if (slot < 0) continue;
    changed[slot] = 1;
    if (start_[slot].robot >= 0) changeRobot(start_[slot].robot);
  }
  if (!c.isLimit()) {
    const auto& k = system_[contact];
    record.contacts.push_back({c.pair, k.point, k.frame.row(0).transpose(), c.friction, c.restitution, impulse, k.frame.row(1).transpose()});
    return;
  }
  changeRobot(c.robot);
  const RobotLimit& limit = start_.robots[c.robot].limits[c.limit];
  Vector3d axis, point;
  system_.limitPlace(start_, c, axis, point);
  record.contacts.push_back({c.pair, point, axis, c.friction, c.restitution, limit.length * impulse, Vector3d::Zero(), limit.name()});
}

/// Takes the plastic impact that was just solved, and records it.
void Stepper::closeImpacts(StepResult& result) {
  ImpactRecord record = newImpact("coulomb");
  std::vector<char>& changed = changed_;
  changed.assign(start_.size(), 0);
  for (size_t i = 0; i < contacts_.size(); ++i) {
    const Vector3d impulse = system_.impulse(static_cast<int>(i));
    if (!impulse.isZero(0)) recordImpulse(static_cast<int>(i), impulse, record, changed);
  }
  for (size_t i = 0; i < start_.size(); ++i) {
    if (!changed[i]) continue;
    record.bodies.push_back(island_[i]);
    record.before.push_back(hit_[i] ? start_[i].state.velocity() : bodies_[island_[i]].v_end);
    hit_[i] = 1;
  }
  system_.applyVelocities(start_);
  for (size_t i = 0; i < start_.size(); ++i)
    if (changed[i]) record.after.push_back(start_[i].state.velocity());
  result.closed = true;
  if (record.bodies.empty()) return spare_impacts_.push_back(std::move(record));
  result.impacts.push_back(std::move(record));
  ++stats_.impacts;
}

/// Records what closing contacts took from bodies at the start of the run without an impact: the motion then does not begin with the
/// scene's velocity. All bodies that it changed: a step that is taken back keeps its impacts, and half a projection may gain energy.
void Stepper::recordStart(StepResult& result) {
  const auto jump = [&](size_t slot) { return Vector6d(start_[slot].state.velocity() - bodies_[island_[slot]].v_end); };
  const auto jumps = [&](int slot) { return slot >= 0 && !hit_[slot] && !jump(slot).isZero(0); };
  bool any = false;
  for (size_t i = 0; i < start_.size() && !any; ++i) any = !hit_[i] && speed(jump(i)) > scales_.rest_speed;
  if (!any) return;
  ImpactRecord record = newImpact("coulomb");
  std::vector<char>& touched = changed_;
  touched.assign(start_.size(), 0);
  for (size_t c = 0; c < contacts_.size(); ++c) {
    if (closing_impulses_[c].isZero(0) || !(jumps(contacts_[c].slot_a) || jumps(contacts_[c].slot_b))) continue;
    recordImpulse(static_cast<int>(c), closing_impulses_[c], record, touched);
  }
  for (size_t i = 0; i < start_.size(); ++i) {
    if (!jumps(static_cast<int>(i))) continue;
    record.bodies.push_back(island_[i]);
    record.before.push_back(bodies_[island_[i]].v_end);
    record.after.push_back(start_[i].state.velocity());
  }
  result.impacts.push_back(std::move(record));
  ++stats_.impacts;
}

/// Modes that the contacts most likely have over the window, from their velocities now.
void Stepper::guessModes(double window) {
  const double speed = scales_.acceleration * window;
  double weight = 0;
  for (const SystemBody& b : start_) weight += b.model->mass * scales_.acceleration;
  const double share = weight / static_cast<double>(contacts_.size());
  for (size_t i = 0; i < contacts_.size(); ++i) {
    Contact& c = contacts_[i];
    c.slides = false;
    if (!c.held) continue;
    const Vector3d u = system_.contactVelocity(start_, c, static_cast<int>(i));
    const double slip = u.tail<2>().norm();
    if (u[0] > 2 * speed) {
      c.mode = ContactMode::kFree;
      c.force.setZero();
    } else if (slip > 2 * speed * c.friction) {
      c.mode = ContactMode::kSlip;
      c.direction = u.tail<2>() / slip;
      c.slides = slip > kSurelySlides * speed * std::max(1.0, c.friction);
      const double normal = c.force[0] > 0 ? c.force[0] : share;
      c.force << normal, -c.friction * normal * c.direction;
    } else {
      c.mode = ContactMode::kStick;
      if (!(c.force[0] > 0)) c.force << share, 0, 0;
    }
  }
}

/// Bodies so slow that friction stops them well within the window, and that then stay: they stop now, with all contacts sticking.
/// The contact problem of such a stop is highly redundant and slow to solve.
bool Stepper::stopsWithin(double window) {
  constexpr double kShare = 0.5;  // Of what friction can take away within the window.
  const double speed = scales_.acceleration * window;
  if (contacts_.size() < 3) return false;
  for (size_t i = 0; i < contacts_.size(); ++i) {
    const Vector3d u = system_.contactVelocity(start_, contacts_[i], static_cast<int>(i));
    if (!(u[0] <= kShare * speed && u.tail<2>().norm() <= kShare * std::min(1.0, contacts_[i].friction) * speed)) return false;
  }
  before_projection_ = start_;
  for (Contact& c : contacts_) c.mode = ContactMode::kStick, c.slides = false;
  system_.projectVelocities(start_, contacts_, closing_impulses_);
  if (atRest()) return true;
  start_ = before_projection_;
  std::fill(closing_impulses_.begin(), closing_impulses_.end(), Vector3d::Zero());
  system_.prepare(start_, contacts_);
  return false;
}

/// Impacts, then the contacts that stay closed over the event window, until no contact approaches.
bool Stepper::decide(StepMemory& memory, StepResult& result, std::uint64_t path) {
  const double window = memory.event_window;
  closing_impulses_.assign(contacts_.size(), Vector3d::Zero());
  if (!contacts_.empty()) {
    system_.place(start_, contacts_, fixed_a_, fixed_b_);
    for (size_t c = 0; c < contacts_.size(); ++c) contacts_[c].start_gap = system_[static_cast<int>(c)].gap;
    reducePatches();
  }
  for (int round = 0; round < kMaxRounds; ++round) {
    if (contacts_.empty()) return true;
    for (Contact& c : contacts_) c.held = c.in_patch;
    system_.prepare(start_, contacts_);  // Nothing moves within a decision: after an impact only J' u changes.
    bool approaching = false, promoted = false;
    for (size_t c = 0; c < contacts_.size(); ++c) {
      Contact& contact = contacts_[c];
      const double speed = system_.contactVelocity(start_, contact, static_cast<int>(c))[0];
      // Rows of a nearly flat patch are redundant up to its tilt: what a projection leaves on them is no impact.
      if (speed >= -(contact.was_held ? scales_.held_approach : scales_.approach)) continue;
      approaching = true;
      if (!contact.in_patch && round > 0) contact.in_patch = promoted = true;
    }
    if (promoted) continue;
    const bool closing = round >= kClosureRounds;
    if (closing) {
      // Impacts that keep pressing contacts in again: one plastic impact of all contacts together ends them.
      if (system_.solveVelocities(start_, contacts_, Vector3d::Zero(), 0) == CoulombStatus::kFailed) {
        result.message = "the plastic closure of an impact could not be solved";
        return false;
      }
      closeImpacts(result);
      for (Contact& c : contacts_) c.held = c.in_patch && c.mode != ContactMode::kFree;
    } else if (approaching) {
      if (!impact(result, path * kMaxRounds + round)) {
        result.message = "the impact could not be resolved";
        return false;
      }
      continue;
    }
    if (!closing && stopsWithin(window)) return true;
    if (!closing) {
      guessModes(window);
      CoulombStatus status = system_.solveVelocities(start_, contacts_, scene_.gravity, window);
      if (status == CoulombStatus::kFailed) {
        // Slip that friction cannot turn within the window is not always consistent; left free to turn it is.
        for (Contact& c : contacts_) c.slides = false;
        status = system_.solveVelocities(start_, contacts_, scene_.gravity, window);
      }
      if (status == CoulombStatus::kFailed) {
        // Painleve-like even at velocity level does not exist; keep the contacts that do not separate.
        for (Contact& c : contacts_) c.mode = std::isinf(c.friction) ? ContactMode::kStick : ContactMode::kSlip;
      }
      const double small_speed = 1e-3 * scales_.acceleration * window;
      for (size_t c = 0; c < contacts_.size(); ++c) {
        Contact& contact = contacts_[c];
        if (!contact.in_patch) { contact.held = false; continue; }
        const Vector3d u = system_.solvedVelocity(contact, static_cast<int>(c)) + window * system_[static_cast<int>(c)].bias;
        contact.held = contact.mode != ContactMode::kFree || u[0] <= small_speed;
        if (!contact.held) continue;
        const bool sticks = (std::isinf(contact.friction) && contact.mode != ContactMode::kSlip) || (contact.friction > 0 && u.tail<2>().norm() <= small_speed);
        contact.mode = sticks ? ContactMode::kStick : ContactMode::kSlip;
      }
    }
    // A projection may press a contact in that was about to leave; slower than what gravity gives within the window it joins.
    bool settled = false, joined = true;
    while (!settled && joined) {
      system_.projectVelocities(start_, contacts_, closing_impulses_);
      settled = true, joined = false;
      for (size_t c = 0; c < contacts_.size(); ++c) {
        Contact& contact = contacts_[c];
        const double speed = system_.contactVelocity(start_, contact, static_cast<int>(c))[0];
        const bool held = contact.held || !contact.in_patch;
        if (speed >= -(held || closing ? scales_.held_approach : scales_.approach)) continue;
        settled = false;
        if (held || speed < -scales_.acceleration * window) continue;
        contact.held = joined = true;
        contact.mode = std::isinf(contact.friction) ? ContactMode::kStick : ContactMode::kSlip;
      }
    }
    if (settled) {
      for (size_t c = 0; c < contacts_.size(); ++c) {
        Contact& contact = contacts_[c];
        if (!contact.held) continue;
        const Eigen::Vector2d slip = system_.contactVelocity(start_, contact, static_cast<int>(c)).tail<2>();
        contact.slides = contact.mode == ContactMode::kSlip && slip.norm() > scales_.slip_speed;
        if (contact.slides) contact.direction = slip.normalized();
      }
      return true;
    }
  }
  result.message = "impacts and closing contacts do not settle";
  return false;
}

/// True when nothing moves and the contact forces balance gravity; velocities are then set to zero.
bool Stepper::atRest() {
  for (const SystemRobot& robot : start_.robots)
    if (robot.effort.size() > 0) return false;  // Its controller may change its mind.
  for (const SystemBody& body : start_) {
    const double r = scales_.length;
    if (body.state.v.norm() + r * body.state.w.norm() > scales_.rest_speed) return false;
  }
  SystemState& state = stage_;
  state = start_;
  for (SystemBody& body : state) body.state.v.setZero(), body.state.w.setZero();
  for (SystemRobot& robot : state.robots) robot.state.v.setZero();
  system_.prepare(state, contacts_);
  if (system_.solveAccelerations(state, contacts_, scene_.gravity) == CoulombStatus::kFailed) return false;
  for (const SystemBody& body : state)
    if (body.acceleration.head<3>().norm() + scales_.length * body.acceleration.tail<3>().norm() > scales_.rest_acceleration)
      return false;
  for (SystemBody& body : start_) body.state.v.setZero(), body.state.w.setZero();
  for (SystemRobot& robot : start_.robots) robot.state.v.setZero(), robot.acceleration.setZero();
  return true;
}

/// Publishes that nothing moves.
void Stepper::stayUntil(double t1) {
  pieces_.resize(start_.size());
  motion_.resize(start_.size());
  for (size_t i = 0; i < start_.size(); ++i) {
    pieces_[i] = advance::MotionPiece::constant(bodies_[island_[i]].state.pose, t0_, t1);
    motion_[i] = advance::PiecePolynomials(pieces_[i], t0_, t1);
  }
}

/// The island's state at the start of the step.
void Stepper::gatherIsland() {
  slot_of_.assign(bodies_.size(), -1);
  start_.bodies.resize(island_.size());
  size_t num_robots = 0;
  for (size_t i = 0; i < island_.size(); ++i) {
    const BodyRuntime& body = bodies_[island_[i]];
    slot_of_[island_[i]] = static_cast<int>(i);
    start_[i].model = &body.model;
    start_[i].state = body.state;
    start_[i].robot = -1, start_[i].link = body.link;
    if (body.robot < 0) continue;
    const RobotRuntime& robot = robots_[body.robot];
    if (island_[i] == robot.first_body) {
      start_.robots.resize(++num_robots);
      SystemRobot& r = start_.robots.back();
      r.model = robot.model, r.state = robot.state, r.acceleration = robot.acceleration, r.effort = robot.effort;
      r.links = robot.links, r.limits = robot.limits, r.first_slot = static_cast<int>(i), r.id = body.robot;
    }
    start_[i].robot = static_cast<int>(num_robots) - 1;
  }
  start_.robots.resize(num_robots);
}

/// Publishes a trial of the step size h, ended at its first event, and proves it. @returns false if it has to be integrated anew, shorter by
/// `shrink_`.
bool Stepper::publishToEvent(Trial& trial, double h, double reach, bool& event_step, std::string& reason, StepResult& result) {
  const auto isAccurate = [&] { return !trial.gains_energy && trial.error <= scales_.velocity_tolerance; };
  shrink_ = 0.5;
  for (int k = 0; k < kMaxEvents; ++k) {
    // The first search is for events of the trial as it was integrated: most end it before its own end has to be on the constraints.
    const bool raw = !trial.settled;
    if (raw) hermitePieces(trial), publishMotion();
    else if (!publish(trial)) return false;
    // What the search has been through seldom has another event; a proof that no gap reaches its level says so, too, and is cheap
    // over planes.
    const bool searched = k > 0, proved = searched && mayWait() && certify(result, reach, reason);
    if (proved && result.min_gap >= eventLevel(HUGE_VAL, true)) return pieces_[0].t1 > t0_;
    Event event = firstEvent(searched);
    // A point that grazes its level at the start of the step may go on to the lower one: no steps of no length.
    if (event.u * trial.h < scales_.short_step) event = firstEvent(true);
    // One that is still at the start was decided on there: only the certificate limits the step then.
    if (event.u * trial.h < scales_.short_step) event = {};
    if (event.u >= 1 && !raw) return pieces_[0].t1 > t0_ && (proved || certify(result, reach, reason));
    if (event.u >= 1) {
      if (!settleEnd(trial) || !isAccurate()) return false;
      continue;
    }
    event_step = true;
    ++stats_.events;
    if (!truncateAtEvent(trial, event)) return false;
    if (!isAccurate()) {
      // Inside a long trial the state is known to lower order than at its end: integrate anew, to just past the event.
      shrink_ = trial.h < kReintegrate * h ? kPastEvent : 0.5;
      return false;
    }
  }
  return false;
}

void Stepper::step(const RunState& run, std::span<const int> island, StepMemory& memory, double t_end, double reach,
                   std::uint64_t impact_path, StepResult& result) {
  bodies_ = run.bodies, parts_ = run.parts, robots_ = run.robots, island_ = island;
  gatherIsland();
  t0_ = bodies_[island[0]].clock;
  t_end_ = t_end;
  hit_.assign(island.size(), 0);
  if (forks_) forks_->begin();
  result.status = StepStatus::kFailed;
  result.message.clear();
  reuse(result.impacts);
  result.closed = result.continues = false;
  if (memory.event_window == 0) memory.event_window = scales_.event_window;

  const double longest = std::min(scene_.solver.max_step, t_end - t0_);
  double h = memory.next_step > 0 ? std::min(memory.next_step, longest) : longest;
  if (h > 0.6 * (t_end - t0_) && h < t_end - t0_) h = std::min(h, 0.5 * (t_end - t0_));  // No crumbs at the end.
  collectPairs(longest);
  if (isCrowd(memory)) {
    stepCrowd(memory, reach, result);
    if (result.status != StepStatus::kFailed) return;
    // Where a tick cannot be closed, a step to the next event can be: slower, and by the model's impacts.
    gatherIsland();
    result.message.clear();
    reuse(result.impacts);
    result.closed = false;
  }
  contacts_ = memory.contacts;
  findContacts();
  if (touchesOthers(result)) {
    result.status = StepStatus::kMerge;
    return;
  }
  result.start_velocities.resize(island.size());
  if (memory.flight.isOn()) {
    std::string& reason = reason_;
    bool event_step = false;
    if (publishPart(memory, reach, event_step, reason, result)) {
      result.continues = true;
      result.status = StepStatus::kStepped;
      for (size_t i = 0; i < island.size(); ++i) result.start_velocities[i] = start_[i].state.velocity();
      finishStep(memory, result);
      return;
    }
    memory.flight.stop();  // What is left of it is integrated anew.
  }
  if (!decide(memory, result, impact_path)) return;

  const bool rest = !contacts_.empty() && atRest();
  if (t0_ == 0 && !contacts_.empty()) recordStart(result);
  for (size_t i = 0; i < island.size(); ++i) result.start_velocities[i] = start_[i].state.velocity();
  if (rest) {
    trial_.h = t_end - t0_;
    trial_.ends = start_;
    stayUntil(t_end);
    // Something in flight may hit the resting bodies within its current piece.
    bool hit = false;
    for (Event event = firstEvent(false); event.u < 1 && event.u * (pieces_[0].t1 - t0_) > scales_.min_step; event = firstEvent(true)) {
      stayUntil(t0_ + event.u * (pieces_[0].t1 - t0_));
      hit = true;
    }
    std::string& reason = reason_;
    if (!certify(result, reach, reason)) {
      result.message = reason;
      return;
    }
    result.status = hit ? StepStatus::kStepped : StepStatus::kRest;
  } else {
    std::string& reason = reason_;  // Of the last trial that failed.
    reason.clear();
    bool done = false, event_step = false, inaccurate = false;
    int tries = 0;
    saveModes();
    was_velocity_level_ = memory.velocity_level && island.size() == 1 && start_.robots.empty();
    start_rates_ = StartRates::kUnknown;
    for (; tries < kMaxTries && !done; ++tries) {
      if (h < scales_.min_step && h < t_end - t0_) break;
      ++stats_.tries;
      if (!integrate(h, trial_)) {
        reason = "the contact problem has no solution that the integrator can follow";
        h *= 0.25;
        continue;
      }
      if (trial_.error > scales_.velocity_tolerance) {
        inaccurate = true;
        h *= std::clamp(0.9 * elementary::fourthRoot(scales_.velocity_tolerance / trial_.error), 0.15, 0.7);
        continue;
      }
      double error = trial_.error;
      const bool waits = !trial_.settled;
      event_step = false;
      if (trial_.stop < 1) {
        if (!truncate(trial_, trial_.stop, trial_.stop_contact)) { h *= 0.5; continue; }
        event_step = true;
      }
      if (trial_.gains_energy) { h *= 0.5; continue; }
      if (!event_step) startFlight(memory.flight);
      if (memory.flight.isOn()) {
        if (!publishPart(memory, reach, event_step, reason, result)) { memory.flight.stop(); h *= 0.5; continue; }
      } else if (!publishToEvent(trial_, h, reach, event_step, reason, result)) {
        inaccurate = inaccurate || shrink_ == kPastEvent;  // Longer steps are cut as well, too roughly.
        h = std::min(h, trial_.h) * shrink_;
        continue;
      }
      done = true;
      if (waits && !event_step) error = trial_.error;
      memory.velocity_level = trial_.velocity_level;
      const double grow = error > 0 ? 0.9 * elementary::fourthRoot(scales_.velocity_tolerance / error) : kGrowth;
      const bool says_nothing = !inaccurate && (event_step || h == t_end - t0_);
      const double next = h * (event_step && !inaccurate ? 1 : std::clamp(grow, 0.3, kGrowth));
      // A step that an event or the horizon (a controller's next sample) ended says nothing against longer ones, unless they were tried.
      memory.next_step = says_nothing ? std::max(memory.next_step, next) : next;
    }
    if (!done) {
      result.message = reason.empty() ? "the motion could not be integrated" : reason;
      return;
    }
    // Chatter: contacts that keep hitting within short times belong to one event.
    if (event_step && trial_.h < kChatterShare * memory.event_window) {
      if (++memory.short_steps >= kChatterCount) {
        memory.event_window = std::min(2 * memory.event_window, kWidestWindow * scales_.event_window);
        memory.short_steps = kChatterCount / 2;
      }
    } else {
      memory.short_steps = 0;
      memory.event_window = scales_.event_window;
    }
    result.status = StepStatus::kStepped;
  }
  finishStep(memory, result);
}

void Stepper::finishStep(StepMemory& memory, StepResult& result) const {
  result.t1 = pieces_[0].t1;
  result.pieces = pieces_;
  result.robot_starts = start_.robots;
  result.robot_ends = trial_.ends.robots;
  result.ends.resize(start_.size());
  for (size_t i = 0; i < start_.size(); ++i) {
    result.ends[i] = trial_.ends[i].state;
    result.ends[i].pose = pieces_[i].end();
  }
  memory.contacts = contacts_;
}

}  // namespace rigor::sim
