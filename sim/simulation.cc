// SPDX-License-Identifier: MIT
#include "sim/simulation.h"

#include <utility>

#include "sim/run/run.h"
#include "sim/separate_trees.h"

namespace rigor::sim {

struct Simulation::Impl {
  Run run;
};

Simulation::Simulation(Scene scene, std::uint64_t seed)
    : impl_(new Impl{Run(withSeparateTrees(std::move(scene)), seed)}) {}
Simulation::~Simulation() = default;
Simulation::Simulation(Simulation&&) noexcept = default;

void Simulation::findForks(const ForkOptions& options, std::uint64_t branch) {
  Run& run = impl_->run;
  run.forks.emplace(options, branch, run.movingMass());
  run.stepper->setForks(&*run.forks);
}

const Fork& Simulation::fork() const { return impl_->run.forks.value().fork(); }

void Simulation::choose(int body, std::vector<ImpactChoice> choices) {
  impl_->run.first_body = body;
  impl_->run.forks.value().repeatFirst(std::move(choices));
}

void Simulation::setThreads(int threads) { impl_->run.setThreads(threads); }

const Scene& Simulation::scene() const { return impl_->run.scene; }
double Simulation::gapNominal() const { return impl_->run.scales.gap; }
double Simulation::gapFloor() const { return impl_->run.scales.floor; }
const std::vector<std::string>& Simulation::warnings() const { return impl_->run.warnings; }

Summary Simulation::run(double until, Sink& sink, const std::atomic<bool>* interrupt,
                        const std::function<void(double, long)>& progress) {
  return impl_->run.advance(until, sink, interrupt, progress);
}

Summary Simulation::step(Sink& sink, const std::atomic<bool>* interrupt) {
  return impl_->run.stepOnce(sink, interrupt);
}
void Simulation::recordTo(Sink& record) { impl_->run.recordTo(record); }
double Simulation::endRecord() { return impl_->run.endRecord(); }
double Simulation::time() const { return impl_->run.handedTime(); }

void Simulation::setVelocity(int body, const Eigen::Vector3d& velocity, const Eigen::Vector3d& angular_velocity,
                             Sink& sink) {
  impl_->run.setVelocity(body, velocity, angular_velocity, sink);
}

void Simulation::applyWrench(int body, const Eigen::Matrix<double, 6, 1>& wrench, double until, Sink& sink) {
  impl_->run.applyWrench(body, wrench, until, sink);
}

std::vector<unsigned char> Simulation::snapshot() const { return impl_->run.save(); }
void Simulation::restore(const std::vector<unsigned char>& state) { impl_->run.restore(state); }

}  // namespace rigor::sim
