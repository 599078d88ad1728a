// SPDX-License-Identifier: MIT
#include "atlas/family.h"

#include <cmath>
#include <numbers>

namespace rigor::atlas {
namespace {

constexpr double kDegree = std::numbers::pi / 180;  // rad
constexpr double kDecimals = 1e6;

double shortened(double value) { return std::round(value * kDecimals) / kDecimals; }

}  // namespace

double shortCosine(double degrees) { return shortened(std::cos(degrees * kDegree)); }
double shortSine(double degrees) { return shortened(std::sin(degrees * kDegree)); }

std::vector<double> Axis::values(int count) const {
  std::vector<double> all;
  for (int k = 0; k < count; ++k) {
    const double part = count > 1 ? k / (count - 1.0) : 0;
    const bool geometric = spacing == Spacing::kGeometric;
    double value = shortened(geometric ? low * std::pow(high / low, part) : low + part * (high - low));
    if (spacing == Spacing::kWhole) value = std::round(value);
    if (all.empty() || value != all.back()) all.push_back(value);
  }
  return all;
}

impact::ImpactProblem planarImpact(Eigen::MatrixXd mass, Eigen::MatrixXd normal, const Eigen::MatrixXd& tangent,
                                   double friction, Eigen::VectorXd velocity) {
  impact::ImpactProblem problem;
  const auto contacts = static_cast<std::size_t>(normal.rows());
  for (Eigen::Index i = 0; i < normal.rows(); ++i) {
    problem.tangent.push_back(friction > 0 ? Eigen::MatrixXd(tangent.row(i)) : Eigen::MatrixXd(0, normal.cols()));
  }
  problem.mass_matrix = std::move(mass);
  problem.normal = std::move(normal);
  problem.friction.assign(contacts, friction);
  problem.restitution.assign(contacts, 0.0);
  problem.velocity = std::move(velocity);
  return problem;
}

const std::vector<Family>& families() {
  static const std::vector<Family> all = [] {
    std::vector<Family> list = blockFamilies();
    for (Family& family : rowFamilies()) list.push_back(std::move(family));
    return list;
  }();
  return all;
}

}  // namespace rigor::atlas
