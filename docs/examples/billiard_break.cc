// SPDX-License-Identifier: MIT
// How much does the order of two simultaneous impacts matter? Seghete & Murphey's billiard break (their Sec. VII-A,
// Fig. 4 and 5): ball c, moving along the bisector of the angle theta, hits the resting balls a and b at once.
//
//   example_billiard_break FOLDER     prints a table, writes FOLDER/billiard-break.svg
//
// a and b are equal; c is 2.2 times as large, masses go with the volumes. The paper's radii are lost; with these, a and
// b touch at 0.64 rad ("close to pi/6") and xi begins near 11 %, as in its figure.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <cmath>
#include <numbers>

#include "impact/models/kinetic_angle.h"
#include "record/svg_plot.h"

using namespace rigor;

namespace {

constexpr double kRadiusRatio = 2.2;  // r_c / r_a

/// Velocities (a, b, c) in the plane; c along x with 1 m/s; m_a = m_b = 1 kg.
impact::ImpactProblem breakAt(double theta, double ratio) {
  const double mass = ratio * ratio * ratio;
  impact::ImpactProblem problem;
  problem.mass_matrix = Eigen::VectorXd((Eigen::VectorXd(6) << 1, 1, 1, 1, mass, mass).finished()).asDiagonal();
  problem.normal.setZero(2, 6);
  for (int i = 0; i < 2; ++i) {
    const Eigen::RowVector2d n(std::cos(theta / 2), (i == 0 ? 1 : -1) * std::sin(theta / 2));  // from c to a or b
    problem.normal.block<1, 2>(i, 2 * i) = n;
    problem.normal.block<1, 2>(i, 4) = -n;
  }
  problem.friction = {0, 0};
  problem.restitution = {1, 1};
  problem.velocity = Eigen::VectorXd::Unit(6, 4);
  return problem;
}

double touchingAngle(double ratio) { return 2 * std::asin(1 / (1 + ratio)); }

std::vector<record::PlotPoint> curve(double ratio) {
  std::vector<record::PlotPoint> points;
  const double first = touchingAngle(ratio);
  for (int k = 0; k <= 400; ++k) {
    const double theta = first + (std::numbers::pi - first) * k / 400;
    points.push_back({theta, 100 * impact::diagnoseKineticAngles(breakAt(theta, ratio)).indeterminacy});
  }
  return points;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} FOLDER\n", argv[0]);
    return 2;
  }
  constexpr double pi = std::numbers::pi;
  const auto resolver = impact::makeResolver("propagative");
  fmt::print("theta [rad]   <u, v>   unique   outcomes   xi [%]\n");
  bool good = true;
  for (const double theta : {touchingAngle(kRadiusRatio), pi / 4, pi / 3, pi / 2, 2 * pi / 3, 3 * pi / 4, 0.99 * pi}) {
    const impact::ImpactProblem problem = breakAt(theta, kRadiusRatio);
    const impact::KineticDiagnosis diagnosis = impact::diagnoseKineticAngles(problem);
    std::vector<impact::ImpactOutcome> outcomes;
    good = good && resolver->resolveAll(problem, {}, outcomes) == impact::ImpactStatus::kResolved;
    fmt::print("{:11.4f} {:8.4f}   {:6}   {:8}   {:6.3f}\n", theta, diagnosis.pairs[0].cosine,
               diagnosis.unique ? "yes" : "no", outcomes.size(), 100 * diagnosis.indeterminacy);
    // Eq. (31) over the lengths of the normals.
    good = good && std::abs(diagnosis.pairs[0].cosine - std::cos(theta) / (1 + std::pow(kRadiusRatio, 3))) < 1e-12;
    good = good && (diagnosis.indeterminacy < 1e-12) == (theta == pi / 2);
  }

  record::SvgPlot plot("Billiard break: indeterminacy of the outcome", "angle between the billiards θ [rad]",
                       "ξ = |p_ab − p_ba| / |p_0| [%]");
  plot.addLine(curve(kRadiusRatio), "r_c = 2.2 r_a", {.width = 2.4});
  plot.addLine(curve(3), "r_c = 3 r_a", {.colour = record::PlotColour::kVermillion, .dashed = true});
  plot.addMarkers({{pi / 2, 0}}, record::PlotMarker::kCircle, "orthogonal: unique",
                  {.colour = record::PlotColour::kBlack});
  plot.setXTicks({{pi / 4, "π/4"}, {pi / 2, "π/2"}, {3 * pi / 4, "3π/4"}, {pi, "π"}});
  plot.includeY(0);
  plot.write(std::string(argv[1]) + "/billiard-break.svg");
  if (!good) fmt::print(stderr, "the figures do not agree with the closed forms\n");
  return good ? 0 : 1;
}
