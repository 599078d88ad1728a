// SPDX-License-Identifier: MIT
#include "verify/filter/boxes.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rigor::verify::filter {

using kernel::Part;
using kernel::Vector3;
namespace {

/// Bound on the relative rounding error of the short sums and products below (each has fewer than 60 roundings of
/// 2^-53), applied to the sum of the magnitudes that enter.
constexpr double kRounding = 64 * 0x1p-53;
/// Absorbs underflow, whose error is absolute [m].
constexpr double kUnderflow = 1e-290;

// A vertex at a pose that does not move, with the bound of its error.
void placeVertex(const Piece& pose, const Vector3& vertex, const Vector3& centre, double* out, double& error) {
  const double w = pose.q[0][0], x = pose.q[0][1], y = pose.q[0][2], z = pose.q[0][3];
  const double n = w * w + x * x + y * y + z * z;
  const double M[3][3] = {{w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)},
                          {2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)},
                          {2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z}};
  double magnitude = 0;
  for (int k = 0; k < 3; ++k) magnitude += std::abs(vertex[k]) + std::abs(centre[k]);
  error = 0;
  for (int i = 0; i < 3; ++i) {
    out[i] = pose.p[0][i];
    for (int j = 0; j < 3; ++j) out[i] += M[i][j] / n * (vertex[j] - centre[j]);
    // |M_ij| <= n, and the terms that make it up are at most 2 n.
    error = std::max(error, kRounding * (std::abs(pose.p[0][i]) + 4 * magnitude) + kUnderflow);
  }
  if (!(n > 1e-200 && n < 1e200)) error = HUGE_VAL;
}

}  // namespace

Box Box::empty() { return {{HUGE_VAL, HUGE_VAL, HUGE_VAL}, {-HUGE_VAL, -HUGE_VAL, -HUGE_VAL}}; }

void Box::include(const double* point) {
  for (int k = 0; k < 3; ++k) {
    low[k] = std::min(low[k], point[k]);
    high[k] = std::max(high[k], point[k]);
  }
}

void Box::include(const Box& other) {
  include(other.low);
  include(other.high);
}

Trajectory::Trajectory(std::span<const Piece> pieces) : pieces_(pieces), tree_(2 * pieces.size(), Box::empty()) {
  const std::size_t n = pieces.size();
  for (std::size_t i = 0; i < n; ++i)
    for (int c = 0; c <= pieces[i].p_degree; ++c) tree_[n + i].include(pieces[i].p[c]);
  for (std::size_t i = n; i-- > 1;) {
    tree_[i] = tree_[2 * i];
    tree_[i].include(tree_[2 * i + 1]);
  }
}

void Trajectory::range(double from, double to, std::size_t& first, std::size_t& last) const {
  first = std::upper_bound(pieces_.begin(), pieces_.end(), from, [](double t, const Piece& p) { return t < p.t1; }) -
          pieces_.begin();
  last = std::lower_bound(pieces_.begin(), pieces_.end(), to, [](const Piece& p, double t) { return p.t0 < t; }) -
         pieces_.begin();
  last = std::max(first, last);
}

Box Trajectory::box(std::size_t first, std::size_t last) const {
  Box box = Box::empty();
  for (std::size_t a = first + pieces_.size(), b = last + pieces_.size(); a < b; a /= 2, b /= 2) {
    if (a & 1) box.include(tree_[a++]);
    if (b & 1) box.include(tree_[--b]);
  }
  return box;
}

BoxProver::BoxProver(const std::vector<Body>& bodies, const std::vector<Trajectory>& trajectories)
    : bodies_(bodies), trajectories_(trajectories) {
  for (const Body& body : bodies) {
    auto& radii = radius_.emplace_back();
    for (const Part& part : body.parts) {
      double radius = 0;
      for (const Vector3& v : part.vertices) {
        radius = std::max(radius, std::hypot(v[0] - body.centre[0], v[1] - body.centre[1], v[2] - body.centre[2]));
      }
      for (const Vector3& v : part.core)
        radius = std::max(
            radius, part.radius + std::hypot(v[0] - body.centre[0], v[1] - body.centre[1], v[2] - body.centre[2]));
      radii.push_back(radius * (1 + kRounding) + kUnderflow);
    }
  }
}

Box BoxProver::partBox(int body, int part, std::size_t first, std::size_t last) const {
  const Trajectory& trajectory = trajectories_[body];
  const Piece& piece = trajectory.pieces()[first];
  const bool round = !bodies_[body].parts[part].core.empty();
  if (!round && last - first == 1 && piece.p_degree == 0 && piece.q_degree == 0) {
    Box box = Box::empty();
    double worst = 0;
    for (const Vector3& v : bodies_[body].parts[part].vertices) {
      double point[3], error;
      placeVertex(piece, v, bodies_[body].centre, point, error);
      box.include(point);
      worst = std::max(worst, error);
    }
    for (int k = 0; k < 3; ++k) box.low[k] -= worst, box.high[k] += worst;
    return box;
  }
  Box box = trajectory.box(first, last);
  const double r = radius_[body][part];
  for (int k = 0; k < 3; ++k) {
    box.low[k] -= r + kRounding * (std::abs(box.low[k]) + r);
    box.high[k] += r + kRounding * (std::abs(box.high[k]) + r);
  }
  return box;
}

// n.R_A'(p - p_A) - (offset - n.c_A) - r |n| >= gap |n| at every control point p of B, by intervals.
bool BoxProver::aboveHalfSpace(int body_a, int part_a, int body_b, int part_b, std::size_t first, std::size_t last,
                               double gap) const {
  const Part& plane = bodies_[body_a].parts[part_a];
  const Vector3& centre = bodies_[body_a].centre;
  const Piece& pose = trajectories_[body_a].pieces()[0];
  // R_A n, as a vertex at a pose without translation.
  Piece turn = pose;
  for (double& x : turn.p[0]) x = 0;
  double n[3], n_error;
  placeVertex(turn, plane.normal, {}, n, n_error);
  const Box box = trajectories_[body_b].box(first, last);
  double value = -plane.offset, magnitude = std::abs(plane.offset), reach = 0;
  for (int k = 0; k < 3; ++k) {
    const double corner = n[k] > 0 ? box.low[k] : box.high[k], p = pose.p[0][k];
    value += n[k] * (corner - p) + plane.normal[k] * centre[k];
    magnitude += std::abs(n[k]) * (std::abs(corner) + std::abs(p)) + std::abs(plane.normal[k] * centre[k]);
    // A normal component with error n_error may pick the wrong corner: both ends count.
    reach += std::max(std::abs(box.low[k] - p), std::abs(box.high[k] - p)) + std::abs(p);
  }
  const double length = std::hypot(plane.normal[0], plane.normal[1], plane.normal[2]);  // Squares would underflow.
  const double margin = (gap + radius_[body_b][part_b]) * length;
  return value - margin - kRounding * (magnitude + margin) - 2 * n_error * reach - kUnderflow > 0;
}

bool BoxProver::apart(int body_a, int part_a, int body_b, int part_b, double from, double to, double gap,
                      double& unproved_at) const {
  std::size_t first_a, last_a, first_b, last_b;
  trajectories_[body_a].range(from, to, first_a, last_a);
  trajectories_[body_b].range(from, to, first_b, last_b);
  unproved_at = from;
  if (first_a == last_a || first_b == last_b) return false;
  if (bodies_[body_a].parts[part_a].half_space) {
    if (aboveHalfSpace(body_a, part_a, body_b, part_b, first_b, last_b, gap)) return true;
  } else {
    const Box a = partBox(body_a, part_a, first_a, last_a), b = partBox(body_b, part_b, first_b, last_b);
    for (int k = 0; k < 3; ++k)
      for (const double distance : {b.low[k] - a.high[k], a.low[k] - b.high[k]})
        if (distance - gap >
            kRounding * (std::abs(distance) + std::abs(gap) + std::abs(a.high[k]) + std::abs(b.high[k])))
          return true;
  }
  if (last_a - first_a == 1 && last_b - first_b == 1) return false;
  const Trajectory& longer = trajectories_[last_a - first_a > last_b - first_b ? body_a : body_b];
  const std::size_t middle = last_a - first_a > last_b - first_b ? (first_a + last_a) / 2 : (first_b + last_b) / 2;
  const double split = longer.pieces()[middle].t0;
  return apart(body_a, part_a, body_b, part_b, from, split, gap, unproved_at) &&
         apart(body_a, part_a, body_b, part_b, split, to, gap, unproved_at);
}

}  // namespace rigor::verify::filter
