// SPDX-License-Identifier: MIT
#include "viewer/continuation.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

#include "elementary/require.h"
#include "record/writer.h"
#include "sim/law_bounds.h"
#include "sim/simulation.h"

namespace rigor::viewer {
namespace {

struct Interrupted {};

/// One trajectory from a fork on: later impacts are drawn as a run draws them, and do not fork.
sim::Summary follow(const sim::Scene& scene, std::uint64_t seed, const ReplayedFork& fork,
                    const sim::ImpactChoice& choice, std::uint64_t hash, record::Writer& writer,
                    const std::atomic<bool>& interrupt, const std::function<void(double, long)>& progress) {
  sim::Simulation simulation(scene, seed);
  sim::ForkOptions options;
  options.from = std::numeric_limits<double>::infinity();
  simulation.findForks(options, hash);
  simulation.restore(fork.state);
  std::vector<sim::ImpactChoice> choices = fork.fork.before;
  choices.push_back(choice);
  simulation.choose(fork.fork.body, std::move(choices));
  const sim::Summary summary = simulation.run(scene.until, writer, &interrupt, progress);
  if (summary.status == sim::RunStatus::kInterrupted) throw Interrupted();
  writer.endBranch(summary.time, summary.min_gap, std::string(record::statusName(summary.status)));
  return summary;
}

/// What was chosen, as the explorer writes it, with the velocity itself: the set finds it again.
std::string describe(const ImpactSet& set, const ImpactSet::Outcome& outcome, long number) {
  const sim::Fork& fork = set.replayed->fork;
  nlohmann::ordered_json json{{"outcome", number}, {"outcomes", fork.alternatives.size()}};
  if (outcome.kind == ImpactSet::Kind::kModel) json["model"] = outcome.label;
  if (outcome.kind == ImpactSet::Kind::kVertex) json["vertex"] = true;
  if (outcome.sample >= 0) json["sample"] = outcome.sample;
  json["contacts"] = fateLetters(set, outcome);
  const Eigen::VectorXd& v = outcome.choice.velocity;
  json["velocity"] = std::vector<double>(v.data(), v.data() + v.size());
  return json.dump();
}

}  // namespace

Continuation::Continuation(std::string record, std::string copy, std::shared_ptr<const ImpactSet> set,
                           const ImpactSet::Outcome& outcome)
    : record_(std::move(record)), copy_(std::move(copy)), set_(std::move(set)), outcome_(outcome) {
  RIGOR_REQUIRE(set_->replayed);
  thread_ = std::thread([this] {
    try {
      run();
    } catch (const Interrupted&) {
      error_ = "interrupted";
    } catch (const std::exception& error) {
      error_ = error.what();
    }
    done_ = true;
  });
}

Continuation::~Continuation() {
  interrupt_ = true;
  wait();
}

void Continuation::wait() {
  if (thread_.joinable()) thread_.join();
}

void Continuation::run() {
  ForkReplay replay(record_);
  until_ = replay.scene().until;  // Of the record.
  if (!set_->place.parent.empty()) return addToTree(replay, set_->place.parent);
  const record::BranchRow root = replay.reader().branch("0");
  if (replay.reader().branches().size() == 1) return makeTree(replay);
  // The set is of the trajectory that another outcome has made a tree since.
  if (root.end_time != set_->place.time)
    throw ReplayError(
        "the run has become a tree that forks at another impact; undo that branch, or open the run again");
  addToTree(replay, root.id);
}

void Continuation::addToTree(ForkReplay& replay, const std::string& parent) {
  std::error_code ignored;
  std::filesystem::remove(copy_, ignored);
  record::copyRecord(record_, copy_);
  const record::RunHeader header = replay.reader().header();
  // Past all numbers that the explorer has given, or will give, to outcomes of the fork.
  long number = static_cast<long>(set_->replayed->fork.alternatives.size());
  record::Writer writer(copy_);
  for (const record::BranchRow& branch : replay.reader().branches())
    if (branch.parent == parent) number = std::max(number, std::stol(branch.id.substr(parent.size() + 1)) + 1);
  branch_ = fmt::format("{}/{}", parent, number);
  writer.beginBranch({branch_, parent, set_->place.time, describe(*set_, outcome_, number), 0});
  const sim::Summary summary =
      follow(replay.scene(), header.seed, *set_->replayed, outcome_.choice, branchHash(branch_), writer, interrupt_,
             [this](double time, long) { time_ = time; });
  note_ = summary.message;
  record::Statement explored(writer.database(),
                             "UPDATE branches SET status = 'done' WHERE id = ? AND status = 'budget'");
  explored.bind(parent).run();
  writer.finish(header.status, header.message, header.summary);
}

void Continuation::makeTree(ForkReplay& replay) {
  const sim::Scene& scene = replay.scene();
  const sim::Fork& fork = set_->replayed->fork;
  record::RunInfo info;
  const record::RunHeader& header = replay.reader().header();
  info.seed = header.seed;
  info.build = header.build;
  info.options = header.options;
  info.bounds = sim::lawBounds(scene);
  info.gap_nominal = header.gap_nominal;
  info.gap_floor = header.gap_floor;
  info.until = header.until;
  record::WriterOptions options;
  options.replace = true;
  record::Writer writer(copy_, scene, info, options);
  const auto progress = [this](double time, long) { time_ = time; };

  sim::ForkOptions forks = replay.forkOptions();
  forks.from = fork.time;
  ReplayedFork root;
  {
    sim::Simulation simulation(scene, header.seed);
    simulation.findForks(forks, 0);
    const sim::Summary summary = simulation.run(scene.until, writer, &interrupt_, progress);
    if (summary.status == sim::RunStatus::kInterrupted) throw Interrupted();
    if (summary.status != sim::RunStatus::kForked || simulation.fork().time != fork.time)
      throw ReplayError("simulated again, the run does not meet the impact");
    writer.endBranch(summary.time, summary.min_gap, "done");
    root = {simulation.fork(), simulation.snapshot(), 0};
  }
  // The trajectory as it was, which stands for all outcomes that nobody follows, then the new one.
  const sim::Alternative& first = fork.alternatives[0];
  const nlohmann::ordered_json chosen{{"outcome", 0},         {"outcomes", fork.alternatives.size()},
                                      {"samples", fork.drawn}, {"count", first.count},
                                      {"difference", first.novelty}, {"contacts", first.fates}};
  writer.beginBranch({"0/0", "0", fork.time, chosen.dump(), 1});
  follow(scene, header.seed, root, root.fork.alternatives[0].outcome, 0, writer, interrupt_, progress);
  const long number = static_cast<long>(fork.alternatives.size());
  branch_ = fmt::format("0/{}", number);
  writer.beginBranch({branch_, "0", fork.time, describe(*set_, outcome_, number), 0});
  const sim::Summary summary =
      follow(scene, header.seed, root, outcome_.choice, branchHash(branch_), writer, interrupt_, progress);
  note_ = summary.message;
  writer.finish("done", "", header.summary);
}

}  // namespace rigor::viewer
