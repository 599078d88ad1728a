// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Dense>
#include <cmath>

#include "impact/resolver.h"

/// The planar examples of Halm and Posa with their published parameters.
namespace rigor::impact::test {

/// What "to nine digits" means of the published outcomes, whose entries are of order one.
inline constexpr double kNineDigits = 1e-9;

inline ImpactProblem planarProblem(const Eigen::MatrixXd& M, const Eigen::MatrixXd& normal,
                                   const Eigen::MatrixXd& tangent, double mu, const Eigen::VectorXd& v) {
  ImpactProblem problem;
  problem.mass_matrix = M;
  problem.normal = normal;
  for (int i = 0; i < normal.rows(); ++i) problem.tangent.push_back(tangent.row(i));
  problem.friction.assign(normal.rows(), mu);
  problem.restitution.assign(normal.rows(), 0.0);
  problem.velocity = v;
  return problem;
}

/// q = (x, y, theta); corners A (left) and B (right). Published h = 0.3 N s, N = 10.
inline ImpactProblem rockingBlock() {
  return planarProblem(Eigen::Vector3d(1, 1, 5.0 / 12).asDiagonal(),
                       (Eigen::MatrixXd(2, 3) << 0, 1, -.5, 0, 1, .5).finished(),
                       (Eigen::MatrixXd(2, 3) << 1, 0, 1, 1, 0, 1).finished(), 1,
                       Eigen::Vector3d(0, -std::sqrt(2 * 9.81 * 0.01), 0));
}

/// Published h = 2 N s, N = 5.
inline ImpactProblem boxAndWall() {
  return planarProblem(Eigen::Vector3d(1, 1, 1.0 / 6).asDiagonal(),
                       (Eigen::MatrixXd(2, 3) << 0, 1, .405579787673, -1, 0, .405579787673).finished(),
                       (Eigen::MatrixXd(2, 3) << 1, 0, .57922796534, 0, -1, -.57922796534).finished(), 1,
                       Eigen::Vector3d(1, 0, 0));
}

/// q = (x, y, theta_lead, theta_trail). Published h = 0.25 N s, N = 5.
inline ImpactProblem compassGait() {
  Eigen::MatrixXd M(4, 4);
  M << 2, 0, .103955845409, .103955845409, 0, 2, -.489073800367, .489073800367, .103955845409, -.489073800367, .25, 0,
      .103955845409, .489073800367, 0, .25;
  return planarProblem(M, (Eigen::MatrixXd(2, 4) << 0, 1, -.978147600734, 0, 0, 1, 0, .978147600734).finished(),
                       (Eigen::MatrixXd(2, 4) << 1, 0, .207911690818, 0, 1, 0, 0, .207911690818).finished(), 5,
                       Eigen::Vector4d(-.0519779227044, -.244536900183, .25, .25));
}

/// Five links, q = (x, y, theta, aL, bL, aT, bT). Published h = 1 N s, N = 10.
inline ImpactProblem ramOne() {
  Eigen::MatrixXd M(7, 7);
  M << 10.5, 0, .551727486732, .116070307077, .0471231020965, .0919128377164, .0837304039531,  //
      0, 10.5, .0413009748089, -.164760558285, -.0698628718836, .107494429162, -.00951982525427,  //
      .551727486732, .0413009748089, .298862861224, .0861470863354, .0408732009918, .0581319143616, .0304329115776,  //
      .116070307077, -.164760558285, .0861470863354, .0770385392297, .0372880316816, 0, 0,  //
      .0471231020965, -.0698628718836, .0408732009918, .0372880316816, .0204443286647, 0, 0,  //
      .0919128377164, .107494429162, .0581319143616, 0, 0, .0418887741106, .0197131491221,  //
      .0837304039531, -.00951982525427, .0304329115776, 0, 0, .0197131491221, .0204443286647;
  Eigen::MatrixXd normal(2, 7), tangent(2, 7);
  normal << 0, 1, -.321580486967, -.359528859929, -.197725461054, 0, 0, 0, 1, .210518233393, 0, 0, .172569860431,
      -.0269429496213;
  tangent << 1, 0, .411416261925, .279074557936, .161517507478, 0, 0, 1, 0, .411416261925, 0, 0, .279074557936,
      .265123263187;
  Eigen::VectorXd v(7);
  v << -.411416261924576, -.210518233392786, 1, 0, 0, 0, 0;
  return planarProblem(M, normal, tangent, 1e5, v);
}

/// Three disks, two on the floor and touching, the third falling on both. Published h = 1 N s, N = 10.
inline ImpactProblem diskStack() {
  const double m = 5, R = 1, s3 = std::sqrt(3.0);
  Eigen::VectorXd diagonal(9), v = Eigen::VectorXd::Zero(9);
  for (int d = 0; d < 3; ++d) diagonal.segment<3>(3 * d) << m, m, m * R * R / 2;
  // Bodies: 0 top, 1 left, 2 right; -1 the floor.
  const Eigen::Vector2d centre[3] = {{1, 1 + s3}, {0, 1}, {2, 1}};
  const int pairs[5][2] = {{-1, 1}, {-1, 2}, {0, 1}, {0, 2}, {1, 2}};
  Eigen::MatrixXd normal = Eigen::MatrixXd::Zero(5, 9), tangent = normal;
  for (int c = 0; c < 5; ++c) {
    const int first = pairs[c][0], second = pairs[c][1];
    const Eigen::Vector2d n =
        first < 0 ? Eigen::Vector2d(0, 1) : Eigen::Vector2d((centre[second] - centre[first]).normalized());
    const Eigen::Vector2d t(n.y(), -n.x());
    for (const auto& [body, sign] : {std::pair{second, 1.0}, std::pair{first, -1.0}}) {
      if (body < 0) continue;
      const Eigen::Vector2d r = -sign * R * n;  // from the centre to the contact
      normal.block<1, 2>(c, 3 * body) = sign * n.transpose();
      tangent.block<1, 2>(c, 3 * body) = sign * t.transpose();
      tangent(c, 3 * body + 2) = sign * (r.x() * t.y() - r.y() * t.x());
    }
  }
  v[1] = -1;
  return planarProblem(diagonal.asDiagonal(), normal, tangent, s3, v);
}

/// A planar problem in space: one velocity more, along which every contact may slip.
inline ImpactProblem inSpace(const ImpactProblem& planar) {
  ImpactProblem problem = planar;
  const int n = planar.numVelocities();
  problem.mass_matrix = Eigen::MatrixXd::Identity(n + 1, n + 1) * 2;
  problem.mass_matrix.topLeftCorner(n, n) = planar.mass_matrix;
  problem.normal.conservativeResize(Eigen::NoChange, n + 1);
  problem.normal.col(n).setZero();
  for (Eigen::MatrixXd& T : problem.tangent) {
    Eigen::MatrixXd both = Eigen::MatrixXd::Zero(2, n + 1);
    both.row(0).head(n) = T.row(0);
    both(1, n) = 1;
    T = both;
  }
  problem.velocity.conservativeResize(n + 1);
  problem.velocity[n] = 0.1;
  return problem;
}

}  // namespace rigor::impact::test
