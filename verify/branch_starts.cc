// SPDX-License-Identifier: MIT
#include "verify/branch_starts.h"

#include <fmt/format.h>

#include <algorithm>

namespace rigor::verify {

std::vector<Impact> BranchStarts::impactsBefore(const Branch& branch) const {
  const auto found = instant_impacts_.find(branch.id);
  return found == instant_impacts_.end() ? std::vector<Impact>() : found->second;
}

double BranchStarts::checkEnds(const Branch& branch, const BranchMotion& motion) const {
  const bool running = branch.status == "running";
  const double start = branch.start();
  double horizon = branch.end_time;
  const auto forked = fork_states_.find(branch.id);
  if (!atScene(branch) && forked == fork_states_.end())
    record_.fail({true,
                  branch.id,
                  -1,
                  {},
                  start,
                  fmt::format("its parent '{}' has no piece that ends at the fork", branch.parent)});
  if (!(branch.end_time >= start)) record_.fail({true, branch.id, -1, {}, start, "the branch ends before it starts"});
  for (std::size_t b = 0; b < record_.bodies.size(); ++b) {
    if (record_.bodies[b].fixed) continue;
    const std::array<std::string, 2> name{record_.bodies[b].name, ""};
    if (motion.of(b).empty()) {
      if (branch.end_time > start) record_.fail({true, branch.id, -1, name, start, "a moving body has no pieces"});
      horizon = start;
      continue;
    }
    const Piece &first = motion.of(b).front(), &last = motion.of(b).back();
    if (first.t0 != start)
      record_.failPiece(branch, first, first.t0, fmt::format("the first piece does not start at {}", start));
    if (forked != fork_states_.end() && !sameBits(poseOf(first, false), forked->second[b]))
      record_.failPiece(branch, first, first.t0, "it does not start where the parent branch forks");
    if (running ? last.t1 < branch.end_time : last.t1 != branch.end_time)
      record_.failPiece(branch, last, last.t1,
                        fmt::format("the last piece ends at {}, the branch at {}", last.t1, branch.end_time));
    horizon = std::min(horizon, last.t1);
  }
  return horizon;
}

void BranchStarts::storeForkStates(const Branch& branch, const BranchMotion& motion) {
  for (const Branch& child : record_.branches) {
    if (child.parent != branch.id || child.id == branch.id) continue;
    std::vector<Pose> poses(record_.bodies.size());
    bool complete = true;
    for (std::size_t b = 0; b < record_.bodies.size(); ++b) {
      if (record_.bodies[b].fixed) continue;
      const auto pieces = motion.of(b);
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

void BranchStarts::passOn(const Branch& branch, const std::vector<Impact>& impacts, double start) {
  for (const Impact& impact : impacts)
    if (impact.time != start && branch.status != "running")
      record_.fail(
          {true, branch.id, -1, {}, impact.time, fmt::format("impact {}: the branch has no such time", impact.id)});
  const auto forked = fork_states_.find(branch.id);
  for (const Branch& child : record_.branches) {
    if (child.parent != branch.id || child.id == branch.id || child.fork_time != start) continue;
    if (atScene(branch))
      at_scene_.insert(child.id);
    else if (forked != fork_states_.end())
      fork_states_[child.id] = forked->second;
    instant_impacts_[child.id] = impacts;
  }
}

}  // namespace rigor::verify
