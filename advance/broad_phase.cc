// SPDX-License-Identifier: MIT
#include "advance/broad_phase.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>
#include <variant>

namespace rigor::advance {
namespace {

constexpr double kUp = 1 + 0x1p-49;      // Rounds |v| up: 4 roundings.
constexpr double kSpreadHysteresis = 2;  // A new sweep axis must be that much wider: changing it costs a sort.

double down(double x) { return std::nextafter(x, -HUGE_VAL); }
double up(double x) { return std::nextafter(x, HUGE_VAL); }

}  // namespace

BroadPhase::BroadPhase(std::vector<Part> parts) : parts_(std::move(parts)) {
  const int count = static_cast<int>(parts_.size());
  radius_.assign(count, 0);
  planes_.assign(count, Eigen::Vector4d::Zero());
  boxes_.resize(count);
  int bodies = 0;
  for (int i = 0; i < count; ++i) {
    bodies = std::max(bodies, parts_[i].body + 1);
    for (int k = 0; k < 3; ++k) {
      boxes_[i].lower[k] = HUGE_VAL;
      boxes_[i].upper[k] = -HUGE_VAL;
    }
    if (const auto* polytope = std::get_if<geom::Polytope>(parts_[i].shape)) {
      for (int v = 0; v < polytope->numCorners(); ++v) {
        // The differences round relative to themselves, covered by kUp as well.
        const double reach = polytope->isRound(v) ? polytope->round()->radius : 0;
        const double r = ((polytope->corner(v) - parts_[i].centre).norm() + reach) * kUp;
        if (!(r <= radius_[i])) radius_[i] = r;
      }
      order_.push_back(i);
    } else {
      half_spaces_.push_back(i);
    }
  }
  first_part_.assign(bodies + 1, 0);
  for (const Part& part : parts_) ++first_part_[part.body + 1];
  for (int b = 0; b < bodies; ++b) first_part_[b + 1] += first_part_[b];
  pairs_.reserve(4 * static_cast<size_t>(count) + 16);
}

void BroadPhase::update(int body, const MotionPiece& piece) {
  for (int i = first_part_[body]; i < first_part_[body + 1]; ++i) {
    Box& box = boxes_[i];
    if (const auto* half_space = std::get_if<geom::HalfSpace>(parts_[i].shape)) {
      const Eigen::Matrix3d R = piece.start().rotation();
      const Eigen::Vector3d n = R * half_space->normal;
      const double norm = half_space->normal.norm();
      planes_[i].head<3>() = n / norm;
      planes_[i][3] = (half_space->offset - half_space->normal.dot(parts_[i].centre) + n.dot(piece.p[0])) / norm;
      for (int k = 0; k < 3; ++k) box.lower[k] = -HUGE_VAL, box.upper[k] = HUGE_VAL;
      continue;
    }
    for (int k = 0; k < 3; ++k) {
      double lower = HUGE_VAL, upper = -HUGE_VAL;
      for (int c = 0; c <= piece.p_degree; ++c) {
        const double x = piece.p[c][k];
        if (!(x >= lower)) lower = x;
        if (!(x <= upper)) upper = x;
        if (std::isnan(x)) {
          lower = -HUGE_VAL;
          upper = HUGE_VAL;
          break;
        }
      }
      box.lower[k] = down(lower - radius_[i]);
      box.upper[k] = up(upper + radius_[i]);
    }
  }
}

void BroadPhase::chooseAxis() {
  double spread[3];
  for (int k = 0; k < 3; ++k) {
    double lowest = HUGE_VAL, highest = -HUGE_VAL;
    for (int i : order_) {
      if (parts_[i].fixed) continue;  // A large fixed table must not decide.
      lowest = std::min(lowest, boxes_[i].lower[k]);
      highest = std::max(highest, boxes_[i].lower[k]);
    }
    spread[k] = highest - lowest;
  }
  const int widest = static_cast<int>(std::max_element(spread, spread + 3) - spread);
  if (spread[widest] > kSpreadHysteresis * spread[axis_]) axis_ = widest;
}

std::span<const BroadPhase::Pair> BroadPhase::pairs(double reach) {
  pairs_.clear();
  chooseAxis();
  const int axis = axis_;
  const auto key = [&](int i) { return boxes_[i].lower[axis]; };
  for (size_t i = 1; i < order_.size(); ++i) {
    const int part = order_[i];
    size_t j = i;
    for (; j > 0 && key(order_[j - 1]) > key(part); --j) order_[j] = order_[j - 1];
    order_[j] = part;
  }
  const double far = reach * kUp;  // A rounded difference of at least this is exactly at least `reach`.
  const int other = (axis + 1) % 3, third = (axis + 2) % 3;
  for (size_t i = 0; i < order_.size(); ++i) {
    const int x = order_[i];
    const Box& bx = boxes_[x];
    for (size_t j = i + 1; j < order_.size(); ++j) {
      const int y = order_[j];
      const Box& by = boxes_[y];
      // A NaN from infinite boxes counts as overlap.
      if (by.lower[axis] - bx.upper[axis] >= far) break;
      if (by.lower[other] - bx.upper[other] >= far || bx.lower[other] - by.upper[other] >= far ||
          by.lower[third] - bx.upper[third] >= far || bx.lower[third] - by.upper[third] >= far)
        continue;
      if (parts_[x].body == parts_[y].body || (parts_[x].fixed && parts_[y].fixed)) continue;
      pairs_.push_back({std::min(x, y), std::max(x, y), true});
    }
  }
  for (int h : half_spaces_) {
    const Eigen::Vector4d& plane = planes_[h];
    for (int y : order_) {
      if (parts_[y].fixed || parts_[y].body == parts_[h].body) continue;
      const Box& box = boxes_[y];
      double lowest = -plane[3], size = std::abs(plane[3]);
      for (int k = 0; k < 3; ++k) {
        const double term = plane[k] * (plane[k] >= 0 ? box.lower[k] : box.upper[k]);
        lowest += term;
        size += std::abs(term);
      }
      pairs_.push_back({h, y, !(lowest - 0x1p-48 * size >= reach)});
    }
  }
  std::sort(pairs_.begin(), pairs_.end(),
            [](const Pair& p, const Pair& q) { return p.a != q.a ? p.a < q.a : p.b < q.b; });
  return pairs_;
}

}  // namespace rigor::advance
