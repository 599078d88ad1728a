// SPDX-License-Identifier: MIT
#include "verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <tuple>

#include "verify/scene_geometry.h"
#include "verify/separation.h"
#include "verify/trajectory.h"
#include "verify/yaml_tree.h"

namespace rigor::verify {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
/// Velocity columns against the derivative of the control points, relative. They are for the reader: no guarantee rests
/// on them.
constexpr double kVelocityTolerance = 1e-9;
/// How far a contact may have raised the inner control points of a position, in gap floors (half the nominal gap).
constexpr double kRaisedControl = 200;
/// Rounding of that derivative, in units of |control point| / duration.
constexpr double kVelocityRounding = 64 * 0x1p-53;
/// Rounding of a piece's two times, in units of them: the step that was integrated differs by it from their difference.
constexpr double kTimeRounding = 0x1p-52;
/// Impacts against the pieces they end, relative to the body's speed.
constexpr double kImpactTolerance = 1e-6;

using Pose = std::array<double, 7>;  // p, q: compared bit for bit.
using Velocity = std::array<double, 6>;

Pose poseOf(const Piece& m, bool at_end) {
  Pose pose;
  std::memcpy(pose.data(), m.p[at_end ? m.p_degree : 0], 3 * sizeof(double));
  std::memcpy(pose.data() + 3, m.q[at_end ? m.q_degree : 0], 4 * sizeof(double));
  return pose;
}

bool sameBits(const Pose& a, const Pose& b) { return std::memcmp(a.data(), b.data(), sizeof a) == 0; }

bool allFinite(const double* values, int count) {
  return std::all_of(values, values + count, [](double x) { return std::isfinite(x); });
}

double largest(const double* values, int count) {
  double size = 0;
  for (int i = 0; i < count; ++i) size = std::max(size, std::abs(values[i]));
  return size;
}

// Velocity of the polynomial at one end, and the rounding that separates it from any other way to compute it.
Velocity derivative(const Piece& m, bool at_end, double& v_rounding, double& w_rounding) {
  const double h = m.t1 - m.t0;
  Velocity velocity{};
  v_rounding = w_rounding = 0;
  if (m.p_degree > 0) {
    const int i = at_end ? m.p_degree : 1;
    for (int k = 0; k < 3; ++k) velocity[k] = m.p_degree * (m.p[i][k] - m.p[i - 1][k]) / h;
    v_rounding = kVelocityRounding * m.p_degree * largest(m.p[0], 3 * (m.p_degree + 1)) / h;
  }
  if (m.q_degree > 0) {
    const int i = at_end ? m.q_degree : 1;
    const double* q = m.q[at_end ? m.q_degree : 0];
    double d[4], n = 0;
    for (int k = 0; k < 4; ++k) {
      d[k] = m.q_degree * (m.q[i][k] - m.q[i - 1][k]) / h;
      n += q[k] * q[k];
    }
    // w = 2 vec(q' q*) / |q|^2
    for (int k = 0; k < 3; ++k) {
      const int a = (k + 1) % 3 + 1, b = (k + 2) % 3 + 1;
      velocity[3 + k] = 2 * (q[0] * d[k + 1] - d[0] * q[k + 1] - (d[a] * q[b] - d[b] * q[a])) / n;
    }
    const double size = largest(m.q[0], 4 * (m.q_degree + 1));
    w_rounding = kVelocityRounding * m.q_degree * size * size / n / h;
  }
  return velocity;
}

bool agree(const double* a, const double* b, double tolerance, double absolute) {
  const double size = std::max(largest(a, 3), largest(b, 3));
  for (int k = 0; k < 3; ++k)
    if (!(std::abs(a[k] - b[k]) <= tolerance * size + absolute)) return false;  // NaN disagrees.
  return true;
}

class Verifier {
 public:
  Verifier(const std::string& path, const Options& options) : file_(path), options_(options) {
    threads_ = options.threads > 0 ? options.threads : std::max(1u, std::thread::hardware_concurrency());
  }

  Report run() {
    const auto begin = std::chrono::steady_clock::now();
    header_ = file_.readHeader();
    bodies_ = file_.readBodies();
    branches_ = file_.readBranches();
    report_.run_status = header_.status;
    report_.branches = static_cast<long>(branches_.size());
    report_.min_gap = kInfinity;
    report_.horizon = kInfinity;
    scene_.emplace(header_.scene_text);
    checkBodies();
    checkIgnoredPairs();
    if (report_.failure_count == 0) solids_ = {bodies_.begin(), bodies_.end()};
    if (!(header_.gap_floor > 0)) fail({true, "", -1, {}, 0, "the record claims no positive gap floor"});
    if (branches_.empty() || branches_[0].id != "0") fail({true, "", -1, {}, 0, "there is no branch '0'"});
    std::set<std::string> ids;
    for (const Branch& branch : branches_)
      if (!ids.insert(branch.id).second) fail({true, branch.id, -1, {}, 0, "two branches have this identity"});
    if (report_.failure_count == 0) {
      for (const Branch& branch : branches_) {
        if (options_.progress)
          *options_.progress = static_cast<double>(&branch - branches_.data()) / static_cast<double>(branches_.size());
        verifyBranch(branch);
      }
      if (const auto stray = file_.countUnreadRows())
        fail({true, "", -1, {}, 0, fmt::format("{} rows belong to no branch", stray)});
    }
    checkSummary();
    report_.verified = report_.failure_count == 0;
    if (!report_.verified) report_.min_gap = 0;
    std::stable_sort(report_.failures.begin(), report_.failures.end(), [](const Failure& a, const Failure& b) {
      return std::tie(a.branch, a.time) < std::tie(b.branch, b.time);
    });
    report_.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(report_);
  }

 private:
  void fail(Failure failure) {
    const std::lock_guard lock(mutex_);
    ++report_.failure_count;
    report_.refuted |= failure.refuted;
    if (static_cast<int>(report_.failures.size()) < options_.max_failures)
      report_.failures.push_back(std::move(failure));
  }
  void failPiece(const Branch& branch, const Piece& m, double time, const std::string& reason, bool refuted = true) {
    fail({refuted, branch.id, m.id, {bodies_[m.body].name, ""}, time, reason});
  }

  // Work items 0 .. count - 1 in chunks over the threads, each with its own prover.
  template <typename Work>
  void parallel(std::size_t count, std::size_t chunk, const Work& work) {
    std::atomic<std::size_t> next{0};
    std::exception_ptr error;
    const auto worker = [&] {
      try {
        WitnessProver prover;
        for (std::size_t first; (first = next.fetch_add(chunk)) < count;) {
          if (options_.interrupt && *options_.interrupt) throw Interrupted();
          for (std::size_t i = first; i < std::min(first + chunk, count); ++i) work(prover, i);
        }
      } catch (...) {
        const std::lock_guard lock(mutex_);
        error = std::current_exception();
      }
    };
    std::vector<std::jthread> others;
    for (int t = 1; t < threads_ && count > chunk; ++t) others.emplace_back(worker);
    worker();
    others.clear();
    if (error) std::rethrow_exception(error);
  }

  // Links of one robot may be exempt from collisions; nothing else may.
  void checkIgnoredPairs() {
    for (const auto& [a, b] : file_.readIgnoredPairs()) {
      const auto count = static_cast<std::int64_t>(bodies_.size());
      const bool exist = a >= 0 && b >= 0 && a < count && b < count && a != b;
      if (exist) ignored_.insert({std::min(a, b), std::max(a, b)});
      const std::string robot = exist ? scene_->robotOf(bodies_[a].name) : std::string();
      if (robot.empty() || robot != scene_->robotOf(bodies_[b].name))
        fail({true, "", -1, exist ? pairName(static_cast<int>(a), static_cast<int>(b)) : std::array<std::string, 2>{}, 0,
              "the record exempts a pair from collision that is no pair of links of one robot"});
    }
  }

  void checkBodies() {
    for (const Body& body : bodies_) {
      const auto bad = [&](const std::string& reason) { fail({true, "", -1, {body.name, ""}, 0, reason}); };
      if (!allFinite(body.centre.data(), 3)) bad("its centre is not finite");
      if (body.parts.empty() && scene_->robotOf(body.name).empty()) bad("it has no parts");
      for (const Part& part : body.parts) {
        if (part.half_space && !body.fixed) bad("a half-space on a body that is not fixed");
        if (part.half_space &&
            !(allFinite(part.normal.data(), 3) && largest(part.normal.data(), 3) > 0 && std::isfinite(part.offset)))
          bad("its half-space has no finite normal and offset");
        if (!part.half_space && part.vertices.size() < 4) bad("a part has fewer than four vertices");
        for (const Vector3& v : part.vertices)
          if (!allFinite(v.data(), 3)) bad("a vertex is not finite");
      }
    }
  }

  void verifyBranch(const Branch& branch) {
    BranchRows rows = file_.readBranch(branch.id);
    report_.pieces += static_cast<long>(rows.pieces.size());
    report_.witnesses += static_cast<long>(rows.witnesses.size());
    if (!sortPieces(branch, rows.pieces) || !checkMotion(branch)) return;
    const double horizon = checkEnds(branch);
    const double start = branch.parent.empty() ? 0 : branch.fork_time;
    // Forks at one instant make branches without pieces: their impacts count with those of the branch that moves on.
    if (const auto before = instant_impacts_.find(branch.id); before != instant_impacts_.end())
      rows.impacts.insert(rows.impacts.begin(), before->second.begin(), before->second.end());
    const bool instant = branch.end_time == start && std::none_of(pieces_.begin(), pieces_.end(), [&](const Piece& m) {
                           return !bodies_[m.body].fixed;
                         });
    if (startsWithScene(branch)) checkStarts(rows.impacts);
    if (instant) {
      passOn(branch, rows.impacts, start);
    } else {
      checkImpacts(branch, rows.impacts, horizon);
      storeForkStates(branch);
    }
    const bool leaf =
        std::none_of(branches_.begin(), branches_.end(), [&](const Branch& b) { return b.parent == branch.id; });
    if (leaf) report_.horizon = std::min(report_.horizon, horizon);
    if (!(horizon > start)) return;
    if (!(branch.min_gap > 0)) {
      fail({true, branch.id, -1, {}, start, "the branch claims no positive gap"});
      return;
    }
    report_.min_gap = std::min(report_.min_gap, branch.min_gap);
    checkWitnesses(branch, rows.witnesses, start, horizon);
  }

  // Pieces of each body together, in order of time; false if one is malformed.
  bool sortPieces(const Branch& branch, std::vector<Piece>& rows) {
    bool ok = true;
    const bool root = branch.parent.empty();
    for (const Piece& m : rows) {
      if (m.body < 0 || m.body >= static_cast<int>(bodies_.size())) {
        fail({true, branch.id, m.id, {}, m.t0, fmt::format("a piece of body {}, which does not exist", m.body)});
        return false;
      }
      const bool fixed = bodies_[m.body].fixed;
      if (!allFinite(m.p[0], 3 * (m.p_degree + 1)) || !allFinite(m.q[0], 4 * (m.q_degree + 1)) || !std::isfinite(m.t0))
        ok = false, failPiece(branch, m, m.t0, "a control point or time is not finite");
      else if (fixed && !(root && m.t0 == 0 && m.t1 == kInfinity && m.p_degree == 0 && m.q_degree == 0))
        ok = false, failPiece(branch, m, m.t0, "a fixed body moves");
      else if (!fixed && !(m.t0 < m.t1 && std::isfinite(m.t1)))
        ok = false, failPiece(branch, m, m.t0, "a piece ends before it starts");
    }
    if (!ok) return false;
    std::sort(rows.begin(), rows.end(), [](const Piece& a, const Piece& b) {
      return std::tie(a.body, a.t0, a.id) < std::tie(b.body, b.t0, b.id);
    });
    if (root)
      fixed_.clear();
    else
      std::erase_if(rows, [&](const Piece& m) { return bodies_[m.body].fixed; });
    pieces_ = std::move(rows);
    trajectories_.assign(bodies_.size(), {});
    for (std::size_t first = 0, last; first < pieces_.size(); first = last) {
      for (last = first; last < pieces_.size() && pieces_[last].body == pieces_[first].body;) ++last;
      const int body = pieces_[first].body;
      if (!bodies_[body].fixed)
        trajectories_[body] = Trajectory({&pieces_[first], last - first});
      else if (last - first == 1)
        fixed_[body] = pieces_[first];
      else
        failPiece(branch, pieces_[first + 1], 0, "a fixed body has more than one piece"), ok = false;
    }
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      if (!bodies_[b].fixed) continue;
      if (const auto found = fixed_.find(static_cast<int>(b)); found != fixed_.end())
        trajectories_[b] = Trajectory({&found->second, 1});
      else
        fail({true, branch.id, -1, {bodies_[b].name, ""}, 0, "a fixed body has no pose"}), ok = false;
    }
    return ok;
  }

  // Each piece by itself, and joined to the one before it.
  bool checkMotion(const Branch& branch) {
    std::atomic<bool> ok{true};
    parallel(pieces_.size(), 256, [&](WitnessProver& prover, std::size_t i) {
      const Piece& m = pieces_[i];
      if (const Verdict verdict = prover.proveOrientation(m); verdict.proof != Proof::kProved)
        ok = false, failPiece(branch, m, verdict.time, verdict.reason, verdict.proof == Proof::kRefuted);
      if (bodies_[m.body].fixed) return;
      const double tolerance = kVelocityTolerance + kTimeRounding * m.t1 / (m.t1 - m.t0);
      for (const bool at_end : {false, true}) {
        double v_rounding, w_rounding;
        const Velocity expected = derivative(m, at_end, v_rounding, w_rounding);
        const double* recorded = m.velocity + (at_end ? 6 : 0);
        const double raised = m.p_degree * kRaisedControl * header_.gap_floor / (m.t1 - m.t0);
        if (!agree(recorded, expected.data(), tolerance, v_rounding + raised) ||
            !agree(recorded + 3, expected.data() + 3, tolerance, w_rounding))
          failPiece(branch, m, at_end ? m.t1 : m.t0,
                    fmt::format("the velocity at its {} is not that of its control points", at_end ? "end" : "start"));
      }
      if (i == 0 || pieces_[i - 1].body != m.body) return;
      const Piece& before = pieces_[i - 1];
      if (m.t0 != before.t1)
        ok = false, failPiece(branch, m, m.t0,
                              fmt::format("it {} piece {}, which ends at {}",
                                          m.t0 < before.t1 ? "overlaps" : "leaves a hole after", before.id, before.t1));
      else if (!sameBits(poseOf(m, false), poseOf(before, true)))
        failPiece(branch, m, m.t0, fmt::format("it does not start where piece {} ends", before.id));
    });
    return ok;
  }

  // Starts and ends of the moving bodies. @returns the time up to which everything is there.
  double checkEnds(const Branch& branch) {
    const bool running = branch.status == "running";
    const double start = branch.parent.empty() ? 0 : branch.fork_time;
    double horizon = branch.end_time;
    const auto forked = fork_states_.find(branch.id);
    if (!startsWithScene(branch) && forked == fork_states_.end())
      fail({true,
            branch.id,
            -1,
            {},
            start,
            fmt::format("its parent '{}' has no piece that ends at the fork", branch.parent)});
    if (!(branch.end_time >= start)) fail({true, branch.id, -1, {}, start, "the branch ends before it starts"});
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      if (bodies_[b].fixed) continue;
      const std::array<std::string, 2> name{bodies_[b].name, ""};
      if (trajectories_[b].empty()) {
        if (branch.end_time > start) fail({true, branch.id, -1, name, start, "a moving body has no pieces"});
        horizon = start;
        continue;
      }
      const Piece &first = trajectories_[b].pieces().front(), &last = trajectories_[b].pieces().back();
      if (first.t0 != start)
        failPiece(branch, first, first.t0, fmt::format("the first piece does not start at {}", start));
      if (forked != fork_states_.end() && !sameBits(poseOf(first, false), forked->second[b]))
        failPiece(branch, first, first.t0, "it does not start where the parent branch forks");
      if (running ? last.t1 < branch.end_time : last.t1 != branch.end_time)
        failPiece(branch, last, last.t1,
                  fmt::format("the last piece ends at {}, the branch at {}", last.t1, branch.end_time));
      horizon = std::min(horizon, last.t1);
    }
    return horizon;
  }

  void storeForkStates(const Branch& branch) {
    for (const Branch& child : branches_) {
      if (child.parent != branch.id || child.id == branch.id) continue;
      std::vector<Pose> poses(bodies_.size());
      bool complete = true;
      for (std::size_t b = 0; b < bodies_.size(); ++b) {
        if (bodies_[b].fixed) continue;
        const auto pieces = trajectories_[b].pieces();
        const auto found = std::lower_bound(pieces.begin(), pieces.end(), child.fork_time,
                                            [](const Piece& m, double t) { return m.t1 < t; });
        if (found != pieces.end() && found->t1 == child.fork_time)
          poses[b] = poseOf(*found, true);
        else if (found != pieces.end() && found->t0 == child.fork_time)
          poses[b] = poseOf(*found, false);
        else
          complete = false;
      }
      if (complete) fork_states_[child.id] = std::move(poses);
    }
  }

  bool startsWithScene(const Branch& branch) const { return branch.parent.empty() || scene_starts_.contains(branch.id); }

  // A branch of no length: its children start where it does, after its impacts.
  void passOn(const Branch& branch, const std::vector<Impact>& impacts, double start) {
    for (const Impact& impact : impacts)
      if (impact.time != start && branch.status != "running")
        fail({true, branch.id, -1, {}, impact.time, fmt::format("impact {}: the branch has no such time", impact.id)});
    const auto forked = fork_states_.find(branch.id);
    for (const Branch& child : branches_) {
      if (child.parent != branch.id || child.id == branch.id || child.fork_time != start) continue;
      if (startsWithScene(branch)) scene_starts_.insert(child.id);
      else if (forked != fork_states_.end()) fork_states_[child.id] = forked->second;
      instant_impacts_[child.id] = impacts;
    }
  }

  void checkStarts(const std::vector<Impact>& impacts) {
    std::vector<Start> starts(bodies_.size());
    for (std::size_t b = 0; b < bodies_.size(); ++b) {
      if (trajectories_[b].empty()) continue;
      const Piece& first = trajectories_[b].pieces().front();
      const double* velocity = first.velocity;
      for (auto impact = impacts.rbegin(); impact != impacts.rend(); ++impact)
        for (std::size_t i = 0; i < impact->bodies.size(); ++i)
          if (impact->time == first.t0 && impact->bodies[i] == static_cast<std::int64_t>(b))
            velocity = &impact->before[6 * i];
      Start& start = starts[b];
      start.known = true;
      std::copy_n(first.p[0], 3, start.p);
      std::copy_n(first.q[0], 4, start.q);
      std::copy_n(velocity, 3, start.v);
      std::copy_n(velocity + 3, 3, start.w);
    }
    scene_->check(
        bodies_, starts,
        [&](int body, const std::string& reason) {
          fail({true, "0", -1, {body < 0 ? "" : bodies_[body].name, ""}, 0, reason});
        },
        [&](const std::string& note) {
          if (std::find(report_.notes.begin(), report_.notes.end(), note) == report_.notes.end()) report_.notes.push_back(note);
        });
  }

  // An impact lies between two pieces of each of its bodies: positions go on (checkMotion), and it starts from their
  // velocity. What it leaves may be projected further before the next piece starts.
  void checkImpacts(const Branch& branch, const std::vector<Impact>& impacts, double horizon) {
    std::set<std::pair<std::int64_t, double>> seen;
    for (const Impact& impact : impacts) {
      if (impact.time > horizon) continue;
      for (std::size_t i = 0; i < impact.bodies.size(); ++i) {
        const std::int64_t b = impact.bodies[i];
        const auto bad = [&](std::int64_t piece, const std::string& reason) {
          fail({true,
                branch.id,
                piece,
                {b >= 0 && b < static_cast<std::int64_t>(bodies_.size()) ? bodies_[b].name : "", ""},
                impact.time,
                fmt::format("impact {}: {}", impact.id, reason)});
        };
        if (b < 0 || b >= static_cast<std::int64_t>(bodies_.size())) {
          bad(-1, "its body does not exist");
          continue;
        }
        if (!std::isfinite(impact.time) || !allFinite(&impact.before[6 * i], 6) ||
            !allFinite(&impact.after[6 * i], 6)) {
          bad(-1, "a number is not finite");
          continue;
        }
        if (bodies_[b].fixed) continue;
        const auto pieces = trajectories_[b].pieces();
        const auto next = std::lower_bound(pieces.begin(), pieces.end(), impact.time,
                                           [](const Piece& m, double t) { return m.t0 < t; });
        const Piece* after = next != pieces.end() && next->t0 == impact.time ? &*next : nullptr;
        const Piece* before =
            next != pieces.begin() && std::prev(next)->t1 == impact.time ? &*std::prev(next) : nullptr;
        if (!before && !after) {
          bad(-1, "no piece of the body starts or ends there");
          continue;
        }
        // Later impacts at the same time start from velocities that no piece has.
        const bool first = seen.insert({b, impact.time}).second;
        if (first && before && !agreeTwist(before->velocity + 6, &impact.before[6 * i]))
          bad(before->id, "the velocity before it is not that of the motion");
      }
    }
  }
  static bool agreeTwist(const double* a, const double* b) {
    return agree(a, b, kImpactTolerance, kImpactTolerance) && agree(a + 3, b + 3, kImpactTolerance, kImpactTolerance);
  }

  std::array<std::string, 2> pairName(int a, int b) const { return {bodies_[a].name, bodies_[b].name}; }

  // Empty if the row is a claim that can be proved at all.
  std::string witnessFault(const Branch& branch, const Witness& w) const {
    const auto part = [&](int body, int number) -> const Part* {
      if (body < 0 || body >= static_cast<int>(bodies_.size())) return nullptr;
      return number >= 0 && number < static_cast<int>(bodies_[body].parts.size()) ? &bodies_[body].parts[number]
                                                                                  : nullptr;
    };
    const Part *a = part(w.body_a, w.part_a), *b = part(w.body_b, w.part_b);
    if (!a || !b || w.body_a == w.body_b) return "it names no pair of parts";
    if (b->half_space || (!a->half_space && w.body_a > w.body_b) ||
        (bodies_[w.body_a].fixed && bodies_[w.body_b].fixed))
      return "its pair is in the wrong order or both fixed";
    if (!(w.t0 < w.t1) || !std::isfinite(w.t0) || !std::isfinite(w.t1)) return "its interval is empty";
    if (!(w.gap > 0) || !std::isfinite(w.gap)) return "its gap is not positive";
    if (!(w.gap >= branch.min_gap)) return "its gap is smaller than the branch claims";
    if (!(w.gap >= header_.gap_floor)) return "its gap is below the floor";
    if (w.kind == 2) {
      const auto edge = [](std::int64_t i, std::int64_t j, const Part& p) {
        const auto n = static_cast<std::int64_t>(p.vertices.size());
        return i >= 0 && j >= 0 && i < n && j < n && i != j;
      };
      if (a->half_space || !edge(w.a0, w.a1, *a) || !edge(w.b0, w.b1, *b)) return "its edges do not exist";
      if (!(w.cross > 0 && w.cosine >= 0) || !std::isfinite(w.cross) || !std::isfinite(w.cosine))
        return "its bounds are not positive";
      return {};
    }
    if (w.kind != 0 && w.kind != 1) return "its kind does not exist";
    if (!allFinite(w.axis.data(), 3) || largest(w.axis.data(), 3) == 0) return "its axis is no direction";
    if (a->half_space && (w.kind != 0 || w.axis != a->normal)) return "its axis is not the half-space's normal";
    return {};
  }

  void checkWitnesses(const Branch& branch, std::vector<Witness>& witnesses, double start, double horizon) {
    const auto pair = [](const Witness& w) { return std::tie(w.body_a, w.part_a, w.body_b, w.part_b); };
    // Sorted by time, neighbours share pieces, which the provers keep.
    std::sort(witnesses.begin(), witnesses.end(), [](const Witness& a, const Witness& b) {
      return std::tie(a.t0, a.body_b, a.id) < std::tie(b.t0, b.body_b, b.id);
    });
    parallel(witnesses.size(), 64,
             [&](WitnessProver& prover, std::size_t i) { checkWitness(branch, witnesses[i], prover); });

    std::stable_sort(witnesses.begin(), witnesses.end(),
                     [&](const Witness& a, const Witness& b) { return pair(a) < pair(b); });
    std::vector<Witness> keys;
    for (int a = 0; a < static_cast<int>(bodies_.size()); ++a)
      for (int b = a + 1; b < static_cast<int>(bodies_.size()); ++b) {
        if ((bodies_[a].fixed && bodies_[b].fixed) || ignored_.contains({a, b})) continue;
        for (int i = 0; i < static_cast<int>(bodies_[a].parts.size()); ++i)
          for (int j = 0; j < static_cast<int>(bodies_[b].parts.size()); ++j) {
            Witness& key = keys.emplace_back();
            std::tie(key.body_a, key.part_a, key.body_b, key.part_b) = std::tuple(a, i, b, j);
            if (bodies_[b].parts[j].half_space) std::swap(key.body_a, key.body_b), std::swap(key.part_a, key.part_b);
          }
      }
    report_.pairs = std::max(report_.pairs, static_cast<long>(keys.size()));
    const BoxProver boxes(bodies_, trajectories_);
    parallel(keys.size(), 8, [&](WitnessProver&, std::size_t i) {
      const auto [first, last] =
          std::equal_range(witnesses.begin(), witnesses.end(), keys[i],
                           [&](const Witness& a, const Witness& b) { return pair(a) < pair(b); });
      checkCoverage(branch, keys[i], {first, last}, start, horizon, boxes);
    });
  }

  void checkWitness(const Branch& branch, const Witness& w, WitnessProver& prover) {
    if (const std::string fault = witnessFault(branch, w); !fault.empty()) {
      const bool named =
          w.body_a >= 0 && w.body_b >= 0 && std::max(w.body_a, w.body_b) < static_cast<int>(bodies_.size());
      fail({true, branch.id, named ? pieceAt(w.body_b, w.t0) : -1,
            named ? pairName(w.body_a, w.body_b) : std::array<std::string, 2>{}, w.t0,
            fmt::format("witness {}: {}", w.id, fault)});
      return;
    }
    const Trajectory &a = trajectories_[w.body_a], &b = trajectories_[w.body_b];
    std::size_t i, last_i, j, last_j;
    a.range(w.t0, w.t1, i, last_i);
    b.range(w.t0, w.t1, j, last_j);
    while (i < last_i && j < last_j) {
      const Piece &piece_a = a.pieces()[i], &piece_b = b.pieces()[j];
      const double from = std::max({w.t0, piece_a.t0, piece_b.t0}), to = std::min({w.t1, piece_a.t1, piece_b.t1});
      if (from < to) {
        const Verdict verdict = prover.prove(w, solids_[w.body_a], piece_a, solids_[w.body_b], piece_b, from, to);
        if (verdict.proof != Proof::kProved) {
          fail({verdict.proof == Proof::kRefuted, branch.id, bodies_[w.body_b].fixed ? piece_a.id : piece_b.id,
                pairName(w.body_a, w.body_b), verdict.time, fmt::format("witness {}: {}", w.id, verdict.reason)});
          return;
        }
      }
      piece_a.t1 < piece_b.t1 ? ++i : ++j;
    }
  }

  std::int64_t pieceAt(int body, double time) const {
    std::size_t first, last;
    if (!std::isfinite(time)) return -1;
    trajectories_[body].range(time, kInfinity, first, last);
    return first < last ? trajectories_[body].pieces()[first].id : -1;
  }

  // Every instant of [start, horizon] lies in a witness' interval or in one where boxes are apart.
  void checkCoverage(const Branch& branch, const Witness& key, std::span<const Witness> witnesses, double start,
                     double horizon, const BoxProver& boxes) {
    double covered = start;
    const auto hole = [&](double to) {
      double where;
      if (boxes.apart(key.body_a, key.part_a, key.body_b, key.part_b, covered, to, branch.min_gap, where)) return;
      const int moving = bodies_[key.body_b].fixed ? key.body_a : key.body_b;
      fail({false, branch.id, pieceAt(moving, where), pairName(key.body_a, key.body_b), where,
            fmt::format("no witness between {} and {}, and the boxes are not apart", covered, to)});
    };
    for (const Witness& w : witnesses) {  // In order of t0.
      if (!(w.t0 < w.t1)) continue;
      if (w.t0 > covered) hole(std::min(w.t0, horizon));
      covered = std::max(covered, w.t1);
      if (covered >= horizon) return;
    }
    if (covered < horizon) hole(horizon);
  }

  void checkSummary() {
    if (header_.summary.empty()) return;
    double claim = 0;
    try {
      const YamlTree summary = YamlTree::parse(header_.summary);
      const YamlTree& least = summary["min_gap"];
      if (!least || least.kind() == YamlTree::Kind::kNull) return;
      claim = least.number();
    } catch (const YamlError&) {
      fail({true, "", -1, {}, 0, "the summary is not JSON"});
      return;
    }
    if (claim > report_.min_gap)
      fail({true,
            "",
            -1,
            {},
            0,
            fmt::format("the summary claims a gap of {}, the branches only {}", claim, report_.min_gap)});
  }

  RecordFile file_;
  Options options_;
  int threads_;
  Header header_;
  std::vector<Body> bodies_;
  std::vector<Solid> solids_;  // Of bodies_, in their order.
  std::vector<Branch> branches_;
  std::optional<SceneText> scene_;
  std::set<std::pair<std::int64_t, std::int64_t>> ignored_;      // Pairs of bodies that never collide.
  Report report_;
  std::mutex mutex_;
  // Of the branch at hand.
  std::vector<Piece> pieces_;
  std::vector<Trajectory> trajectories_;
  std::map<int, Piece> fixed_;                            // Poses of the fixed bodies, from branch '0'.
  std::map<std::string, std::vector<Pose>> fork_states_;  // Where children must start,
  std::set<std::string> scene_starts_;                    // or those that start as the scene says,
  std::map<std::string, std::vector<Impact>> instant_impacts_;  // and impacts of their ancestors of no length there.
};

}  // namespace

Report verifyRecord(const std::string& path, const Options& options) { return Verifier(path, options).run(); }

}  // namespace rigor::verify
