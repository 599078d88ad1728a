// SPDX-License-Identifier: MIT
#include "rigor/simulation.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "api/contact_force.h"
#include "api/scene_impl.h"
#include "api/summaries.h"
#include "api/version.h"
#include "record/summary_json.h"
#include "record/writer.h"
#include "sim/history.h"
#include "sim/simulation.h"

namespace rigor {
namespace {

using Clock = std::chrono::steady_clock;

/// The record of a run as `rigor run` writes it.
std::unique_ptr<record::Writer> openRecord(const sim::Simulation& simulation, const SimulationOptions& options) {
  const sim::Scene& scene = simulation.scene();
  const record::RunInfo info = record::runInfo(simulation, options.seed, scene.until, RIGOR_BUILD);
  record::WriterOptions writer_options;
  writer_options.replace = options.replace;
  return std::make_unique<record::Writer>(options.record, scene, info, writer_options);
}

}  // namespace

struct Simulation::Impl {
  Impl(const Scene& given, const SimulationOptions& its_options)
      : scene(given),
        options(its_options),
        simulation(startOf(given), its_options.seed),
        history(simulation.scene(), its_options.history) {
    if (!options.record.empty()) writer = openRecord(simulation, options), simulation.recordTo(*writer);
    summary.energy_initial = summary.energy_final = NAN;  // Before the first call nobody has asked.
  }

  void take(const sim::Summary& made) {
    last = made;
    summary = toPublic(made);
    if (made.status == sim::RunStatus::kFailed) throw GuaranteeError(made.message);
  }
  void requireOpen() const {
    if (finished) throw InputError("the simulation was finished; allowed: a new one");
  }
  /// Something acts from outside, which no impulse of the record says: it declares no bounds of the laws of motion.
  void noteIntervention() {
    if (writer) writer->database().execute("UPDATE meta SET value = '{}' WHERE key = 'bounds'");
  }
  TouchingPart part(int body, int number, double time) const;

  Scene scene;
  SimulationOptions options;
  sim::Simulation simulation;
  sim::History history;
  std::unique_ptr<record::Writer> writer;
  sim::Summary last;
  Summary summary;
  bool finished = false;
  Clock::time_point start = Clock::now();
};

Simulation::Simulation(const Scene& scene, const SimulationOptions& options) {
  withUserErrors([&] { impl_ = std::make_unique<Impl>(scene, options); }, &scene.impl().source);
}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;

Summary Simulation::advance(double time, const Watch& watch) {
  impl_->requireOpen();
  if (!(time >= 0 && time <= 1e100)) throw InputError(fmt::format("time is {} s; allowed: 0 to 1e100", time));
  std::function<void(double, long)> progress;
  if (watch.progress) progress = [&](double at, long) { watch.progress(at, time); };
  withUserErrors([&] { impl_->take(impl_->simulation.run(time, impl_->history, watch.interrupt, progress)); });
  return impl_->summary;
}

bool Simulation::step() {
  impl_->requireOpen();
  const long before = impl_->last.steps;
  withUserErrors([&] { impl_->take(impl_->simulation.step(impl_->history)); });
  return impl_->last.steps > before;
}

double Simulation::time() const { return impl_->simulation.time(); }
const Summary& Simulation::summary() const { return impl_->summary; }

State Simulation::state(const std::string& body, double time) const {
  const auto found = impl_->history.at(impl_->scene.body(body), time);
  if (!found)
    throw InputError(
        fmt::format("no state of '{}' at {} s; allowed: what was simulated, up to {} s, and is kept ('history')", body,
                    time, this->time()));
  return {toArray(found->position), toArray(found->orientation), toArray(found->velocity),
          toArray(found->angular_velocity)};
}

void Simulation::setVelocity(const std::string& body, const Vector3& velocity, const Vector3& angular_velocity) {
  impl_->requireOpen();
  withUserErrors([&] {
    impl_->simulation.setVelocity(impl_->scene.body(body), toEigen(velocity), toEigen(angular_velocity),
                                  impl_->history);
    impl_->noteIntervention();
  });
}

void Simulation::applyWrench(const std::string& body, const Vector3& force, const Vector3& torque, double duration) {
  impl_->requireOpen();
  if (!(duration >= 0)) throw InputError(fmt::format("duration is {} s; allowed: 0 or more", duration));
  Eigen::Matrix<double, 6, 1> wrench;
  wrench << toEigen(force), toEigen(torque);
  withUserErrors([&] {
    impl_->simulation.applyWrench(impl_->scene.body(body), wrench, time() + duration, impl_->history);
    impl_->noteIntervention();
  });
}

TouchingPart Simulation::Impl::part(int body, int number, double time) const {
  const sim::Body& description = simulation.scene().bodies[body];
  geom::Pose pose = history.centrePose(body, time).value_or(description.pose);
  if (!description.fixed) pose.p -= pose.rotation() * description.centre;
  const auto* polytope = std::get_if<geom::Polytope>(&description.parts[number]);
  if (!polytope) return {pose, {nullptr, 3, 0}};
  return {pose, {polytope->vertices().data(), 3, polytope->vertices().cols()}, polytope->round()};
}

std::vector<Contact> Simulation::contacts(double time) const {
  std::vector<Contact> list;
  const auto& bodies = impl_->simulation.scene().bodies;
  for (const sim::ImpulseRecord& record : impl_->history.impulses()) {
    const bool jump = record.t0 == record.t1;
    if (jump ? record.t0 != time
             : !(record.t0 <= time && (time < record.t1 || (time == record.t1 && time == this->time()))))
      continue;
    for (const auto& c : record.contacts) {
      const std::span<const sim::ImpulseRecord::Impulse> impulses(record.impulses.data() + c.first,
                                                                  static_cast<std::size_t>(c.count));
      Contact& contact =
          list.emplace_back(contactOf(record.t0, record.t1, c.feature, impulses, [&](int side, double t) {
            return side == 0 ? impl_->part(c.pair.body_a, c.pair.part_a, t)
                             : impl_->part(c.pair.body_b, c.pair.part_b, t);
          }));
      contact.body_a = bodies[c.pair.body_a].name, contact.body_b = bodies[c.pair.body_b].name;
    }
  }
  return list;
}

std::vector<Event> Simulation::events() const {
  std::vector<Event> list;
  for (const auto& event : impl_->history.events()) list.push_back(toPublic(event, impl_->simulation.scene()));
  return list;
}

std::vector<Impact> Simulation::impacts() const {
  std::vector<Impact> list;
  for (const auto& impact : impl_->history.impacts()) list.push_back(toPublic(impact, impl_->simulation.scene()));
  return list;
}

/// The state of the run, and behind it how much of its history there is.
std::vector<unsigned char> Simulation::snapshot() const {
  std::vector<unsigned char> state = impl_->simulation.snapshot();
  const sim::History::Mark mark = impl_->history.mark(time());
  const std::size_t size = state.size();
  state.resize(size + sizeof mark);
  std::memcpy(state.data() + size, &mark, sizeof mark);
  return state;
}

void Simulation::restore(const std::vector<unsigned char>& state) {
  impl_->requireOpen();
  if (impl_->writer) throw InputError("a run that is recorded cannot go back: what the record has stands");
  sim::History::Mark mark;
  if (state.size() < sizeof mark) throw InputError("the stored state is damaged; allowed: what snapshot() gave");
  std::memcpy(&mark, state.data() + state.size() - sizeof mark, sizeof mark);
  withUserErrors([&] { impl_->simulation.restore({state.begin(), state.end() - sizeof mark}); });
  mark.time = time();
  impl_->history.goBack(mark);
}

const Scene& Simulation::scene() const { return impl_->scene; }
const std::vector<std::string>& Simulation::warnings() const { return impl_->simulation.warnings(); }
double Simulation::gapNominal() const { return impl_->simulation.gapNominal(); }
double Simulation::gapFloor() const { return impl_->simulation.gapFloor(); }

Summary Simulation::finish() {
  if (impl_->finished) return impl_->summary;
  impl_->finished = true;
  if (!impl_->writer) return impl_->summary;
  withUserErrors([&] { impl_->last.time = impl_->simulation.endRecord(); });
  // Done is who reached the end: a record that says so and ends earlier is refuted.
  if (impl_->last.status == sim::RunStatus::kDone && impl_->last.time < impl_->simulation.scene().until) {
    impl_->last.status = sim::RunStatus::kInterrupted;
    impl_->summary = toPublic(impl_->last);
  }
  const double seconds = std::chrono::duration<double>(Clock::now() - impl_->start).count();
  withUserErrors([&] {
    impl_->writer->finish(impl_->last, record::summaryJson(impl_->simulation.scene().name, impl_->last, seconds,
                                                           impl_->options.seed, impl_->options.record));
    impl_->writer.reset();
  });
  return impl_->summary;
}

}  // namespace rigor
