// SPDX-License-Identifier: MIT
#include "sim/simulation.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>

#include "advance/manifold.h"
#include "sim/scales.h"
#include "sim/start.h"
#include "sim/stepper.h"
#include "sim/touching.h"

namespace rigor::sim {

using Eigen::Vector3d;

struct Simulation::Impl {
  Scene scene;
  std::uint64_t seed = 0;
  Scales scales;
  std::vector<BodyRuntime> bodies;
  std::vector<PartRuntime> parts;
  std::vector<std::string> warnings;
  std::vector<int> moving;
  StepMemory memory;
  TouchingSet touching;
  std::unique_ptr<Stepper> stepper;
  Summary summary;
  double time = 0, sum_steps = 0;
  bool started = false;

  void build();
  double energy() const;
  void publish(const StepResult& result, Sink& sink);
};

void Simulation::Impl::build() {
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
    if (!body.fixed) {
      if (!(description.mass > 0))
        throw SceneError(fmt::format("body '{}' has no mass; a moving body needs mass > 0", description.name), static_cast<int>(i));
      body.model = dynamics::RigidBody::make(description.mass, description.inertia);
      moving.push_back(static_cast<int>(i));
    }
    const Eigen::Matrix3d R = description.pose.rotation();
    const Vector3d arm = R * body.centre;
    body.state.pose = {description.pose.q, body.centre.isZero(0) ? description.pose.p : Vector3d(description.pose.p + arm)};
    body.state.w = description.angular_velocity;
    body.state.v = description.velocity + description.angular_velocity.cross(arm);
    bodies.push_back(body);
  }
  separateStart(scene, scales, parts, bodies, warnings);
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
  summary.energy_initial = summary.energy_final = energy();
  summary.min_step = std::numeric_limits<double>::infinity();
}

double Simulation::Impl::energy() const {
  double sum = 0;
  for (const int i : moving)
    sum += dynamics::kineticEnergy(bodies[i].model, bodies[i].state) -
           bodies[i].model.mass * scene.gravity.dot(bodies[i].state.pose.p);
  return sum;
}

/// Makes a step's outcome the state, and hands it to the sink.
void Simulation::Impl::publish(const StepResult& result, Sink& sink) {
  ++summary.steps;
  for (const ImpactRecord& impact : result.impacts) {
    ++summary.impacts;
    sink.impact(impact);
  }
  const double length = result.t1 - time;
  for (size_t i = 0; i < moving.size(); ++i) {
    BodyRuntime& body = bodies[moving[i]];
    body.piece = result.pieces[i];
    body.v_start = result.start_velocities[i];
    body.state = result.ends[i];
    body.v_end = body.state.velocity();
    body.clock = result.t1;
    body.step = summary.steps;
    sink.piece({moving[i], summary.steps, body.piece, body.v_start.head<3>(), body.v_start.tail<3>(),
                body.v_end.head<3>(), body.v_end.tail<3>()});
  }
  for (const WitnessRecord& witness : result.witnesses) sink.witness(witness);
  summary.min_gap = std::min(summary.min_gap, result.min_gap);
  summary.min_step = std::min(summary.min_step, length);
  summary.max_step = std::max(summary.max_step, length);
  sum_steps += length;
  summary.mean_step = sum_steps / static_cast<double>(summary.steps);
  time = result.t1;
}

Simulation::Simulation(Scene scene, std::uint64_t seed) : impl_(std::make_unique<Impl>()) {
  impl_->scene = std::move(scene);
  impl_->seed = seed;
  impl_->build();
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;

const Scene& Simulation::scene() const { return impl_->scene; }
double Simulation::gapNominal() const { return impl_->scales.gap; }
double Simulation::gapFloor() const { return impl_->scales.floor; }
const std::vector<std::string>& Simulation::warnings() const { return impl_->warnings; }

Summary Simulation::run(double until, Sink& sink, const std::atomic<bool>* interrupt,
                        const std::function<void(double, long)>& progress) {
  Impl& s = *impl_;
  s.summary.status = RunStatus::kDone;
  StepResult result;
  const double scale = std::max(std::abs(s.summary.energy_initial), 1e-300);
  (void)scale;
  while (s.time < until && !s.moving.empty()) {
    if (interrupt && *interrupt) {
      s.summary.status = RunStatus::kInterrupted;
      break;
    }
    if (s.scene.solver.max_steps > 0 && s.summary.steps >= s.scene.solver.max_steps) {
      s.summary.status = RunStatus::kBudget;
      break;
    }
    const double before = s.energy();
    s.stepper->step(s.bodies, s.parts, s.moving, s.memory, until, s.summary.min_gap,
                    static_cast<std::uint64_t>(s.summary.steps), result);
    if (result.status == StepStatus::kFailed) {
      s.summary.status = RunStatus::kFailed;
      s.summary.message = fmt::format("t = {:.9g} s: {}", s.time, result.message);
      break;
    }
    const double start = s.time;
    s.touching.update(start, s.memory.contacts, s.scales.event_window, sink, s.summary);
    s.publish(result, sink);
    s.summary.max_energy_increase = std::max(s.summary.max_energy_increase, s.energy() - before);
    if (result.status == StepStatus::kRest) sink.event({start, "rest", -1, -1, {}});
    if (s.summary.steps % 64 == 0) sink.checkpoint(s.time, s.summary.steps, {});
    if (progress) progress(s.time, s.summary.steps);
  }
  s.summary.time = s.moving.empty() ? until : s.time;
  s.summary.energy_final = s.energy();
  if (s.summary.steps == 0) s.summary.min_step = 0;
  sink.checkpoint(s.summary.time, s.summary.steps, {});
  return s.summary;
}

std::vector<unsigned char> Simulation::snapshot() const { return {}; }
void Simulation::restore(const std::vector<unsigned char>&) {}

}  // namespace rigor::sim
