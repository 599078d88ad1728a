// SPDX-License-Identifier: MIT
#include "verify/recorded_run.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "verify/yaml_tree.h"

namespace rigor::verify {
namespace {

kernel::Piece pieceOf(const Piece& row) {
  kernel::Piece piece;
  piece.id = row.id;
  piece.body = row.body;
  piece.p_degree = row.p_degree;
  piece.q_degree = row.q_degree;
  piece.t0 = row.t0;
  piece.t1 = row.t1;
  std::copy_n(row.p[0], 3 * (row.p_degree + 1), piece.p[0]);
  std::copy_n(row.q[0], 4 * (row.q_degree + 1), piece.q[0]);
  std::copy_n(row.velocity, 12, piece.velocity);
  return piece;
}

kernel::Claim claimOf(const Witness& w) {
  const auto number = [](std::int64_t i) { return i == static_cast<int>(i) ? static_cast<int>(i) : -1; };
  return {w.id,       w.body_a, w.part_a,     w.body_b,     w.part_b,     w.kind,       w.t0,  w.t1,
          w.axis,     number(w.a0), number(w.a1), number(w.b0), number(w.b1), w.gap, w.cross, w.cosine};
}

// M(q) v / (q.q)
Vector3 rotated(const double* q, const Vector3& v) {
  const double n = q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3];
  Vector3 out{};
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    out[i] = ((q[0] * q[0] + q[i + 1] * q[i + 1] - q[j + 1] * q[j + 1] - q[k + 1] * q[k + 1]) * v[i] +
              2 * (q[i + 1] * q[j + 1] - q[0] * q[k + 1]) * v[j] + 2 * (q[i + 1] * q[k + 1] + q[0] * q[j + 1]) * v[k]) / n;
  }
  return out;
}

}  // namespace

RecordedRun::RecordedRun(const std::string& path)
    : file_(path),
      header_(file_.readHeader()),
      bodies_(file_.readBodies()),
      branches_(file_.readBranches()),
      scene_(header_.scene_text) {
  run_status = header_.status;
  run.gap_floor = header_.gap_floor;
  run.gap_nominal = header_.gap_nominal;
  run.until = header_.until;
  run.done = header_.status == "done";
  run.unexplored = static_cast<long>(file_.countFrontier());
  setBranches();
  setBodies();
  for (const auto& [a, b] : file_.readIgnoredPairs()) {
    const bool exist = a >= 0 && b >= 0 && std::max(a, b) < static_cast<std::int64_t>(bodies_.size());
    run.model.ignored_pairs.push_back({exist ? static_cast<int>(a) : -1, exist ? static_cast<int>(b) : -1});
  }
  setStarts();
}

void RecordedRun::setBranches() {
  for (const Branch& row : branches_) {
    kernel::Branch& branch = run.branches.emplace_back();
    branch.id = row.id;
    if (!row.parent.empty()) {
      branch.parent = kernel::Branch::kLost;
      for (std::size_t i = 0; i + 1 < run.branches.size(); ++i)
        if (run.branches[i].id == row.parent) branch.parent = static_cast<int>(i);
    }
    branch.fork_time = row.fork_time;
    branch.end_time = row.end_time;
    branch.min_gap = row.min_gap;
    branch.running = row.status == "running";
  }
  if (run.branches.empty() || run.branches[0].id != "0") faults_.emplace_back(-1, "there is no branch '0'");
}

void RecordedRun::setBodies() {
  for (const Body& row : bodies_) {
    kernel::Body& body = run.model.bodies.emplace_back();
    body.name = row.name;
    body.fixed = row.fixed;
    body.centre = row.centre;
    if (const std::string robot = scene_.robotOf(row.name); !robot.empty()) {
      const auto found = std::find_if(run.model.robots.begin(), run.model.robots.end(),
                                      [&](const kernel::Robot& r) { return r.name == robot; });
      body.robot = static_cast<int>(found - run.model.robots.begin());
      if (found == run.model.robots.end()) run.model.robots.push_back({robot, {}});
    }
    for (const Part& part : row.parts) body.parts.push_back({part.half_space, part.vertices, part.normal, part.offset});
  }
}

void RecordedRun::setStarts() {
  starts_.resize(bodies_.size());
  std::vector<bool> posed(bodies_.size(), false);
  const auto known = [&](const Piece& piece) { return piece.body >= 0 && piece.body < static_cast<int>(bodies_.size()); };
  std::vector<Impact> impacts;
  bool moving = false;
  for (std::size_t i = 0; i < branches_.size() && !moving; ++i) {
    BranchRows& rows = read_[i] = file_.readBranch(branches_[i].id);
    impacts.insert(impacts.end(), rows.impacts.begin(), rows.impacts.end());
    for (const Piece& piece : rows.pieces) {
      if (!known(piece)) continue;
      const bool fixed = bodies_[piece.body].fixed;
      moving |= !fixed;
      if (fixed && (i != 0 || piece.t0 != 0 || !(piece.t1 == HUGE_VAL) || piece.p_degree != 0 || piece.q_degree != 0))
        faults_.emplace_back(piece.body, "a fixed body moves");
      if (fixed && posed[piece.body]) faults_.emplace_back(piece.body, "a fixed body has more than one piece");
      Start& start = starts_[piece.body];
      if (posed[piece.body] && !(piece.t0 < start.time)) continue;
      posed[piece.body] = true;
      start.known = true;
      start.time = piece.t0;
      std::copy_n(piece.p[0], 3, start.p);
      std::copy_n(piece.q[0], 4, start.q);
      std::copy_n(piece.velocity, 3, start.v);
      std::copy_n(piece.velocity + 3, 3, start.w);
    }
  }
  for (std::size_t b = 0; b < bodies_.size(); ++b) {
    if (!posed[b] && bodies_[b].fixed) faults_.emplace_back(static_cast<int>(b), "a fixed body has no pose");
    if (!posed[b]) continue;
    Start& start = starts_[b];
    const Impact* first = nullptr;
    for (const Impact& impact : impacts)
      for (std::size_t i = 0; i < impact.bodies.size(); ++i)
        if (impact.time == start.time && impact.bodies[i] == static_cast<std::int64_t>(b) && (!first || impact.id < first->id)) {
          first = &impact;
          std::copy_n(&impact.before[6 * i], 3, start.v);
          std::copy_n(&impact.before[6 * i + 3], 3, start.w);
        }
    kernel::Body& body = run.model.bodies[b];
    const Vector3 arm = rotated(start.q, bodies_[b].centre);
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      body.position[k] = bodies_[b].fixed ? start.p[k] : start.p[k] - arm[k];
      body.velocity[k] = start.v[k] - (start.w[i] * arm[j] - start.w[j] * arm[i]);
      body.angular_velocity[k] = start.w[k];
    }
    std::copy_n(start.q, 4, body.orientation.data());
    if (bodies_[b].fixed) body.velocity = body.angular_velocity = {};
  }
}

kernel::BranchRows RecordedRun::readBranch(std::size_t number) {
  const auto found = read_.find(number);
  BranchRows read = found == read_.end() ? file_.readBranch(branches_[number].id) : std::move(found->second);
  if (found != read_.end()) read_.erase(found);
  kernel::BranchRows rows;
  for (const Piece& piece : read.pieces) {
    const bool fixed = piece.body >= 0 && piece.body < static_cast<int>(bodies_.size()) && bodies_[piece.body].fixed;
    if (!fixed || number != 0) rows.pieces.push_back(pieceOf(piece));
  }
  for (const Witness& witness : read.witnesses) rows.claims.push_back(claimOf(witness));
  for (const Impact& impact : read.impacts)
    rows.impacts.push_back({impact.id, impact.time, impact.bodies, impact.before, impact.after});
  return rows;
}

void RecordedRun::check(const std::function<void(int, const std::string&)>& fail,
                        const std::function<void(const std::string&)>& note) {
  for (const auto& [body, reason] : faults_) fail(body, reason);
  scene_.check(bodies_, starts_, fail, note);
}

double RecordedRun::claimedGap() const {
  if (header_.summary.empty()) return -std::numeric_limits<double>::infinity();
  try {
    const YamlTree summary = YamlTree::parse(header_.summary);
    const YamlTree& least = summary["min_gap"];
    return least && least.kind() != YamlTree::Kind::kNull ? least.number() : -std::numeric_limits<double>::infinity();
  } catch (const YamlError&) {
    return std::numeric_limits<double>::quiet_NaN();
  }
}

}  // namespace rigor::verify
