// SPDX-License-Identifier: MIT
#include "record/reach.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "formats/csv.h"
#include "record/export.h"
#include "record/leaves.h"

namespace rigor::record {
namespace {

// Roundings of a polynomial's parts: six affine combinations of control points, each within 4 units of its largest
// entry.
constexpr double kPartRounding = 24 * std::numeric_limits<double>::epsilon();

using Points = Eigen::Vector3d[advance::MotionPiece::kMaxDegree + 1];

/// Bounds of the part of a piece's position between u0 and u1, by the control points of that part.
void extend(const advance::MotionPiece& piece, double u0, double u1, Eigen::AlignedBox3d& box) {
  const int degree = piece.p_degree;
  double largest = 0;
  for (int i = 0; i <= degree; ++i) largest = std::max(largest, piece.p[i].cwiseAbs().maxCoeff());
  const Eigen::Vector3d slack = Eigen::Vector3d::Constant(kPartRounding * largest + std::numeric_limits<double>::min());
  // Control point k of the part: the blossom at (degree - k) times u0 and k times u1.
  for (int k = 0; k <= degree; ++k) {
    Points p;
    std::copy(piece.p, piece.p + degree + 1, p);
    for (int level = 0; level < degree; ++level) {
      const double u = level < degree - k ? u0 : u1;
      for (int i = 0; i < degree - level; ++i) p[i] = (1 - u) * p[i] + u * p[i + 1];
    }
    box.extend(p[0] - slack), box.extend(p[0] + slack);
  }
}

double radiusOf(const BodyRow& body) {
  double radius = 0;
  for (const PartRow& part : body.parts) {
    for (const Eigen::Vector3d& vertex : part.vertices) radius = std::max(radius, (vertex - body.centre).norm());
  }
  return radius * (1 + 8 * std::numeric_limits<double>::epsilon());
}

/// Adds a piece to every window that it overlaps.
void add(const sim::PieceRecord& record, double length, int bodies, std::vector<Reach>& all) {
  const advance::MotionPiece& piece = record.piece;
  const int windows = static_cast<int>(all.size()) / bodies;
  // One window more on each side, for the rounding of the division.
  const int first = std::clamp(static_cast<int>(piece.t0 / length) - 1, 0, windows - 1);
  const int last = std::clamp(static_cast<int>(piece.t1 / length) + 1, 0, windows - 1);
  // Outward by the rounding of u, a quotient of differences of times.
  const double margin = 8 * std::numeric_limits<double>::epsilon() *
                        (1 + std::max(std::abs(piece.t0), std::abs(piece.t1)) / (piece.t1 - piece.t0));
  for (int w = first; w <= last; ++w) {
    Reach& reach = all[static_cast<size_t>(w) * static_cast<size_t>(bodies) + static_cast<size_t>(record.body)];
    if (piece.t1 < reach.t0 || piece.t0 > reach.t1) continue;
    const double u0 = std::max(0.0, (reach.t0 - piece.t0) / (piece.t1 - piece.t0) - margin);
    const double u1 = std::min(1.0, (reach.t1 - piece.t0) / (piece.t1 - piece.t0) + margin);
    extend(piece, u0, u1, reach.centre);
  }
}

}  // namespace

std::vector<Reach> reachOf(Reader& reader, int windows) {
  double end = 0;
  const std::vector<BranchRow> branches = reader.branches();
  for (const BranchRow& branch : branches) end = std::max(end, branch.end_time);
  const int bodies = static_cast<int>(reader.bodies().size());
  if (!(end > 0) || windows < 1 || bodies == 0) return {};
  const std::vector<Leaf> leaves = leavesOf(reader);
  const auto at = [&](int k) { return k == windows ? end : end * k / windows; };
  std::vector<Reach> all;
  for (int w = 0; w < windows; ++w) {
    const long lasting =
        std::count_if(leaves.begin(), leaves.end(), [&](const Leaf& leaf) { return leaf.end_time >= at(w + 1); });
    for (int b = 0; b < bodies; ++b) {
      all.push_back({at(w), at(w + 1), b, {}, radiusOf(reader.bodies()[static_cast<size_t>(b)]), lasting});
    }
  }
  for (const BranchRow& branch : branches) {
    reader.forEachPiece(branch.id, -INFINITY, INFINITY, [&](const sim::PieceRecord& piece) {
      if (piece.piece.t1 > piece.piece.t0) add(piece, end / windows, bodies, all);
    });
  }
  std::erase_if(all, [&](const Reach& reach) {
    return reader.bodies()[static_cast<size_t>(reach.body)].fixed || reach.centre.isEmpty();
  });
  return all;
}

void writeReach(Reader& reader, const std::string& path, int windows) {
  formats::CsvFile file(path, "t0,t1,body,x_min,x_max,y_min,y_max,z_min,z_max,radius,leaves");
  for (const Reach& reach : reachOf(reader, windows)) {
    file.add(reach.t0).add(reach.t1).add(bodyName(reader, reach.body));
    for (int k = 0; k < 3; ++k) file.add(reach.centre.min()[k]).add(reach.centre.max()[k]);
    file.add(reach.radius).add(std::to_string(reach.leaves)).end();
  }
  file.close();
}

}  // namespace rigor::record
