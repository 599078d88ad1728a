// SPDX-License-Identifier: MIT
#include "sim/step/near_pairs.h"

#include <algorithm>
#include <utility>
#include <variant>

namespace rigor::sim {

using Eigen::Vector3d;

int NearPairs::add(int i, int j) {
  const bool swap = std::holds_alternative<geom::HalfSpace>(*x_.parts[j].shape) ||
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

void NearPairs::collect(double horizon) {
  auto box = [&](int body, Vector3d& lower, Vector3d& upper) {
    const BodyRuntime& b = x_.bodies[body];
    if (const int slot = x_.slot_of[body]; slot >= 0) {
      const auto& s = x_.start[slot].state;
      const Vector3d reach = Vector3d::Constant(b.radius) + horizon * s.v.cwiseAbs() +
                             0.5 * horizon * horizon * x_.scene.gravity.cwiseAbs();
      lower = s.pose.p - reach, upper = s.pose.p + reach;
    } else {
      pieceBox(b.piece, b.radius, lower, upper);
    }
  };
  num_pairs_ = 0;
  only_planes_ = true;
  pair_of_b_.assign(x_.parts.size(), -1);
  Vector3d lower_a, upper_a, lower_b, upper_b;
  const double margin = x_.scales.band;
  for (size_t s = 0; s < x_.island.size(); ++s) {
    const int a = x_.island[s];
    box(a, lower_a, upper_a);
    for (int b = 0; b < static_cast<int>(x_.bodies.size()); ++b) {
      if (b == a || (x_.slot_of[b] >= 0 && b < a) || !x_.bodies[a].collidesWith(b)) continue;
      box(b, lower_b, upper_b);
      if ((lower_a - upper_b).maxCoeff() > margin || (lower_b - upper_a).maxCoeff() > margin) continue;
      for (int i = x_.bodies[a].first_part; i < x_.bodies[a].first_part + x_.bodies[a].num_parts; ++i)
        for (int j = x_.bodies[b].first_part; j < x_.bodies[b].first_part + x_.bodies[b].num_parts; ++j) add(i, j);
    }
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
