// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "impact/resolver.h"

namespace rigor::atlas {

/// What varies along one side of a map.
struct Axis {
  enum class Spacing { kEven, kGeometric, kWhole };
  std::string name;  ///< With its unit, where it has one.
  double low = 0, high = 1;
  Spacing spacing = Spacing::kEven;

  /// `count` values from low to high, both included; whole ones each once. @pre count >= 1.
  std::vector<double> values(int count) const;
};

/// Velocity of a moving body of a scene [m/s, rad/s], of its centre of mass.
struct BodyVelocity {
  Eigen::Vector3d v{0, 0, 0}, w{0, 0, 0};
};

/// The speed at which engines are given the impacts, relative to the problem's: what is soft or slow in them moves
/// bodies by this part of what they would at full speed. Coulomb's friction and e = 0 know no scale of speed.
inline constexpr double kEngineSpeed = 0.01;

/// Impacts that differ in two numbers, without restitution.
struct Family {
  std::string name;   ///< Of the command line and of files.
  std::string title;  ///< What happens, one clause.
  Axis x, y;
  std::function<impact::ImpactProblem(double x, double y)> problem;
  /// The same as a scene file for other engines, at kEngineSpeed, and the velocities of the problem from those of its
  /// moving bodies, in their order; empty where engines cannot have the shapes.
  std::function<std::string(double x, double y)> scene = {};
  std::function<Eigen::VectorXd(const std::vector<BodyVelocity>& bodies)> velocities = {};
};

/// All of them: blocks, walls and walkers first, then several bodies.
const std::vector<Family>& families();

std::vector<Family> blockFamilies();
std::vector<Family> rowFamilies();

/// Cosine and sine of an angle [deg] to six decimals, so that exact sets are computed with short numbers.
double shortCosine(double degrees);
double shortSine(double degrees);

/// Contacts in the plane, or without friction (no tangent rows), e = 0. Rows of contact i: row i of both matrices.
impact::ImpactProblem planarImpact(Eigen::MatrixXd mass, Eigen::MatrixXd normal, const Eigen::MatrixXd& tangent,
                                   double friction, Eigen::VectorXd velocity);

}  // namespace rigor::atlas
