// SPDX-License-Identifier: MIT
#include "sim/simulation.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "advance/certificate.h"
#include "advance/manifold.h"
#include "sim/archive.h"
#include "sim/robot_equations.h"
#include "sim/scales.h"
#include "sim/start.h"
#include "sim/stepper.h"
#include "sim/touching.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

/// Bodies that touch each other and step together. Groups have clocks of their own; the one that is farthest behind
/// steps next, so every piece of a group that starts before all clocks is final.
struct Island {
  std::vector<int> bodies;  // Ascending.
  double clock = 0;
  StepMemory memory;
  bool held = false;  // The current pieces moved in contact.
  double step_start = 0;  // Of the step that made the current pieces [s].
};

/// What a cut of a piece at a rounded point may take from a claim, relative to the coordinates: a control point moves by a few
/// units in the last place of the largest one.
constexpr double kCutEpsilon = 1e-14;

constexpr long kCheckpointSteps = 64;   // Steps between two moments at which a record may be committed,
constexpr long kSnapshotSteps = 1024;   // and between two complete states.

}  // namespace

struct Simulation::Impl {
  Scene scene;
  std::uint64_t seed = 0;
  Scales scales;
  std::vector<BodyRuntime> bodies;
  std::vector<PartRuntime> parts;
  std::vector<RobotRuntime> robots;
  std::vector<std::string> warnings;
  std::vector<Island> islands;
  std::vector<WitnessRecord> pending;  // Of pieces that may still be cut.
  TouchingSet touching;
  std::unique_ptr<Stepper> stepper;
  std::optional<ForkFinder> forks;
  int first_body = -1;  // Of the group that repeats the impacts of a fork: it steps first.
  std::vector<RobotEquations> robot_equations;  // Of all robots.
  Summary summary;
  double sum_steps = 0;
  StepResult step_result;  // Keeps its room.
  std::vector<int> split_group, split_root;  // Scratch of split().
  std::string cut_failure;   // A claim of a cut piece that could not be kept; ends the run.
  double reach = 0;  // Bounds the smallest distance of the run from above: farther pairs need no witness [m].

  void build();
  double energy(std::span<const int> group);
  double movingMass() const;
  void addLink(int index, BodyRuntime& body);
  void startRobot(RobotRuntime& robot);
  static void publishStart(const BodyRuntime& body, Body& description);
  SystemState robotState(const RobotRuntime& robot) const;
  void cutRobot(RobotRuntime& robot, double t);
  double control(const Island& island, double until);
  size_t next() const;
  double time() const;
  void settle(double t, Sink& sink);
  void finish(Island& island, Sink& sink);
  void cut(Island& island, double t, Sink& sink);
  void proveCut(const Island& island);
  void merge(size_t index, const std::vector<int>& touched, Sink& sink);
  void split(size_t index);
  long countPlastic(const StepResult& result) const;
  void accept(Island& island, const StepResult& result, Sink& sink);
  void flush(double time, Sink& sink);
  double commit(Sink& sink);
  template <typename Archive>
  void transfer(Archive& archive);
};

void Simulation::Impl::build() {
  requireOneRestitution(scene);
  scales = Scales::fromScene(scene);
  for (size_t i = 0; i < scene.bodies.size(); ++i) {
    const Body& description = scene.bodies[i];
    BodyRuntime body;
    body.fixed = description.fixed;
    body.material = description.material;
    body.centre = description.fixed ? Vector3d(0, 0, 0) : description.centre;
    body.first_part = static_cast<int>(parts.size());
    body.num_parts = static_cast<int>(description.parts.size());
    for (size_t j = 0; j < description.parts.size(); ++j) {
      PartRuntime part;
      part.body = static_cast<int>(i), part.part = static_cast<int>(j);
      part.shape = &description.parts[j];
      if (const auto* polytope = std::get_if<geom::Polytope>(part.shape))
        part.radius = (polytope->vertices().colwise() - body.centre).colwise().norm().maxCoeff();
      else
        part.radius = std::numeric_limits<double>::infinity();
      body.radius = std::max(body.radius, part.radius);
      parts.push_back(part);
    }
    body.robot = description.robot, body.link = description.link;
    body.ignored = description.ignored;
    std::sort(body.ignored.begin(), body.ignored.end());
    if (body.robot >= 0) {
      addLink(static_cast<int>(i), body);
    } else if (!body.fixed) {
      if (!(description.mass > 0))
        throw SceneError(fmt::format("body '{}' has no mass; a moving body needs mass > 0", description.name), static_cast<int>(i));
      body.model = dynamics::RigidBody::make(description.mass, description.inertia);
      islands.push_back({{static_cast<int>(i)}, 0, {}, false});
    }
    const Eigen::Matrix3d R = description.pose.rotation();
    const Vector3d arm = R * body.centre;
    body.state.pose = {description.pose.q, body.centre.isZero(0) ? description.pose.p : Vector3d(description.pose.p + arm)};
    body.state.w = description.angular_velocity;
    body.state.v = description.velocity + description.angular_velocity.cross(arm);
    body.v_start = body.v_end = body.v_back = body.state.velocity();
    bodies.push_back(body);
  }
  robot_equations.resize(robots.size());
  for (RobotRuntime& robot : robots) startRobot(robot);
  reach = separateStart(scene, scales, parts, bodies, robots, warnings);
  for (size_t i = 0; i < bodies.size(); ++i) publishStart(bodies[i], scene.bodies[i]);
  for (BodyRuntime& body : bodies) {
    if (body.fixed) {
      body.piece = advance::MotionPiece::constant(body.state.pose, 0, std::numeric_limits<double>::infinity());
      body.clock = std::numeric_limits<double>::infinity();
    } else {
      body.piece = advance::MotionPiece::constant(body.state.pose, 0, 0);
    }
  }
  stepper = std::make_unique<Stepper>(scene, scales, seed);
  summary.min_gap = std::numeric_limits<double>::infinity();
  for (const Island& island : islands) summary.energy_initial += energy(island.bodies);
  summary.energy_final = summary.energy_initial;
}

/// A link of a robot: massless links move as well.
void Simulation::Impl::addLink(int index, BodyRuntime& body) {
  const dynamics::Robot& description = scene.robots[body.robot].robot;
  if (robots.size() <= static_cast<size_t>(body.robot)) {
    RobotRuntime& robot = robots.emplace_back();
    robot.model = description.model.get();
    robot.state = description.start;
    normaliseQuaternions(*robot.model, robot.state.q);
    robot.limits = robotLimits(description, index - body.link, scales.length);
    separateFromLimits(description, robot.limits, scales.gap, robot.state, warnings);
    if (description.controller) {
      robot.controller = description.controller.get();
      robot.control = dynamics::startController(*robot.controller, *robot.model, robot.state);
      robot.workspace = std::make_shared<dynamics::ArticulatedWorkspace>(*robot.model);
    }
  }
  if (body.fixed) return;
  const auto& link = description.model->link(body.link);
  body.model.mass = link.mass;
  body.model.inertia = link.inertia;
  RobotRuntime& robot = robots[body.robot];
  if (robot.links.empty()) {
    robot.first_body = index;
    islands.push_back({{}, 0, {}, false});
  }
  robot.links.push_back(body.link);
  islands.back().bodies.push_back(index);
}

/// Poses and velocities of the links from the robot's coordinates.
void Simulation::Impl::startRobot(RobotRuntime& robot) {
  if (robot.links.empty()) return;
  SystemState state = robotState(robot);
  RobotEquations& equations = robot_equations[&robot - robots.data()];
  equations.update(state.robots[0]);
  equations.writeLinks(state.robots[0], state.bodies);
  equations.freeAcceleration(state.robots[0], scene.gravity, robot.acceleration);
  robot.start = robot.state;
  robot.start_acceleration = robot.acceleration;
  for (size_t k = 0; k < robot.links.size(); ++k) {
    BodyRuntime& body = bodies[robot.first_body + robot.links[k] - robot.links[0]];  // Fixed links may stand between.
    body.state = state[k].state;
    body.v_start = body.v_end = body.state.velocity();
  }
}

/// The scene says where bodies start: links were placed by their robot, and others may have been moved apart.
void Simulation::Impl::publishStart(const BodyRuntime& body, Body& description) {
  if (body.fixed) return;
  const Eigen::Matrix3d R = description.pose.rotation();
  const Vector3d given = body.centre.isZero(0) ? description.pose.p : Vector3d(description.pose.p + R * body.centre);
  if (body.robot < 0 && body.state.pose.p == given) return;
  const Vector3d arm = body.state.pose.rotation() * body.centre;
  description.pose = {body.state.pose.q, body.centre.isZero(0) ? body.state.pose.p : Vector3d(body.state.pose.p - arm)};
  if (body.robot < 0) return;
  description.velocity = body.state.v - body.state.w.cross(arm);
  description.angular_velocity = body.state.w;
}

/// The robot alone, its links in slots 0, 1, ...
SystemState Simulation::Impl::robotState(const RobotRuntime& robot) const {
  SystemState state;
  state.robots.resize(1);
  SystemRobot& r = state.robots[0];
  r.model = robot.model, r.state = robot.state, r.links = robot.links, r.limits = robot.limits;
  for (size_t k = 0; k < robot.links.size(); ++k) {
    SystemBody& body = state.bodies.emplace_back();
    body.robot = 0, body.link = robot.links[k];
  }
  return state;
}

double Simulation::Impl::energy(std::span<const int> group) {
  double sum = 0;
  for (const int i : group) {
    if (bodies[i].robot >= 0) {
      const RobotRuntime& robot = robots[bodies[i].robot];
      if (robot.first_body != i) continue;
      RobotEquations& equations = robot_equations[bodies[i].robot];
      equations.update(*robot.model, robot.state, false);
      sum += equations.energy(scene.gravity);
      continue;
    }
    sum += dynamics::kineticEnergy(bodies[i].model, bodies[i].state) -
           bodies[i].model.mass * scene.gravity.dot(bodies[i].state.pose.p);
  }
  return sum;
}

double Simulation::Impl::movingMass() const {
  double sum = 0;
  for (const BodyRuntime& body : bodies)
    if (!body.fixed) sum += body.model.mass;
  return sum;
}

/// The group that is farthest behind; of several, the one with the smallest body number. The group of a fork goes first.
size_t Simulation::Impl::next() const {
  size_t best = 0;
  for (size_t i = 0; first_body >= 0 && i < islands.size(); ++i)
    if (std::binary_search(islands[i].bodies.begin(), islands[i].bodies.end(), first_body)) return i;
  for (size_t i = 1; i < islands.size(); ++i)
    if (islands[i].clock < islands[best].clock ||
        (islands[i].clock == islands[best].clock && islands[i].bodies[0] < islands[best].bodies[0]))
      best = i;
  return best;
}

double Simulation::Impl::time() const { return islands.empty() ? 0 : islands[next()].clock; }

/// Hands the current pieces of a group to the sink: nothing can cut them any more.
void Simulation::Impl::finish(Island& island, Sink& sink) {
  for (const int i : island.bodies) {
    BodyRuntime& body = bodies[i];
    if (!(body.piece.t1 > body.piece.t0)) continue;
    if (body.robot >= 0 && robots[body.robot].first_body == i) {
      const RobotRuntime& robot = robots[body.robot];
      sink.joints({scene.robots[body.robot].robot, body.piece.t0, robot.start, robot.effort});
    }
    sink.piece({i, body.step, body.piece, body.v_start.head<3>(), body.v_start.tail<3>(), body.v_end.head<3>(),
                body.v_end.tail<3>()});
    body.piece = advance::MotionPiece::constant(body.state.pose, body.clock, body.clock);
  }
}

/// Ends the current pieces of a group at `t`, because something hits it there or the run ends.
void Simulation::Impl::cut(Island& island, double t, Sink& sink) {
  if (!(island.clock > t)) return;
  for (const int i : island.bodies)
    if (bodies[i].robot >= 0 && robots[bodies[i].robot].first_body == i) cutRobot(robots[bodies[i].robot], t);
  for (const int i : island.bodies) {
    BodyRuntime& body = bodies[i];
    const bool at_start = !(t > body.piece.t0);
    const bool resting = body.piece.p_degree == 0 && body.piece.q_degree == 0;
    const bool flies = !island.held && !resting && body.robot < 0;
    dynamics::RigidBodyState state;
    state.setVelocity(body.v_start);
    state.pose = body.piece.start();
    if (!at_start) {
      const double e0 = dynamics::kineticEnergy(body.model, state) - body.model.mass * scene.gravity.dot(state.pose.p);
      body.piece.velocityAt(t, state.v, state.w);
      body.v_end = state.velocity();
      if (flies) state.v = body.v_start.head<3>() + (t - body.piece.t0) * scene.gravity;  // Exact; nothing below takes momentum.
      if (resting) body.piece.t1 = t;
      else body.piece = body.piece.cutAt(t);
      state.pose = body.piece.end();
      // The polynomial's derivative is the motion's to third order only; a body alone never gains energy by it.
      const double kinetic = dynamics::kineticEnergy(body.model, state);
      const double excess = kinetic - body.model.mass * scene.gravity.dot(state.pose.p) - e0;
      const double spare = flies ? kinetic - 0.5 * body.model.mass * state.v.squaredNorm() : kinetic;
      if (excess > 0 && spare > excess && body.robot < 0) {
        const double factor = std::sqrt(1 - excess / spare);
        if (!flies) state.v *= factor;
        state.w *= factor;
      }
    } else {
      // The step is taken back; its impacts, at the same time, stand.
      body.piece = advance::MotionPiece::constant(state.pose, t, t);
      body.v_end = body.v_back;
      state.setVelocity(body.v_back);
    }
    body.state = state;
    body.clock = t;
    const double slack = resting ? 0 : kCutEpsilon * (state.pose.p.norm() + body.piece.p[0].norm() + 2 * body.radius);
    std::erase_if(pending, [&](const WitnessRecord& w) {
      return (w.pair.body_a == i || w.pair.body_b == i) && !(w.witness.t0 < t);
    });
    for (WitnessRecord& w : pending) {
      if (w.pair.body_a != i && w.pair.body_b != i) continue;
      w.witness.t1 = std::min(w.witness.t1, t);
      if (slack == 0) continue;
      // Rounding the control points turns and moves the body by parts in 1e16; the claims give way by more than that.
      const double L = w.witness.cross, cosine = w.witness.cosine;
      w.witness.cosine = std::max(0.0, cosine - kCutEpsilon * (cosine + L));
      w.witness.cross = std::sqrt(L * L + (cosine - w.witness.cosine) * (cosine + w.witness.cosine)) * (1 + kCutEpsilon);
      if (L > 0) w.witness.gap *= L / w.witness.cross;
      w.witness.gap -= slack;
    }
  }
  proveCut(island);
  island.clock = t;
  island.memory.next_step = 0;
  island.memory.flight.stop();
  finish(island, sink);
}

/// Ends all motions at `t` and hands them over.
void Simulation::Impl::settle(double t, Sink& sink) {
  for (Island& island : islands) cut(island, t, sink);
  for (Island& island : islands) finish(island, sink);
  flush(t, sink);
}

/// Takes the samples that the controllers of a group's robots are due for. @returns the time of the next, at most `until`.
double Simulation::Impl::control(const Island& island, double until) {
  for (const int i : island.bodies) {
    if (bodies[i].robot < 0 || robots[bodies[i].robot].first_body != i) continue;
    RobotRuntime& robot = robots[bodies[i].robot];
    if (!robot.controller) continue;
    while (dynamics::nextSample(*robot.controller, robot.control) <= island.clock) {
      dynamics::sampleController(*robot.controller, *robot.model, robot.state, *robot.workspace, robot.control);
      robot.effort = robot.control.tau;
    }
    until = std::min(until, dynamics::nextSample(*robot.controller, robot.control));
  }
  return until;
}

/// The coordinates at `t` within the current pieces of the links.
void Simulation::Impl::cutRobot(RobotRuntime& robot, double t) {
  const advance::MotionPiece& piece = bodies[robot.first_body].piece;
  if (!(t > piece.t0)) {
    robot.state = robot.start;
    robot.acceleration = robot.start_acceleration;
    return;
  }
  const double h = piece.t1 - piece.t0, u = (t - piece.t0) / h;
  dynamics::ArticulatedState state;
  Eigen::VectorXd rate;
  interpolateRobot(*robot.model, robot.start, robot.start_acceleration, robot.state, robot.acceleration, h, u, state, rate);
  robot.state = state;
  robot.acceleration = (1 - u) * robot.start_acceleration + u * robot.acceleration;
}

/// Proves claims of a group's cut pieces anew, where lowering them took too much: of edge pairs, whose two bounds multiply, and
/// those below the floor. What the pieces themselves lose in a cut is a thousandth of that. @post summary.min_gap; cut_failure.
void Simulation::Impl::proveCut(const Island& island) {
  std::vector<WitnessRecord> proved;
  std::vector<advance::Witness> found;
  const auto wasCut = [&](int body) { return std::binary_search(island.bodies.begin(), island.bodies.end(), body); };
  std::erase_if(pending, [&](const WitnessRecord& w) {
    if (!wasCut(w.pair.body_a) && !wasCut(w.pair.body_b)) return false;
    const auto keep = [&] {
      summary.min_gap = std::min(summary.min_gap, w.witness.gap);
      if (!(w.witness.gap >= scales.floor))
        cut_failure = fmt::format("the gap of '{}' and '{}' could not be proved for the shortened motion",
                                  scene.bodies[w.pair.body_a].name, scene.bodies[w.pair.body_b].name);
      return false;
    };
    if (w.witness.axis.kind != advance::AxisKind::kEdges && w.witness.gap >= scales.floor) return keep();
    const BodyRuntime &a = bodies[w.pair.body_a], &b = bodies[w.pair.body_b];
    for (const BodyRuntime* body : {&a, &b})
      if (!(body->piece.t0 <= w.witness.t0 && w.witness.t1 <= body->piece.t1)) return keep();
    const advance::PiecePolynomials motion_a(a.piece, w.witness.t0, w.witness.t1), motion_b(b.piece, w.witness.t0, w.witness.t1);
    // Above the floor if possible: this piece may be cut again.
    const auto certified = [&](double share) {
      found.clear();
      return advance::certify({parts[a.first_part + w.pair.part_a].shape, a.centre, &motion_a},
                              {parts[b.first_part + w.pair.part_b].shape, b.centre, &motion_b}, {&w.witness.axis, 1},
                              (1 + share * (kCutMargin - 1)) * scales.floor, found) == advance::CertifyStatus::kCertified;
    };
    if (!certified(1) && !certified(0.5) && !certified(0)) return keep();
    for (const advance::Witness& witness : found) {
      proved.push_back({w.pair, witness});
      summary.min_gap = std::min(summary.min_gap, witness.gap);
    }
    return true;
  });
  pending.insert(pending.end(), proved.begin(), proved.end());
}

/// Joins the groups of the bodies `touched` to the group `index`, all cut at its clock.
void Simulation::Impl::merge(size_t index, const std::vector<int>& touched, Sink& sink) {
  const double t = islands[index].clock;
  for (size_t j = islands.size(); j-- > 0;) {
    if (j == index) continue;
    Island& other = islands[j];
    if (std::none_of(touched.begin(), touched.end(), [&](int b) { return std::binary_search(other.bodies.begin(), other.bodies.end(), b); }))
      continue;
    cut(other, t, sink);
    Island& island = islands[index];
    island.bodies.insert(island.bodies.end(), other.bodies.begin(), other.bodies.end());
    std::sort(island.bodies.begin(), island.bodies.end());
    island.memory.event_window = std::max(island.memory.event_window, other.memory.event_window);
    island.memory.contacts.insert(island.memory.contacts.end(), other.memory.contacts.begin(), other.memory.contacts.end());
    islands.erase(islands.begin() + static_cast<long>(j));
    if (j < index) --index;
  }
}

/// Takes a group apart into those that still touch.
void Simulation::Impl::split(size_t index) {
  if (islands[index].bodies.size() < 2) return;
  std::vector<int>&group = split_group, &root = split_root;
  group = islands[index].bodies;
  root.resize(group.size());
  for (size_t i = 0; i < root.size(); ++i) root[i] = static_cast<int>(i);
  auto find = [&](int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  auto slot = [&](int body) { return static_cast<int>(std::lower_bound(group.begin(), group.end(), body) - group.begin()); };
  for (size_t i = 1; i < group.size(); ++i)  // Links of a robot stay together.
    if (bodies[group[i]].robot >= 0 && bodies[group[i]].robot == bodies[group[i - 1]].robot)
      root[i] = find(static_cast<int>(i - 1));
  for (const Contact& c : islands[index].memory.contacts) {
    if (bodies[c.pair.body_a].fixed || bodies[c.pair.body_b].fixed) continue;
    const int a = find(slot(c.pair.body_a)), b = find(slot(c.pair.body_b));
    root[std::max(a, b)] = std::min(a, b);
  }
  for (int r = 1; r < static_cast<int>(group.size()); ++r) {
    if (find(r) != r) continue;
    Island part = islands[index];
    std::erase_if(part.bodies, [&](int b) { return find(slot(b)) != r; });
    auto inPart = [&](int b) { return std::binary_search(part.bodies.begin(), part.bodies.end(), b); };
    std::erase_if(part.memory.contacts, [&](const Contact& c) { return !inPart(c.pair.body_a) && !inPart(c.pair.body_b); });
    std::erase_if(islands[index].bodies, [&](int b) { return inPart(b); });
    std::erase_if(islands[index].memory.contacts, [&](const Contact& c) { return inPart(c.pair.body_a) || inPart(c.pair.body_b); });
    islands.push_back(std::move(part));
  }
}

/// Impacts of a step that no impact model resolved although they changed a velocity by more than the capture speed.
long Simulation::Impl::countPlastic(const StepResult& result) const {
  return std::count_if(result.impacts.begin(), result.impacts.end(), [&](const ImpactRecord& impact) {
    if (impact.model != "coulomb") return false;
    for (size_t k = 0; k < impact.bodies.size(); ++k) {
      const auto change = impact.after[k] - impact.before[k];
      if (change.head<3>().norm() + scales.length * change.tail<3>().norm() > scales.capture_speed) return true;
    }
    return false;
  });
}

/// Makes a step's outcome the current motion of its group.
void Simulation::Impl::accept(Island& island, const StepResult& result, Sink& sink) {
  if (!result.continues) {
    ++summary.steps;
    island.step_start = island.clock;
  }
  for (const ImpactRecord& impact : result.impacts) {
    ++summary.impacts;
    sink.impact(impact);
  }
  sum_steps += result.t1 - island.clock;
  finish(island, sink);
  for (size_t i = 0; i < island.bodies.size(); ++i) {
    BodyRuntime& body = bodies[island.bodies[i]];
    auto hit = [&](const ImpactRecord& impact) {
      return std::find(impact.bodies.begin(), impact.bodies.end(), island.bodies[i]) != impact.bodies.end();
    };
    const bool impacted = std::any_of(result.impacts.begin(), result.impacts.end(), hit);
    body.v_back = impacted ? result.start_velocities[i] : body.v_end;
    body.piece = result.pieces[i];
    body.v_start = result.start_velocities[i];
    body.state = result.ends[i];
    body.v_end = body.state.velocity();
    body.clock = result.t1;
    body.step = summary.steps;
  }
  for (size_t r = 0; r < result.robot_ends.size(); ++r) {
    const SystemRobot &from = result.robot_starts[r], &to = result.robot_ends[r];
    RobotRuntime& robot = robots[to.id];
    robot.start = from.state, robot.start_acceleration = from.acceleration;
    robot.state = to.state, robot.acceleration = to.acceleration;
  }
  island.held = std::any_of(island.memory.contacts.begin(), island.memory.contacts.end(), [](const Contact& c) { return c.held; });
  island.clock = result.t1;
  pending.insert(pending.end(), result.witnesses.begin(), result.witnesses.end());
  summary.min_gap = std::min(summary.min_gap, result.min_gap);
  if (!island.memory.flight.isOn()) {
    const double length = result.t1 - island.step_start;
    summary.min_step = summary.max_step == 0 ? length : std::min(summary.min_step, length);
    summary.max_step = std::max(summary.max_step, length);
  }
  summary.mean_step = sum_steps / static_cast<double>(summary.steps);
}

/// Everything up to the earliest start of a current piece is final. Bodies at rest are handed over up to there too; the
/// rest of their stay is a piece of its own. @returns that time.
double Simulation::Impl::commit(Sink& sink) {
  auto resting = [&](int i) {
    return bodies[i].fixed || (bodies[i].piece.p_degree == 0 && bodies[i].piece.q_degree == 0 && bodies[i].piece.t1 > bodies[i].piece.t0);
  };
  double horizon = time();
  for (const Island& island : islands)
    for (const int i : island.bodies)
      if (!resting(i)) horizon = std::min(horizon, bodies[i].piece.t0);
  for (const Island& island : islands)
    for (const int i : island.bodies) {
      BodyRuntime& body = bodies[i];
      if (!resting(i) || !(body.piece.t0 < horizon && horizon < body.piece.t1)) continue;
      advance::MotionPiece past = body.piece;
      past.t1 = body.piece.t0 = horizon;
      sink.piece({i, body.step, past, body.v_start.head<3>(), body.v_start.tail<3>(), body.v_end.head<3>(), body.v_end.tail<3>()});
    }
  flush(horizon, sink);
  for (WitnessRecord& w : pending)
    if (w.witness.t0 < horizon && horizon < w.witness.t1 && resting(w.pair.body_a) && resting(w.pair.body_b)) {
      WitnessRecord past = w;
      past.witness.t1 = w.witness.t0 = horizon;
      sink.witness(past);
    }
  return horizon;
}

/// Hands over the witnesses whose pieces are both final.
void Simulation::Impl::flush(double time, Sink& sink) {
  auto settled = [&](int i, double t) {
    const BodyRuntime& body = bodies[i];
    return body.fixed || t <= body.piece.t0 || (body.piece.p_degree == 0 && body.piece.q_degree == 0 && t <= time);
  };
  std::erase_if(pending, [&](const WitnessRecord& w) {
    if (!settled(w.pair.body_a, w.witness.t1) || !settled(w.pair.body_b, w.witness.t1)) return false;
    sink.witness(w);
    return true;
  });
}

namespace {

constexpr std::uint32_t kSnapshotVersion = 5;

template <typename Archive, typename T, typename Each>
void transferList(Archive& archive, std::vector<T>& list, Each&& each) {
  std::uint64_t count = list.size();
  archive(count);
  if (count > (1u << 28)) throw std::invalid_argument("the stored state is damaged");
  list.resize(count);
  for (T& item : list) each(item);
}

template <typename Archive>
void transferPair(Archive& archive, PairKey& pair) {
  archive(pair.body_a)(pair.part_a)(pair.body_b)(pair.part_b);
}

template <typename Archive>
void transferFeature(Archive& archive, advance::ContactFeature& f) {
  archive(f.kind)(f.a0)(f.a1)(f.b0)(f.b1)(f.face)(f.axis)(f.offset);
}

}  // namespace

template <typename Archive>
void Simulation::Impl::transfer(Archive& archive) {
  std::uint32_t version = kSnapshotVersion;
  std::uint64_t count = bodies.size();
  archive(version)(count);
  if (version != kSnapshotVersion || count != bodies.size())
    throw std::invalid_argument("the stored state is not of this scene and version");
  for (BodyRuntime& body : bodies) {
    archive(body.state.pose.q)(body.state.pose.p)(body.state.v)(body.state.w)(body.clock)(body.v_start)(body.v_end);
    archive(body.v_back)(body.step);
    archive(body.piece.t0)(body.piece.t1)(body.piece.p_degree)(body.piece.q_degree);
    for (int i = 0; i <= body.piece.p_degree; ++i) archive(body.piece.p[i]);
    for (int i = 0; i <= body.piece.q_degree; ++i) archive(body.piece.q[i]);
  }
  const auto transferVector = [&](Eigen::VectorXd& list) {
    std::uint64_t size = list.size();
    archive(size);
    if (size > (1u << 20)) throw std::invalid_argument("the stored state is damaged");
    list.resize(static_cast<long>(size));
    for (double& value : list) archive(value);
  };
  for (RobotRuntime& robot : robots) {
    for (Eigen::VectorXd* list : {&robot.state.q, &robot.state.v, &robot.acceleration, &robot.start.q, &robot.start.v,
                                  &robot.start_acceleration, &robot.effort, &robot.control.tau})
      transferVector(*list);
    transferList(archive, robot.control.memory, [&](double& value) { archive(value); });
    archive(robot.control.samples);
  }
  transferList(archive, islands, [&](Island& island) {
    transferList(archive, island.bodies, [&](int& body) { archive(body); });
    archive(island.clock)(island.held)(island.step_start)(island.memory.next_step)(island.memory.event_window)(island.memory.short_steps);
    archive(island.memory.velocity_level);
    Flight& flight = island.memory.flight;
    archive(flight.t0)(flight.t1)(flight.part)(flight.start_energy)(flight.end_energy);
    for (Eigen::VectorXd* list : {&flight.start.q, &flight.start.v, &flight.start_acceleration, &flight.end.q, &flight.end.v,
                                  &flight.end_acceleration})
      transferVector(*list);
    transferList(archive, island.memory.contacts, [&](Contact& c) {
      transferPair(archive, c.pair);
      transferFeature(archive, c.feature);
      archive(c.limit)(c.mode)(c.direction)(c.force)(c.held)(c.in_patch);
    });
  });
  transferList(archive, pending, [&](WitnessRecord& w) {
    transferPair(archive, w.pair);
    advance::SeparatingAxis& axis = w.witness.axis;
    archive(w.witness.t0)(w.witness.t1)(w.witness.gap)(w.witness.cross)(w.witness.cosine);
    archive(axis.kind)(axis.axis)(axis.a0)(axis.a1)(axis.b0)(axis.b1);
  });
  touching.transfer([&](PairKey& pair, int& limit) { transferPair(archive, pair), archive(limit); },
                    [&](advance::ContactFeature& feature) { transferFeature(archive, feature); },
                    [&](auto& value) { archive(value); });
  archive(summary.steps)(summary.manifold_changes)(summary.impacts)(summary.contacts_made)(summary.contacts_broken);
  archive(summary.false_liftoffs)(summary.min_gap)(summary.min_step)(summary.max_step)(summary.mean_step);
  archive(summary.energy_initial)(summary.max_energy_increase)(sum_steps)(reach);
}

Simulation::Simulation(Scene scene, std::uint64_t seed) : impl_(std::make_unique<Impl>()) {
  impl_->scene = std::move(scene);
  impl_->seed = seed;
  impl_->build();
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;

void Simulation::findForks(const ForkOptions& options, std::uint64_t branch) {
  impl_->forks.emplace(options, branch, impl_->movingMass());
  impl_->stepper->setForks(&*impl_->forks);
}

const Fork& Simulation::fork() const { return impl_->forks.value().fork(); }

void Simulation::choose(int body, std::vector<ImpactChoice> choices) {
  impl_->first_body = body;
  impl_->forks.value().repeatFirst(std::move(choices));
}

const Scene& Simulation::scene() const { return impl_->scene; }
double Simulation::gapNominal() const { return impl_->scales.gap; }
double Simulation::gapFloor() const { return impl_->scales.floor; }
const std::vector<std::string>& Simulation::warnings() const { return impl_->warnings; }

Summary Simulation::run(double until, Sink& sink, const std::atomic<bool>* interrupt,
                        const std::function<void(double, long)>& progress) {
  Impl& s = *impl_;
  s.summary.status = RunStatus::kDone;
  StepResult& result = s.step_result;
  while (!s.islands.empty() && s.time() < until) {
    if (interrupt && *interrupt) {
      s.summary.status = RunStatus::kInterrupted;
      break;
    }
    if (s.scene.solver.max_steps > 0 && s.summary.steps >= s.scene.solver.max_steps) {
      s.summary.status = RunStatus::kBudget;
      break;
    }
    if (!s.cut_failure.empty()) {
      s.summary.status = RunStatus::kFailed;
      s.summary.message = fmt::format("t = {:.9g} s: {}", s.time(), s.cut_failure);
      break;
    }
    const size_t index = s.next();
    const double start = s.islands[index].clock;
    s.finish(s.islands[index], sink);
    const auto step = [&] {
      const double end = s.control(s.islands[index], until);
      s.stepper->step({s.bodies, s.parts, s.robots}, s.islands[index].bodies, s.islands[index].memory, end,
                      std::min(s.reach, s.summary.min_gap), static_cast<std::uint64_t>(s.summary.steps), result);
    };
    step();
    if (result.status == StepStatus::kFork) {
      // A branch continues from the world with every motion cut at the fork: what counts is how the impact looks there.
      s.settle(start, sink);
      step();
    }
    if (result.status == StepStatus::kFork) {
      Fork& fork = s.forks->fork();
      fork.time = start, fork.body = s.islands[index].bodies[0];
      s.summary.status = RunStatus::kForked;
      sink.event({start, "fork", fork.body, -1, fmt::format(R"({{"outcomes":{},"samples":{}}})", fork.alternatives.size(), fork.drawn)});
      break;
    }
    if (result.status == StepStatus::kMerge) {
      s.merge(index, result.touched, sink);
      continue;
    }
    if (result.status == StepStatus::kFailed) {
      s.summary.status = RunStatus::kFailed;
      s.summary.message = fmt::format("t = {:.9g} s: {}", start, result.message);
      break;
    }
    if (s.forks) s.forks->forgetRepeated();
    s.first_body = -1;
    Island& island = s.islands[index];
    const double before = s.energy(island.bodies);
    const auto limit = [&](const PairKey& links, int number) { return s.robots[s.bodies[links.body_b].robot].limits[number].name(); };
    s.touching.update(start, s.islands[index].memory.contacts, island.bodies, result.impacts,
                      s.scales.event_window, limit, sink, s.summary);
    // From the state before impacts to that after them, and on to the end of the step.
    for (size_t i = 0; i < island.bodies.size(); ++i)
      s.bodies[island.bodies[i]].state.setVelocity(result.start_velocities[i]);
    for (const SystemRobot& robot : result.robot_starts) s.robots[robot.id].state = robot.state;
    const double after = s.energy(island.bodies);
    s.accept(island, result, sink);
    s.summary.max_energy_increase =
        std::max({s.summary.max_energy_increase, after - before, s.energy(island.bodies) - after});
    const long plastic = s.countPlastic(result);
    s.summary.plastic_impacts += plastic;
    if (result.closed || plastic > 0)
      sink.event({start, "closure", island.bodies[0], -1, plastic > 0 ? fmt::format(R"({{"plastic_impacts":{}}})", plastic) : ""});
    if (result.status == StepStatus::kRest)
      for (const int body : island.bodies) sink.event({start, "rest", body, -1, {}});
    else
      s.split(index);
    const double now = s.time();
    s.flush(now, sink);
    if (!result.continues && s.summary.steps % kCheckpointSteps == 0)
      sink.checkpoint(s.commit(sink), s.summary.steps,
                      s.summary.steps % kSnapshotSteps == 0 ? snapshot() : std::vector<unsigned char>{});
    if (progress) progress(now, s.summary.steps);
  }
  // What the run goes on from, as if it had not been stopped: before motions are cut.
  const bool resumable = s.summary.status == RunStatus::kInterrupted || s.summary.status == RunStatus::kBudget;
  if (resumable) sink.checkpoint(s.commit(sink), s.summary.steps, snapshot());
  // All bodies end at the same time, also where the run stops early.
  const double end = s.islands.empty() ? until : s.time();
  s.settle(end, sink);
  s.summary.time = end;
  s.summary.energy_final = 0;
  for (const Island& island : s.islands) s.summary.energy_final += s.energy(island.bodies);
  sink.checkpoint(s.summary.time, s.summary.steps, resumable ? std::vector<unsigned char>{} : snapshot());
  return s.summary;
}

std::vector<unsigned char> Simulation::snapshot() const {
  Packer packer;
  // The same function describes both directions; packing changes nothing.
  const_cast<Impl&>(*impl_).transfer(packer);
  return packer.take();
}

void Simulation::restore(const std::vector<unsigned char>& state) {
  Unpacker unpacker(state);
  impl_->transfer(unpacker);
  if (!unpacker.atEnd()) throw std::invalid_argument("the stored state is not of this scene");
}

}  // namespace rigor::sim
