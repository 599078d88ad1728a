// SPDX-License-Identifier: MIT
#include "check/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "advance/broad_phase.h"
#include "check/deepest.h"
#include "check/interval_proof.h"
#include "elementary/require.h"

namespace rigor::check {
namespace {

using advance::MotionPiece;
using advance::MovingPart;
using advance::PiecePolynomials;

constexpr std::size_t kInterruptIntervals = 1024;  ///< Intervals between two looks at the interrupt.

/// All times at which some body has a sample, each once.
std::vector<double> sampleTimes(const Trajectory& trajectory) {
  std::vector<double> times;
  for (const Track& track : trajectory.tracks) times.insert(times.end(), track.time.begin(), track.time.end());
  std::sort(times.begin(), times.end());
  times.erase(std::unique(times.begin(), times.end()), times.end());
  return times;
}

/// One body on its way through its samples.
struct Mover {
  const Track* track = nullptr;  // Null: stays where the scene has it.
  std::size_t next = 0;          // Sample that the current piece ends at.
  MotionPiece piece;
  PiecePolynomials motion;

  /// Makes `piece` that of the interval from ta on. @returns whether it is a new one.
  bool advanceTo(double ta, Interpolation interpolation) {
    if (!track || (next > 0 && piece.t1 > ta)) return false;
    std::size_t i = next;
    while (i + 1 < track->time.size() && !(track->time[i + 1] > ta)) ++i;
    const bool held = i + 1 == track->time.size();  // Of a trajectory of one instant.
    piece = held ? MotionPiece::constant(track->pose[i], ta, HUGE_VAL) : pieceBetween(*track, i, interpolation);
    next = i + 1;
    return true;
  }
};

struct PartOf {
  int body;
  const geom::Shape* shape;
};

class Checker {
 public:
  Checker(const sim::Scene& scene, const CheckOptions& options) : scene_(scene), options_(options) {
    for (int b = 0; b < static_cast<int>(scene.bodies.size()); ++b)
      for (const geom::Shape& shape : scene.bodies[b].parts) parts_.push_back({b, &shape});
  }

  void run(const Trajectory& trajectory, double done, double share) {
    std::vector<double> times = sampleTimes(trajectory);
    start(trajectory, times.empty() ? 0 : times.front());
    end_ = times.empty() ? 0 : times.back();
    // One instant is an interval of poses that are held, of which the report has the instant alone.
    if (times.size() == 1) times.push_back(end_ + std::max(1.0, std::abs(end_)));
    for (std::size_t k = 0; k + 1 < times.size(); ++k) {
      if (k % kInterruptIntervals == 0) {
        if (options_.interrupt && *options_.interrupt) throw Interrupted();
        if (options_.progress)
          options_.progress(done + share * static_cast<double>(k) / static_cast<double>(times.size()));
      }
      checkInterval(times[k], times[k + 1]);
    }
  }

  Report take() {
    report_.apart = report_.intervals - report_.overlapping - report_.tunnelling - report_.undecided;
    for (auto& [key, pair] : pairs_) report_.pairs.push_back(std::move(pair));
    return std::move(report_);
  }

 private:
  void start(const Trajectory& trajectory, double begin) {
    std::vector<advance::BroadPhase::Part> parts;
    for (const PartOf& part : parts_)
      parts.push_back(
          {part.body, trajectory.tracks[part.body].empty(), part.shape, trajectory.tracks[part.body].centre});
    broad_phase_ = std::make_unique<advance::BroadPhase>(std::move(parts));
    movers_.assign(scene_.bodies.size(), {});
    memory_.clear();
    pairs_an_interval_ = 0;
    for (std::size_t b = 0; b < movers_.size(); ++b) {
      const sim::Body& body = scene_.bodies[b];
      Mover& mover = movers_[b];
      if (!trajectory.tracks[b].empty()) mover.track = &trajectory.tracks[b];
      else mover.piece = MotionPiece::constant(body.pose, begin, HUGE_VAL);
      broad_phase_->update(static_cast<int>(b), mover.piece);
    }
    for (std::size_t a = 0; a < movers_.size(); ++a)
      for (std::size_t b = a + 1; b < movers_.size(); ++b)
        if (mayCollide(static_cast<int>(a), static_cast<int>(b))) ++pairs_an_interval_;
  }

  bool mayCollide(int a, int b) const {
    const sim::Body &first = scene_.bodies[a], &second = scene_.bodies[b];
    if (first.parts.empty() || second.parts.empty() || (!movers_[a].track && !movers_[b].track)) return false;
    return std::find(first.ignored.begin(), first.ignored.end(), b) == first.ignored.end() &&
           std::find(second.ignored.begin(), second.ignored.end(), a) == second.ignored.end();
  }

  void checkInterval(double ta, double tb) {
    for (std::size_t b = 0; b < movers_.size(); ++b)
      if (movers_[b].advanceTo(ta, options_.interpolation)) {
        broad_phase_->update(static_cast<int>(b), movers_[b].piece);
        if (options_.sink) options_.sink->piece(static_cast<int>(b), movers_[b].piece);
      }
    for (Mover& mover : movers_) mover.motion.piece = nullptr;
    report_.intervals += pairs_an_interval_;
    worst_.clear();
    for (const auto& near : broad_phase_->pairs(options_.sink ? options_.sink->reach() : 0)) {
      const int a = parts_[near.a].body, b = parts_[near.b].body;
      if (a == b || !mayCollide(a, b)) continue;
      checkParts(near.a, near.b, ta, tb);
    }
    for (auto& [key, found] : worst_) {
      found.last = std::min(found.last, end_), found.deepest.time = std::min(found.deepest.time, end_);
      count(key, found, ta, std::min(tb, end_));
    }
    if (options_.sink) options_.sink->done(tb);
  }

  MovingPart moving(int part, double ta, double tb) {
    Mover& mover = movers_[parts_[part].body];
    if (!mover.motion.piece) mover.motion = PiecePolynomials(mover.piece, ta, tb);
    return {parts_[part].shape, mover.track ? mover.track->centre : Eigen::Vector3d(0, 0, 0), &mover.motion};
  }

  /// Of a part in its body.
  int numberOf(int part) const {
    return static_cast<int>(parts_[part].shape - scene_.bodies[parts_[part].body].parts.data());
  }

  /// What an interval means for a pair of bodies: the worst of its parts.
  struct Found {
    bool overlaps = false, undecided = false, at_end = false;
    DepthPoint deepest{0, 0};
    double first = HUGE_VAL, last = -HUGE_VAL;
    double start_depth = 0, end_depth = 0;
  };

  void checkParts(int part_a, int part_b, double ta, double tb) {
    const MovingPart A = moving(part_a, ta, tb), B = moving(part_b, ta, tb);
    PairMemory& memory = memory_[{part_a, part_b}];
    const IntervalResult result = decideInterval(A, B, options_.allow, memory);
    if (options_.sink)
      options_.sink->near(parts_[part_a].body, numberOf(part_a), parts_[part_b].body, numberOf(part_b), A, B, memory);
    if (result.verdict == IntervalVerdict::kApart) return;
    const int a = parts_[part_a].body, b = parts_[part_b].body;
    Found& found = worst_[{std::min(a, b), std::max(a, b)}];
    if (result.verdict == IntervalVerdict::kUndecided) {
      found.undecided = true;
      return;
    }
    const Overlap overlap = measureOverlap(A, B, options_.allow, result, deepestSoFar(a, b), memory);
    found.overlaps = true;
    found.at_end = found.at_end || overlap.start_depth > options_.allow || overlap.end_depth > options_.allow;
    if (overlap.deepest.depth > found.deepest.depth) found.deepest = overlap.deepest;
    found.first = std::min(found.first, overlap.first), found.last = std::max(found.last, overlap.last);
    found.start_depth = std::max(found.start_depth, overlap.start_depth);
    found.end_depth = std::max(found.end_depth, overlap.end_depth);
  }

  double deepestSoFar(int a, int b) const {
    const auto pair = pairs_.find({std::min(a, b), std::max(a, b)});
    return pair == pairs_.end() ? 0 : pair->second.deepest.depth;
  }

  void count(std::pair<int, int> key, const Found& found, double ta, double tb) {
    PairReport& pair = pairs_[key];
    if (pair.body_a < 0)
      pair.body_a = key.first, pair.body_b = key.second, pair.first = HUGE_VAL, pair.last = -HUGE_VAL;
    if (!found.overlaps) {
      ++pair.undecided, ++report_.undecided;
      return;
    }
    ++(found.at_end ? pair.overlapping : pair.tunnelling);
    ++(found.at_end ? report_.overlapping : report_.tunnelling);
    pair.first = std::min(pair.first, found.first), pair.last = std::max(pair.last, found.last);
    if (found.deepest.depth > pair.deepest.depth) pair.deepest = found.deepest;
    if (!options_.curves) return;
    pair.curve.push_back({ta, found.start_depth});
    if (found.deepest.time > ta && found.deepest.time < tb) pair.curve.push_back(found.deepest);
    pair.curve.push_back({tb, found.end_depth});
  }

  const sim::Scene& scene_;
  const CheckOptions& options_;
  std::vector<PartOf> parts_;
  std::vector<Mover> movers_;
  std::unique_ptr<advance::BroadPhase> broad_phase_;
  std::map<std::pair<int, int>, PairMemory> memory_;  // By parts.
  std::map<std::pair<int, int>, Found> worst_;        // Of the interval at hand, by bodies.
  std::map<std::pair<int, int>, PairReport> pairs_;
  long pairs_an_interval_ = 0;
  double end_ = 0;  // Last instant of the trajectory at hand [s].
  Report report_;
};

}  // namespace

const PairReport* Report::deepest() const {
  const PairReport* found = nullptr;
  for (const PairReport& pair : pairs)
    if (pair.overlapping + pair.tunnelling > 0 && (!found || pair.deepest.depth > found->deepest.depth)) found = &pair;
  return found;
}

const char* Report::status() const {
  return overlapping + tunnelling > 0 ? "penetrates" : undecided > 0 ? "undecided" : "apart";
}

Report checkTrajectories(const sim::Scene& scene, std::span<const Trajectory> trajectories,
                         const CheckOptions& options) {
  const auto begin = std::chrono::steady_clock::now();
  Checker checker(scene, options);
  for (std::size_t i = 0; i < trajectories.size(); ++i) {
    RIGOR_REQUIRE(trajectories[i].tracks.size() == scene.bodies.size());
    if (options.interpolation == Interpolation::kHermite)
      for (std::size_t b = 0; b < trajectories[i].tracks.size(); ++b)
        if (!trajectories[i].tracks[b].empty() && trajectories[i].tracks[b].velocity.empty())
          throw TrajectoryError(fmt::format(
              "body '{}' has no velocities; --interpolate hermite needs those of every body", scene.bodies[b].name));
    const double share = 1.0 / static_cast<double>(trajectories.size());
    checker.run(trajectories[i], static_cast<double>(i) * share, share);
  }
  Report report = checker.take();
  report.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return report;
}

}  // namespace rigor::check
