// SPDX-License-Identifier: MIT
#include "viewer/final_states.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <numbers>

namespace rigor::viewer {
namespace {

std::uint64_t cellOf(const Eigen::Vector3d& p, double size, int dx, int dy, int dz) {
  const auto whole = [&](int k, int d) {
    return static_cast<std::uint64_t>(static_cast<std::int64_t>(std::floor(p[k] / size)) + d);
  };
  return whole(0, dx) * 73856093u ^ whole(1, dy) * 19349663u ^ whole(2, dz) * 83492791u;
}

}  // namespace

bool isBox(const ModelBody& body, Eigen::Vector3d* half) { return geom::isAxisBox(body.parts, half); }

bool isDie(const ModelBody& body, Eigen::Vector3d* half) {
  Eigen::Vector3d own;
  if (!half) half = &own;
  const bool named = body.name.find("die") != std::string::npos || body.name.find("dice") != std::string::npos;
  return named && !body.fixed && isBox(body, half) && half->minCoeff() >= 0.8 * half->maxCoeff();
}

bool FinalStates::work(RunModel& model, double budget) {
  if (complete(model)) return false;
  const auto start = std::chrono::steady_clock::now();
  states_.resize(model.branches().size());
  bool some = false;
  while (!complete(model)) {
    const int branch = static_cast<int>(next_++);
    const ModelBranch& b = model.branches()[branch];
    const bool goes_on = b.isLeaf() || std::any_of(b.children.begin(), b.children.end(), [&](int child) {
                           return model.branches()[child].fork_time < b.end_time;
                         });
    if (!goes_on || b.status == "running") continue;
    look(model, branch);
    some = true;
    if (std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() > budget) break;
  }
  return some;
}

void FinalStates::look(RunModel& model, int leaf) {
  FinalState& state = states_[leaf];
  const double end = model.branches()[leaf].end_time;
  model.placementsAt(leaf, end, placements_);
  state.known = state.resting = true;
  const Eigen::Vector3d up =
      model.gravity().norm() > 0 ? Eigen::Vector3d(-model.gravity().normalized()) : Eigen::Vector3d::UnitZ();
  int moving = 0;
  for (int b = 0; b < static_cast<int>(placements_.size()); ++b) {
    const ModelBody& body = model.bodies()[b];
    if (body.fixed || !placements_[b].known) continue;
    ++moving;
    const sim::PieceRecord* piece = model.pieceAt(leaf, b, end);
    if (piece && piece->piece.p_degree == 0 && piece->piece.q_degree == 0)
      state.since = std::max(state.since, piece->piece.t0);
    else state.resting = false;
    if (!isBox(body)) continue;
    const FinalState::UpperFace& face =
        state.faces.emplace_back(FinalState::UpperFace{faceUp(placements_[b].R, up), isDie(body)});
    state.text += (state.text.empty() ? "" : ", ") + body.name;
    state.text += face.number == 0 ? ": on an edge" : face.die ? fmt::format(": face {} up", face.number)
                                                              : fmt::format(": {} up", faceAxis(face.number));
  }
  state.text += state.text.empty() ? "" : ", ";
  state.text += state.resting ? "at rest" : "moving";
  if (state.resting && moving > 0) join(model, leaf);
}

void FinalStates::join(const RunModel& model, int leaf) {
  const auto first =
      std::find_if(model.bodies().begin(), model.bodies().end(), [](const ModelBody& b) { return !b.fixed; }) -
      model.bodies().begin();
  const double cell = kSame * std::max(model.size(), 1e-12);
  const auto same = [&](const std::vector<Placement>& other) {
    for (std::size_t b = 0; b < placements_.size(); ++b) {
      if (model.bodies()[b].fixed) continue;
      if (placements_[b].known != other[b].known) return false;
      if (!((placements_[b].pose.p - other[b].pose.p).norm() <= kSame * std::max(model.bodies()[b].radius, cell)))
        return false;
      // A turn by a is 2 sqrt(2) sin(a / 2) from none, in the norm of Frobenius.
      if (!((placements_[b].R - other[b].R).norm() <= std::numbers::sqrt2 * kSame)) return false;
    }
    return true;
  };
  const Eigen::Vector3d& p = placements_[first].pose.p;
  const double grid = kSame * std::max(model.bodies()[first].radius, cell);
  int found = -1;
  for (int dx = -1; dx <= 1; ++dx)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dz = -1; dz <= 1; ++dz) {
        const auto [begin, end] = cells_.equal_range(cellOf(p, grid, dx, dy, dz));
        for (auto it = begin; it != end; ++it)
          if ((found < 0 || it->second < found) && same(kept_.at(it->second))) found = it->second;
      }
  states_[leaf].joined = found;
  if (found >= 0) return;
  cells_.emplace(cellOf(p, grid, 0, 0, 0), leaf);
  kept_.emplace(leaf, placements_);
}

}  // namespace rigor::viewer
