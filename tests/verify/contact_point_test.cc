// SPDX-License-Identifier: MIT
// Proves: what acts between two edges acts where the checker says, also where their lines cross beyond an end of either
// edge. Oracle: the kernel's point, in rationals.
#include <gtest/gtest.h>

#include <random>

#include "advance/feature_point.h"
#include "verify/kernel/contact_point.h"

namespace rigor::verify {
namespace {

using Eigen::Vector3d;

constexpr double kRounding = 1e-12;  // Of edges of length one whose directions differ by more than a tenth [m].

kernel::Body edge(const Vector3d& from, const Vector3d& to) {
  kernel::Body body;
  body.parts.resize(1);
  for (const Vector3d& x : {from, to}) body.parts[0].vertices.push_back({x.x(), x.y(), x.z()});
  return body;
}

TEST(ContactPoint, EdgesActWhereTheCheckerSays) {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> anywhere(-1, 1);
  const auto draw = [&] { return Vector3d(anywhere(random), anywhere(random), anywhere(random)); };
  kernel::Piece still{};
  still.t1 = 1;
  still.q[0][0] = 1;
  const kernel::Instant here = kernel::instantOf(still, 0);
  const Eigen::Matrix3d R = Eigen::Matrix3d::Identity();
  advance::SeparatingAxis feature{};
  feature.kind = advance::AxisKind::kEdges;
  feature.a0 = feature.b0 = 0, feature.a1 = feature.b1 = 1;
  const kernel::Facing facing{.body_a = 0, .part_a = 0, .body_b = 1, .part_b = 0, .kind = 2, .a1 = 1, .b1 = 1};
  int beyond_a = 0, beyond_b = 0;
  for (int i = 0; i < 1000; ++i) {
    const Vector3d ends[2][2] = {{draw(), draw()}, {draw(), draw()}};
    const Vector3d a = ends[0][1] - ends[0][0], b = ends[1][1] - ends[1][0], cross = a.cross(b),
                   apart = ends[1][0] - ends[0][0];
    if (!(cross.norm() > 0.1 * a.norm() * b.norm())) continue;
    const auto isBeyond = [](double s) { return s < 0 || s > 1; };
    beyond_a += isBeyond(advance::nearestOnLine(apart, b, cross));
    beyond_b += isBeyond(advance::nearestOnLine(apart, a, cross));
    const auto vertex = [&](int side, int index) { return ends[side][index]; };
    const auto reach = [](int, int, const Vector3d&) { return Vector3d(0, 0, 0); };
    const Vector3d acts = advance::placeFeature(feature, R, R, vertex, reach).point;
    const kernel::ContactPoint proved =
        kernel::contactPoint(facing, edge(ends[0][0], ends[0][1]), here, edge(ends[1][0], ends[1][1]), here);
    const Vector3d x(proved.x[0].get_d(), proved.x[1].get_d(), proved.x[2].get_d());
    EXPECT_LT((acts - x).norm(), kRounding) << i;
  }
  EXPECT_GT(beyond_a, 100);
  EXPECT_GT(beyond_b, 100);
}

}  // namespace
}  // namespace rigor::verify
