// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cmath>
#include <random>
#include <vector>

#include "geom/pose.h"

/// Point sets of every kind that a hull must survive, from a seed.
namespace rigor::geom::testing_solids {

/// Error that distances and depths promise, of size plus distance of the origins.
inline constexpr double kPromise = 1e-14;

struct Source {
  explicit Source(unsigned seed) : engine(seed) {}
  double normal() { return std::normal_distribution<double>()(engine); }
  int below(int n) { return std::uniform_int_distribution<int>(0, n - 1)(engine); }
  Eigen::Vector3d vector() {
    const double x = normal(), y = normal(), z = normal();
    return {x, y, z};
  }
  Pose pose() {
    Pose X;
    for (int k = 0; k < 4; ++k) X.q[k] = normal();
    X.p = vector();
    return X;
  }
  std::mt19937 engine;
};

inline constexpr int kKinds = 8;
inline constexpr const char* kKindNames[kKinds] = {"ball",       "grid",  "plate",      "needle",
                                                   "grid plate", "prism", "duplicates", "tetrahedron"};

/// About unit size, centred near the origin, axes unrotated.
inline std::vector<Eigen::Vector3d> points(int kind, Source& source) {
  std::vector<Eigen::Vector3d> result;
  const int n = 8 + source.below(60);
  const auto grid = [&](double h) { return Eigen::Vector3d(source.below(4), source.below(4), h * source.below(4)); };
  switch (kind) {
    case 0:
      for (int i = 0; i < n; ++i) result.push_back(source.vector().normalized());
      break;
    case 1:
    case 4:
      // The corners of a box and points of a grid in it: most are coplanar or collinear with others.
      for (int i = 0; i < 8; ++i)
        result.emplace_back(3 * (i & 1), 3 * (i >> 1 & 1), (kind == 4 ? 1e-4 : 1) * 3 * (i >> 2));
      for (int i = 0; i < n; ++i) result.push_back(grid(kind == 4 ? 1e-4 : 1));
      break;
    case 2:
      for (int i = 0; i < n; ++i) result.push_back(source.vector().cwiseProduct(Eigen::Vector3d(1, 1, 1e-4)));
      break;
    case 3:
      for (int i = 0; i < n; ++i) result.push_back(source.vector().cwiseProduct(Eigen::Vector3d(1, 1e-4, 1e-4)));
      break;
    case 5:
      for (int i = 0; i < n; ++i) {
        const double angle = 2 * M_PI * i / n;
        for (double z : {-0.5, 0.5}) result.emplace_back(std::cos(angle), std::sin(angle), z);
      }
      break;
    case 6:
      for (int i = 0; i < n; ++i) result.push_back(source.vector());
      for (int i = 0; i < n; ++i) result.push_back(result[source.below(n)]);
      break;
    default:
      for (int i = 0; i < 4; ++i) result.push_back(source.vector());
  }
  return result;
}

/// The same, turned, scaled and moved.
inline std::vector<Eigen::Vector3d> placed(std::vector<Eigen::Vector3d> set, const Pose& X, double scale) {
  for (Eigen::Vector3d& p : set) p = X * (scale * p);
  return set;
}

}  // namespace rigor::geom::testing_solids
