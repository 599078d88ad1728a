// SPDX-License-Identifier: MIT
#include "viewer/fork_replay.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/separate_trees.h"
#include "sim/simulation.h"
#include "viewer/recorded_scene.h"

namespace rigor::viewer {
namespace {

std::vector<int> pathOf(const std::string& id) {
  std::vector<int> path;
  for (const char *at = id.data(), *end = at + id.size();; ++at) {
    int number = -1;
    const auto [next, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number < 0) throw ReplayError("branch '" + id + "' has no path that the explorer gave");
    path.push_back(number);
    at = next;
    if (at == end) return path;
    if (*at != '/') throw ReplayError("branch '" + id + "' has no path that the explorer gave");
  }
}

/// Runs to the next ambiguous impact, which has to be at `time`.
ReplayedFork runToFork(sim::Simulation& simulation, double until, double time, std::uint64_t hash,
                       const std::atomic<bool>* interrupt) {
  // Past the time there is nothing to be found.
  std::atomic<bool> stop{false};
  sim::Sink nowhere;
  const sim::Summary summary = simulation.run(until, nowhere, &stop, [&](double now, long) {
    if (now > time || (interrupt && *interrupt)) stop = true;
  });
  if (interrupt && *interrupt) throw ReplayError("interrupted");
  if (summary.status == sim::RunStatus::kFailed)
    throw ReplayError("simulated again, the run fails: " + summary.message);
  if (summary.status != sim::RunStatus::kForked || simulation.fork().time > time)
    throw ReplayError("one contact alone is hit, or all samples agree: this impact has one outcome");
  if (simulation.fork().time != time)
    throw ReplayError(
        fmt::format("simulated again, the impact comes at {} s instead of {} s: another build made the record",
                    simulation.fork().time, time));
  return {simulation.fork(), simulation.snapshot(), hash};
}

}  // namespace

std::uint64_t branchHash(const std::string& id) {
  const std::vector<int> path = pathOf(id);
  std::uint64_t hash = 0;
  for (std::size_t depth = 1; depth < path.size(); ++depth)
    hash = sim::childHash(hash, static_cast<int>(depth), path[depth]);
  return hash;
}

ForkReplay::ForkReplay(const std::string& record) : reader_(record) {
  const record::RunHeader& header = reader_.header();
  try {
    scene_ = sim::withSeparateTrees(recordedScene(reader_));  // As the record has it.
  } catch (const std::exception& error) {
    throw ReplayError(std::string("the record's scene cannot be read again: ") + error.what());
  }
  if (header.until > 0) scene_.until = header.until;
  const auto json = nlohmann::json::parse(header.options, nullptr, false);
  if (!json.is_object()) return;
  try {
    scene_.impact_model = json.value("impact", scene_.impact_model);
    options_.samples = json.value("samples", options_.samples);
    options_.tolerance = json.value("tolerance", options_.tolerance);
  } catch (const nlohmann::json::exception& error) {
    throw record::RecordError("damaged record " + record + ": its options: " + error.what());
  }
}

ReplayedFork ForkReplay::atEndOf(const std::string& id, const std::atomic<bool>* interrupt) {
  const record::BranchRow branch = reader_.branch(id);
  const std::uint64_t hash = branchHash(id);
  sim::Simulation simulation(scene_, reader_.header().seed);
  simulation.findForks(options_, hash);
  const auto restore = [&](const std::vector<unsigned char>& state) {
    try {
      simulation.restore(state);
    } catch (const std::invalid_argument& error) {
      throw ReplayError(std::string("another build made the record: ") + error.what());
    }
  };
  const auto events = reader_.events(id, branch.end_time, branch.end_time);
  const auto snapshot = reader_.latestSnapshot(id, branch.end_time);
  if (branch.end_time > branch.fork_time && snapshot && snapshot->time == branch.end_time && !events.empty() &&
      events.back().kind == "fork") {
    restore(snapshot->state);
    simulation.choose(events.back().body_a, {});
  } else if (!branch.parent.empty()) {
    // A branch of no length: its own impacts, which were chosen at its parent's fork, come first.
    const ReplayedFork before = atEndOf(branch.parent, interrupt);
    const auto chosen = static_cast<std::size_t>(pathOf(id).back());
    if (chosen >= before.fork.alternatives.size()) throw ReplayError("branch '" + id + "' ends at no fork");
    std::vector<sim::ImpactChoice> choices = before.fork.before;
    choices.push_back(before.fork.alternatives[chosen].outcome);
    restore(before.state);
    simulation.choose(before.fork.body, std::move(choices));
  }
  return runToFork(simulation, scene_.until, branch.end_time, hash, interrupt);
}

ReplayedFork ForkReplay::atImpact(double time, const std::atomic<bool>* interrupt) {
  sim::ForkOptions options = options_;
  options.from = time;
  // The last stored state may be one in which the group that is hit has stepped on already: then from the start.
  const auto snapshot = reader_.latestSnapshot("0", std::nextafter(time, -1));
  for (const bool stored : {true, false}) {
    if (stored && !snapshot) continue;
    sim::Simulation simulation(scene_, reader_.header().seed);
    simulation.findForks(options, 0);
    try {
      if (stored) simulation.restore(snapshot->state);
      return runToFork(simulation, scene_.until, time, 0, interrupt);
    } catch (const std::invalid_argument&) {
      if (!stored) throw;  // Another build's state: from the start.
    } catch (const ReplayError&) {
      if (!stored || (interrupt && *interrupt)) throw;
    }
  }
  throw ReplayError("the impact cannot be simulated again");
}

}  // namespace rigor::viewer
