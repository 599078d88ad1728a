// SPDX-License-Identifier: MIT
#include "sim/step/near_pairs.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace rigor::sim {

using Eigen::Vector3d;

int NearPairs::add(int i, int j) {
  const bool swap =
      std::holds_alternative<geom::HalfSpace>(*x_.parts[j].shape) ||
      (!std::holds_alternative<geom::HalfSpace>(*x_.parts[i].shape) && x_.parts[j].body < x_.parts[i].body);
  if (swap) std::swap(i, j);
  only_planes_ = only_planes_ && std::holds_alternative<geom::HalfSpace>(*x_.parts[i].shape);
  if (num_pairs_ == static_cast<int>(pairs_.size())) pairs_.emplace_back();
  NearPair& pair = pairs_[num_pairs_];
  pair.cache = {};  // What a step does must not depend on steps before a snapshot.
  pair.part_a = i, pair.part_b = j;
  pair.slot_a = x_.slot_of[x_.parts[i].body], pair.slot_b = x_.slot_of[x_.parts[j].body];
  pair.axes.clear();
  pair.first_contact = -1;
  pair.next_of_b = pair_of_b_[j];
  pair_of_b_[j] = num_pairs_;
  return num_pairs_++;
}

int NearPairs::find(int i, int j) const {
  for (const auto& [a, b] : {std::pair{i, j}, std::pair{j, i}})
    for (int p = pair_of_b_[b]; p >= 0; p = pairs_[p].next_of_b)
      if (pairs_[p].part_a == a) return p;
  return -1;
}

void NearPairs::collect(double horizon, std::span<const KnownAxis> known) {
  boxes_.resize(x_.island.size());
  for (size_t s = 0; s < boxes_.size(); ++s) {
    const auto& state = x_.start[s].state;
    Vector3d pull = x_.scene.gravity.cwiseAbs();
    if (x_.start[s].isPushed()) pull += x_.start[s].model->inverse_mass * x_.start[s].push.head<3>().cwiseAbs();
    const Vector3d reach = Vector3d::Constant(x_.bodies[x_.island[s]].radius) + horizon * state.v.cwiseAbs() +
                           0.5 * horizon * horizon * pull;
    boxes_[s] = {state.pose.p - reach, state.pose.p + reach};
  }
  if (pair_of_b_.size() != x_.parts.size()) pair_of_b_.assign(x_.parts.size(), -1), num_pairs_ = 0;
  for (int p = 0; p < num_pairs_; ++p) pair_of_b_[pairs_[p].part_b] = -1;
  num_pairs_ = 0;
  only_planes_ = true;
  for (const auto& [a, b] : near_.find(x_, boxes_, x_.scales.band))
    eachNearPart(x_, boxes_, a, b, x_.scales.band, found_, [&](int i, int j) { add(i, j); });
  for (const auto& [pair, axis] : known) {
    const int p =
        find(x_.bodies[pair.body_a].first_part + pair.part_a, x_.bodies[pair.body_b].first_part + pair.part_b);
    if (p >= 0) pairs_[p].axes.push_back(axis);
  }
}

bool NearPairs::prepare(NearPair& pair) {
  const double t1 = x_.pieces[0].t1;
  const int body_a = x_.parts[pair.part_a].body, body_b = x_.parts[pair.part_b].body;
  pair.tb = t1;
  for (auto [body, slot] : {std::pair{body_a, pair.slot_a}, std::pair{body_b, pair.slot_b}})
    if (slot < 0) pair.tb = std::min(pair.tb, x_.bodies[body].clock);
  if (!(pair.tb > x_.t0)) return false;
  auto motion = [&](int body, int slot, advance::PiecePolynomials& own) -> const advance::PiecePolynomials* {
    if (slot >= 0 && pair.tb == t1) return &x_.motion[slot];
    own = advance::PiecePolynomials(slot >= 0 ? x_.pieces[slot] : x_.bodies[body].piece, x_.t0, pair.tb);
    return &own;
  };
  pair.A = {x_.parts[pair.part_a].shape, x_.bodies[body_a].centre, motion(body_a, pair.slot_a, pair.own_a)};
  pair.B = {x_.parts[pair.part_b].shape, x_.bodies[body_b].centre, motion(body_b, pair.slot_b, pair.own_b)};
  return true;
}

}  // namespace rigor::sim
