// SPDX-License-Identifier: MIT
#include "sim/step/near_pairs.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <utility>
#include <variant>

#include "sim/step/heights.h"

namespace rigor::sim {

using Eigen::Vector3d;

namespace {

/// Than what is asked for: what rounding may take from heights.
constexpr double kHeightShare = 1.01;
constexpr size_t kListsPerPart = 4;  // A cube of a heap has some pairs of its own.

}  // namespace

/// In which list the pair is. Lists by parts would be long: all that is near a floor has it for its other part.
size_t NearPairs::listOf(int i, int j) const {
  std::uint32_t mixed = static_cast<std::uint32_t>(std::min(i, j)) * 0x9e3779b1u ^
                        static_cast<std::uint32_t>(std::max(i, j)) * 0x85ebca6bu;
  mixed ^= mixed >> 15;
  return mixed & (first_of_.size() - 1);
}

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
  pair.clear = false;
  const size_t list = listOf(i, j);
  if (num_pairs_ == static_cast<int>(links_.size())) links_.emplace_back();
  links_[num_pairs_] = {i, j, first_of_[list]};
  first_of_[list] = num_pairs_;
  return num_pairs_++;
}

int NearPairs::find(int i, int j) const {
  for (int p = first_of_[listOf(i, j)]; p >= 0; p = links_[p].next)
    if ((links_[p].part_a == i && links_[p].part_b == j) || (links_[p].part_a == j && links_[p].part_b == i)) return p;
  return -1;
}

TreeField* NearPairs::findField(int part, int body) {
  for (TreeField& field : fields())
    if (field.part == part && field.body == body) return &field;
  return nullptr;
}

TreeField& NearPairs::fieldOf(int part, int body) {
  if (TreeField* known = findField(part, body)) return *known;
  if (num_fields_ == static_cast<int>(fields_.size())) fields_.emplace_back();
  TreeField& field = fields_[num_fields_++];
  field.part = part, field.body = body;
  field.planes.clear(), field.own.clear();
  return field;
}

Eigen::AlignedBox3d NearPairs::boxOver(const TreeField& field, const advance::MotionPiece& piece, double margin) const {
  const PartRuntime& part = x_.parts[field.part];
  const BodyRuntime& body = x_.bodies[part.body];
  Vector3d lower, upper;
  pieceBox(piece, body.radius, lower, upper);
  return boxOfPart(body, part, lower, upper, margin);
}

void NearPairs::clearFields() {
  for (int p = 0; p < num_pairs_; ++p)
    pairs_[p].clear = x_.bodies[x_.parts[pairs_[p].part_a].body].part_tree != nullptr ||
                      x_.bodies[x_.parts[pairs_[p].part_b].body].part_tree != nullptr;
}

void NearPairs::addWithin(const TreeField& field, const Eigen::AlignedBox3d& box, double reach) {
  const BodyRuntime& body = x_.bodies[field.body];
  const int slot = x_.slot_of[x_.parts[field.part].body];
  const geom::Pose X_WF = x_.originPose(body.first_part, -1, x_.t0), X_WP = x_.originPose(field.part, slot, x_.t0);
  const Eigen::Matrix3d R = X_WF.rotation();
  // Heights from which parts are within reach, in the frame of the fixed body; and where the planes are in the world.
  constexpr size_t kPlanes = 2 * TreeField::kMostPlanes;
  std::array<double, kPlanes> least;
  std::array<Vector3d, kPlanes> normal, world;
  size_t planes = 0;
  const auto addPlane = [&](const Vector3d& n) {
    normal[planes] = n, world[planes] = R * n;
    least[planes++] = lowestHeight(*x_.parts[field.part].shape, X_WP, X_WF, n) - reach;
  };
  for (const Vector3d& n : field.planes) addPlane(n);
  const Eigen::Matrix3d to_fixed = R.transpose() * X_WP.rotation();
  for (const Vector3d& n : field.own) addPlane(to_fixed * n);
  const auto lies_below = [&](const Eigen::AlignedBox3d& all) {
    const Vector3d twice = all.min() + all.max() - 2 * X_WF.p, sizes = all.sizes();
    for (size_t p = 0; p < planes; ++p)
      if (0.5 * (world[p].dot(twice) + world[p].cwiseAbs().dot(sizes)) < least[p]) return true;
    return false;
  };
  found_.clear();
  size_t last = 0;  // What comes next mostly lies below the same plane.
  body.part_tree->boxes.visit(box, lies_below, [&](int k) {
    const geom::Shape& shape = *x_.parts[body.first_part + k].shape;
    const auto is_below = [&](size_t p) { return supportAlong(shape, normal[p]) < least[p]; };
    if (last < planes && is_below(last)) return;
    for (size_t p = 0; p < planes; ++p)
      if (is_below(p)) {
        last = p;
        return;
      }
    found_.push_back(k);
  });
  std::sort(found_.begin(), found_.end());
  for (const int k : found_)
    if (find(body.first_part + k, field.part) < 0) add(body.first_part + k, field.part);
}

/// What may touch at the start.
void NearPairs::collectNear(TreeField& field) {
  const PartRuntime& part = x_.parts[field.part];
  if (part.box.isEmpty()) return;
  const geom::Pose X = x_.originPose(field.part, x_.slot_of[part.body], x_.t0);
  const Eigen::Matrix3d R = X.rotation();
  const Vector3d centre = X.p + R * part.box.center(),
                 half = R.cwiseAbs() * (0.5 * part.box.sizes()) + Vector3d::Constant(2 * x_.scales.band);
  addWithin(field, {centre - half, centre + half}, kHeightShare * x_.scales.band);
}

void NearPairs::reachAhead(double horizon) {
  double speed = horizon * x_.scales.acceleration;
  for (size_t s = 0; s < x_.island.size(); ++s)
    speed = std::max(speed, x_.start[s].state.v.norm() +
                                x_.start[s].state.w.norm() * x_.bodies[x_.island[s]].radius);
  const double reach = horizon * (speed + horizon * x_.scales.acceleration) + x_.scales.band;
  for (const TreeField& field : fields()) {
    const PartRuntime& part = x_.parts[field.part];
    const Vector3d p = x_.start[x_.slot_of[part.body]].state.pose.p, wide = Vector3d::Constant(part.radius + reach);
    addWithin(field, {p - wide, p + wide}, kHeightShare * reach);
  }
}

/// An axis of the step before.
void NearPairs::recall(const KnownAxis& known) {
  const auto& [pair, axis] = known;
  const int i = x_.bodies[pair.body_a].first_part + pair.part_a, j = x_.bodies[pair.body_b].first_part + pair.part_b;
  const bool of_a = x_.bodies[pair.body_a].part_tree != nullptr;
  if (of_a || x_.bodies[pair.body_b].part_tree) {
    TreeField* field = findField(of_a ? j : i, of_a ? pair.body_a : pair.body_b);
    if (!field) return;  // Not of this group any more, or far off.
    if (axis.kind == advance::AxisKind::kFixedInA || axis.kind == advance::AxisKind::kFixedInB) {
      const bool stays = (axis.kind == advance::AxisKind::kFixedInA) == of_a;
      const Vector3d normal = of_a ? axis.axis : Vector3d(-axis.axis);
      std::vector<Vector3d>& planes = stays ? field->planes : field->own;
      if (planes.size() < TreeField::kMostPlanes && std::find(planes.begin(), planes.end(), normal) == planes.end())
        planes.push_back(normal);
      return;
    }
    if (find(i, j) < 0) add(i, j);
  }
  if (const int p = find(i, j); p >= 0) pairs_[p].axes.push_back(axis);
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
  const size_t lists = std::bit_ceil(kListsPerPart * x_.parts.size() + 1);
  if (first_of_.size() != lists) first_of_.assign(lists, -1), num_pairs_ = 0;
  for (int p = 0; p < num_pairs_; ++p) first_of_[listOf(links_[p].part_a, links_[p].part_b)] = -1;
  num_pairs_ = num_fields_ = 0;
  only_planes_ = true;
  for (const auto& [a, b] : near_.find(x_, boxes_, x_.scales.band)) {
    const bool of_a = x_.bodies[a].part_tree != nullptr;
    if (!of_a && !x_.bodies[b].part_tree) {
      eachNearPart(x_, boxes_, a, b, x_.scales.band, found_, [&](int i, int j) { add(i, j); });
      continue;
    }
    only_planes_ = false;
    const BodyRuntime& other = x_.bodies[of_a ? b : a];
    for (int k = other.first_part; k < other.first_part + other.num_parts; ++k) fieldOf(k, of_a ? a : b);
  }
  for (const KnownAxis& axis : known) recall(axis);
  for (TreeField& field : fields()) collectNear(field);
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
