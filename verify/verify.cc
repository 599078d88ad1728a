// SPDX-License-Identifier: MIT
#include "verify/verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "verify/branch_starts.h"
#include "verify/impact_check.h"
#include "verify/scene_geometry.h"
#include "verify/vector_checks.h"
#include "verify/witness_check.h"
#include "verify/yaml_tree.h"

namespace rigor::verify {
namespace {

// Start poses and velocities of the bodies, held against the scene.
void checkStarts(CheckedRecord& record, const SceneText& scene, const BranchMotion& motion,
                 const std::vector<Impact>& impacts) {
  std::vector<Start> starts(record.bodies.size());
  for (std::size_t b = 0; b < record.bodies.size(); ++b) {
    if (motion.of(b).empty()) continue;
    const Piece& first = motion.of(b).front();
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
  scene.check(
      record.bodies, starts,
      [&](int body, const std::string& reason) {
        record.fail({true, "0", -1, {body < 0 ? "" : record.bodies[body].name, ""}, 0, reason});
      },
      [&](const std::string& note) {
        std::vector<std::string>& notes = record.report.notes;
        if (std::find(notes.begin(), notes.end(), note) == notes.end()) notes.push_back(note);
      });
}

class Verifier {
 public:
  Verifier(const std::string& path, const Options& options)
      : record_(path, options), scene_(record_.header.scene_text), starts_(record_) {}

  Report run() {
    record_.report.min_gap = record_.report.horizon = std::numeric_limits<double>::infinity();
    checkBodies();
    checkIgnoredPairs();
    if (record_.report.failure_count == 0) solids_ = {record_.bodies.begin(), record_.bodies.end()};
    if (!(record_.header.gap_floor > 0)) record_.fail({true, "", -1, {}, 0, "the record claims no positive gap floor"});
    if (record_.branches.empty() || record_.branches[0].id != "0")
      record_.fail({true, "", -1, {}, 0, "there is no branch '0'"});
    std::set<std::string> ids;
    for (const Branch& branch : record_.branches)
      if (!ids.insert(branch.id).second) record_.fail({true, branch.id, -1, {}, 0, "two branches have this identity"});
    if (record_.report.failure_count == 0) {
      for (const Branch& branch : record_.branches) {
        if (record_.options.progress)
          *record_.options.progress =
              static_cast<double>(&branch - record_.branches.data()) / static_cast<double>(record_.branches.size());
        verifyBranch(branch);
      }
      if (const auto stray = record_.file.countUnreadRows())
        record_.fail({true, "", -1, {}, 0, fmt::format("{} rows belong to no branch", stray)});
    }
    checkSummary();
    record_.report.verified = record_.report.failure_count == 0;
    if (!record_.report.verified) record_.report.min_gap = 0;
    std::stable_sort(
        record_.report.failures.begin(), record_.report.failures.end(),
        [](const Failure& a, const Failure& b) { return std::tie(a.branch, a.time) < std::tie(b.branch, b.time); });
    record_.report.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    return std::move(record_.report);
  }

 private:
  // Links of one robot may be exempt from collisions; nothing else may.
  void checkIgnoredPairs() {
    for (const auto& [a, b] : record_.file.readIgnoredPairs()) {
      const bool exist = record_.hasBody(a) && record_.hasBody(b) && a != b;
      if (exist) ignored_.insert({std::min(a, b), std::max(a, b)});
      const std::string robot = exist ? scene_.robotOf(record_.bodies[a].name) : std::string();
      if (robot.empty() || robot != scene_.robotOf(record_.bodies[b].name))
        record_.fail({true, "", -1,
                      exist ? record_.pairName(static_cast<int>(a), static_cast<int>(b)) : std::array<std::string, 2>{},
                      0, "the record exempts a pair from collision that is no pair of links of one robot"});
    }
  }

  void checkBodies() {
    for (const Body& body : record_.bodies) {
      const auto bad = [&](const std::string& reason) { record_.fail({true, "", -1, {body.name, ""}, 0, reason}); };
      if (!allFinite(body.centre.data(), 3)) bad("its centre is not finite");
      if (body.parts.empty() && scene_.robotOf(body.name).empty()) bad("it has no parts");
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
    BranchRows rows = record_.file.readBranch(branch.id);
    record_.report.pieces += static_cast<long>(rows.pieces.size());
    record_.report.witnesses += static_cast<long>(rows.witnesses.size());
    if (!motion_.sort(record_, branch, rows.pieces) || !motion_.check(record_, branch)) return;
    const double horizon = starts_.checkEnds(branch, motion_);
    const double start = branch.start();
    // Forks at one instant make branches without pieces: their impacts count with those of the branch that moves on.
    const std::vector<Impact> before = starts_.impactsBefore(branch);
    rows.impacts.insert(rows.impacts.begin(), before.begin(), before.end());
    const bool instant = branch.end_time == start && motion_.movesNothing(record_.bodies);
    if (starts_.atScene(branch)) checkStarts(record_, scene_, motion_, rows.impacts);
    if (instant) {
      starts_.passOn(branch, rows.impacts, start);
    } else {
      checkImpacts(record_, branch, motion_, rows.impacts, horizon);
      starts_.storeForkStates(branch, motion_);
    }
    const bool leaf = std::none_of(record_.branches.begin(), record_.branches.end(),
                                   [&](const Branch& b) { return b.parent == branch.id; });
    if (leaf) record_.report.horizon = std::min(record_.report.horizon, horizon);
    if (!(horizon > start)) return;
    if (!(branch.min_gap > 0)) {
      record_.fail({true, branch.id, -1, {}, start, "the branch claims no positive gap"});
      return;
    }
    record_.report.min_gap = std::min(record_.report.min_gap, branch.min_gap);
    WitnessCheck(record_, solids_, ignored_, branch, motion_).check(rows.witnesses, start, horizon);
  }

  void checkSummary() {
    if (record_.header.summary.empty()) return;
    double claim = 0;
    try {
      const YamlTree summary = YamlTree::parse(record_.header.summary);
      const YamlTree& least = summary["min_gap"];
      if (!least || least.kind() == YamlTree::Kind::kNull) return;
      claim = least.number();
    } catch (const YamlError&) {
      record_.fail({true, "", -1, {}, 0, "the summary is not JSON"});
      return;
    }
    if (claim > record_.report.min_gap)
      record_.fail(
          {true,
           "",
           -1,
           {},
           0,
           fmt::format("the summary claims a gap of {}, the branches only {}", claim, record_.report.min_gap)});
  }

  const std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
  CheckedRecord record_;
  SceneText scene_;
  std::vector<Solid> solids_;                                // Of the record's bodies, in their order.
  std::set<std::pair<std::int64_t, std::int64_t>> ignored_;  // Pairs of bodies that never collide.
  BranchStarts starts_;
  BranchMotion motion_;  // Of the branch at hand.
};

}  // namespace

Report verifyRecord(const std::string& path, const Options& options) { return Verifier(path, options).run(); }

}  // namespace rigor::verify
