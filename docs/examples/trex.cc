// SPDX-License-Identifier: MIT
// Designing a robot whose impacts are predictable: Seghete & Murphey's TREX (their Sec. VII-B, Fig. 6-7, Table I), a
// planar runner with a two-part body, two legs with knees, and a tail. When tail and foot hit the floor at once, the
// outcome does not depend on their order if the two contact normals are orthogonal in the kinetic metric. From the
// paper's initial parameters, Newton's method with steps of least length finds a nearby pose and lengths where they
// are.
//
//   example_trex FOLDER     prints both designs, writes FOLDER/trex-design.svg and FOLDER/trex-angle.svg
//
// The model, from Table I and the text: q = (x, y, theta, phi_L, gamma_L, phi_R, gamma_R, phi_T). The anterior ball
// (radius r1) has its centre at (x, y); the posterior one (r2) sits r1 + r2 from it in the direction theta and bends
// about its own centre by phi_T; the tail is a rod from there in the direction theta + phi_T. Legs start at (x, y):
// thigh l_u in the direction theta + phi, shank l_l in theta + phi + gamma. Balls of density 1 g/cm^3, rods of 2 g/cm^3
// x 1.25 cm^2. The printed formula of the tail's length contradicts Table I; L = r2 (r1 + r2) / (r1 - r2), the apex of
// the cone that touches both balls, puts the tail on the floor in both columns to 0.02 cm. With these directions it is
// the leg that the table calls L that stands on the floor (initial pose: to 0.13 cm, the rounding of the printed
// angles).
#include <fmt/format.h>

#include <Eigen/Core>
#include <array>
#include <cmath>
#include <numbers>
#include <vector>

#include "impact/models/kinetic_angle.h"
#include "impact/problem/matrix_factors.h"
#include "record/svg_plot.h"

using namespace rigor;

namespace {

constexpr double kBodyDensity = 1000;            // [kg/m^3]
constexpr double kLimbDensity = 2000 * 1.25e-4;  // [kg/m]
constexpr double kDrop = 0.17;                   // the paper lifts the robot by this [m]

// What the design may change; x does not matter.
enum Parameter { kY, kTheta, kPhiL, kGammaL, kPhiR, kGammaR, kPhiT, kR1, kR2, kUpper, kLower, kParameters };
constexpr std::array<const char*, kParameters> kNames = {"y [m]",       "theta [rad]",   "phi_L [rad]", "gamma_L [rad]",
                                                         "phi_R [rad]", "gamma_R [rad]", "phi_T [rad]", "r1 [m]",
                                                         "r2 [m]",      "l_u [m]",       "l_l [m]"};
using Design = Eigen::Matrix<double, kParameters, 1>;

const Design kInitial = (Design() << .1238, 5.78, 5.13, 5.24, 1.99, 5.24, 0, .07, .04, .08, .10).finished();

constexpr int kVelocities = 8;  // x, y, theta, phi_L, gamma_L, phi_R, gamma_R, phi_T
using Row = Eigen::Matrix<double, 1, kVelocities>;
using Jacobian = Eigen::Matrix<double, 2, kVelocities>;

/// A point reached from (x, y) by segments whose directions are sums of coordinates.
struct Place {
  Eigen::Vector2d point;
  Jacobian J = Jacobian::Zero();
  Row turn = Row::Zero();  // of the last segment's direction
  Place(double y) : point(0, y) { J.leftCols<2>().setIdentity(); }
  Place& go(double length, double direction, std::initializer_list<int> coordinates) {
    const Eigen::Vector2d e(std::cos(direction), std::sin(direction)), across(-e.y(), e.x());
    point += length * e;
    turn.setZero();
    for (const int c : coordinates) J.col(c) += length * across, turn[c] = 1;
    return *this;
  }
};

struct Robot {
  Eigen::Matrix<double, kVelocities, kVelocities> M = decltype(M)::Zero();
  Place tail{0}, foot{0};
  std::vector<Eigen::Vector2d> outline[3];  // left leg, right leg, tail
};

void addMass(Robot& robot, const Place& centre, double mass, double inertia) {
  robot.M += mass * centre.J.transpose() * centre.J + inertia * centre.turn.transpose() * centre.turn;
}

Robot build(const Design& d) {
  Robot robot;
  const double theta = d[kTheta];
  const auto ball = [](double r) { return kBodyDensity * 4 / 3 * std::numbers::pi * r * r * r; };
  const auto rod = [&](Place from, double length, double direction, std::initializer_list<int> coordinates) {
    const double mass = kLimbDensity * length;
    addMass(robot, Place(from).go(length / 2, direction, coordinates), mass, mass * length * length / 12);
    return from.go(length, direction, coordinates);
  };
  Place front(d[kY]);
  front.turn[2] = 1;
  addMass(robot, front, ball(d[kR1]), 0.4 * ball(d[kR1]) * d[kR1] * d[kR1]);
  Place rear(d[kY]);
  rear.go(d[kR1] + d[kR2], theta, {2});
  Place bent = rear;
  bent.turn[7] = 1;
  addMass(robot, bent, ball(d[kR2]), 0.4 * ball(d[kR2]) * d[kR2] * d[kR2]);
  const double length = d[kR2] * (d[kR1] + d[kR2]) / (d[kR1] - d[kR2]);
  robot.tail = rod(rear, length, theta + d[kPhiT], {2, 7});
  robot.outline[2] = {rear.point, robot.tail.point};
  for (const bool left : {true, false}) {
    const int phi = left ? 3 : 5;
    const double thigh = theta + d[left ? kPhiL : kPhiR], shank = thigh + d[left ? kGammaL : kGammaR];
    const Place hip(d[kY]), knee = rod(hip, d[kUpper], thigh, {2, phi});
    const Place foot = rod(knee, d[kLower], shank, {2, phi, phi + 1});
    robot.outline[left ? 0 : 1] = {hip.point, knee.point, foot.point};
    if (left) robot.foot = foot;
  }
  return robot;
}

/// Tail and left foot hit a frictionless floor after the drop.
impact::ImpactProblem landing(const Robot& robot) {
  impact::ImpactProblem problem;
  problem.mass_matrix = robot.M;
  problem.normal.resize(2, kVelocities);
  problem.normal << robot.tail.J.row(1), robot.foot.J.row(1);
  problem.friction = {0, 0};
  problem.restitution = {1, 1};
  problem.velocity = Eigen::VectorXd::Zero(kVelocities);
  problem.velocity[1] = -std::sqrt(2 * 9.81 * kDrop);
  return problem;
}

/// Height of the tail, height of the foot, cosine of the kinetic angle: a design wants all zero.
Eigen::Vector3d defects(const Design& d) {
  const Robot robot = build(d);
  return {robot.tail.point.y(), robot.foot.point.y(), impact::diagnoseKineticAngles(landing(robot)).pairs[0].cosine};
}

/// Newton's method on the first `equations` defects, moving only `free` parameters, by steps of least scaled length.
bool solve(Design& d, int equations, const std::vector<int>& free, const Design& scale) {
  for (int k = 0; k < 50; ++k) {
    const Eigen::VectorXd f = defects(d).head(equations);
    if (f.cwiseAbs().maxCoeff() < 1e-14) return true;
    Eigen::MatrixXd J(equations, free.size());
    for (std::size_t j = 0; j < free.size(); ++j) {
      const double step = 1e-6 * scale[free[j]];
      Design up = d, down = d;
      up[free[j]] += step, down[free[j]] -= step;
      J.col(static_cast<int>(j)) = (defects(up) - defects(down)).head(equations) / (2e-6);
    }
    impact::LeastNorm factor;
    Eigen::VectorXd change;
    factor.factor(J);
    factor.solve(-f, change);
    for (std::size_t j = 0; j < free.size(); ++j) d[free[j]] += scale[free[j]] * change[static_cast<int>(j)];
  }
  return defects(d).head(equations).cwiseAbs().maxCoeff() < 1e-12;
}

record::PlotPoint at(const Eigen::Vector2d& p, double shift) { return {p.x() + shift, p.y()}; }

void sketch(record::SvgPlot& plot, const Design& d, double shift, const char* name) {
  const Robot robot = build(d);
  const Eigen::Vector2d front(0, d[kY]);
  const Eigen::Vector2d rear = front + (d[kR1] + d[kR2]) * Eigen::Vector2d(std::cos(d[kTheta]), std::sin(d[kTheta]));
  for (const auto& [centre, radius] : {std::pair{front, d[kR1]}, std::pair{rear, d[kR2]}}) {
    std::vector<record::PlotPoint> circle;
    for (int k = 0; k < 64; ++k) {
      const double a = 2 * std::numbers::pi * k / 64;
      circle.push_back(at(centre + radius * Eigen::Vector2d(std::cos(a), std::sin(a)), shift));
    }
    plot.addArea(circle, "", {.colour = record::PlotColour::kSky});
  }
  const record::PlotColour colours[] = {record::PlotColour::kBlue, record::PlotColour::kGreen,
                                        record::PlotColour::kVermillion};
  const char* labels[] = {"leg L (on the floor)", "leg R", "tail"};
  for (int i = 0; i < 3; ++i) {
    std::vector<record::PlotPoint> line;
    for (const Eigen::Vector2d& p : robot.outline[i]) line.push_back(at(p, shift));
    plot.addLine(line, shift == 0 ? labels[i] : "", {.colour = colours[i], .width = 3});
  }
  plot.addMarkers({at(robot.tail.point, shift), at(robot.foot.point, shift)}, record::PlotMarker::kCircle,
                  shift == 0 ? "contacts" : "", {.colour = record::PlotColour::kBlack, .size = 4});
  plot.addText({shift - 0.06, 0.24}, name);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: {} FOLDER\n", argv[0]);
    return 2;
  }
  const std::string folder = argv[1];
  // One radian is as long a way as one body radius.
  Design scale = Design::Ones();
  for (const int p : {kY, kR1, kR2, kUpper, kLower}) scale[p] = 0.07;
  const std::vector<int> pose = {kY, kTheta};
  std::vector<int> all(kParameters);
  for (int p = 0; p < kParameters; ++p) all[p] = p;

  // The printed angles are rounded: first both contacts onto the floor, then everything towards orthogonality.
  Design initial = kInitial, optimised;
  bool good = solve(initial, 2, pose, scale);
  optimised = initial;
  good = solve(optimised, 3, all, scale) && good;
  fmt::print("{:14} {:>10} {:>10} {:>10}\n", "", "Table I", "initial", "optimised");
  for (int p = 0; p < kParameters; ++p) {
    fmt::print("{:14} {:10.5f} {:10.5f} {:10.5f}\n", kNames[p], kInitial[p], initial[p], optimised[p]);
  }
  const auto diagnose = [](const Design& d) { return impact::diagnoseKineticAngles(landing(build(d))); };
  const double xi_initial = diagnose(initial).indeterminacy, xi_optimised = diagnose(optimised).indeterminacy;
  fmt::print("{:14} {:>10} {:10.2e} {:10.2e}\n", "<u, v>", "", defects(initial)[2], defects(optimised)[2]);
  fmt::print("{:14} {:>10} {:10.2e} {:10.2e}\n", "xi [%]", "", 100 * xi_initial, 100 * xi_optimised);
  // Orthogonal contacts have one outcome; what the paper asks of an optimum is five orders of magnitude.
  good = good && diagnose(optimised).unique && xi_optimised < 1e-5 * xi_initial;
  std::vector<impact::ImpactOutcome> outcomes;
  good = impact::makeResolver("propagative")->resolveAll(landing(build(optimised)), {}, outcomes) ==
             impact::ImpactStatus::kResolved &&
         outcomes.size() == 1 && good;

  record::SvgPlot design("TREX with tail and foot on the floor", "x [m]", "y [m]");
  sketch(design, initial, 0, "initial");
  sketch(design, optimised, 0.45, "optimised");
  design.addLine({{-0.15, 0}, {0.8, 0}}, "floor", {.colour = record::PlotColour::kGrey});
  design.setEqualScales();
  design.setFrame(640, 270);
  design.write(folder + "/trex-design.svg");

  // The initial robot with other hip angles, body lowered and tilted so that both contacts stay.
  std::vector<record::PlotPoint> xi;
  const double zero = initial[kPhiL];
  for (int direction : {-1, 1}) {
    Design d = initial;
    std::vector<record::PlotPoint> half;
    for (int k = direction > 0 ? 0 : 1; k <= 100; ++k) {
      d[kPhiL] = zero + 0.005 * direction * k;
      if (!solve(d, 2, pose, scale)) break;
      half.push_back({d[kPhiL], 100 * diagnose(d).indeterminacy});
    }
    direction < 0 ? xi.assign(half.rbegin(), half.rend()) : (void)xi.insert(xi.end(), half.begin(), half.end());
  }
  record::SvgPlot angle("TREX: indeterminacy of the landing", "hip angle φ_L [rad], both contacts kept", "ξ [%]");
  angle.addLine(xi, "initial lengths", {.width = 2.4});
  angle.addMarkers({{zero, 100 * xi_initial}}, record::PlotMarker::kSquare, "initial",
                   {.colour = record::PlotColour::kVermillion});
  angle.addMarkers({{optimised[kPhiL], 100 * xi_optimised}}, record::PlotMarker::kCircle, "optimised",
                   {.colour = record::PlotColour::kBlack});
  angle.includeY(0);
  angle.write(folder + "/trex-angle.svg");
  if (!good) fmt::print(stderr, "no design with orthogonal contacts was found\n");
  return good ? 0 : 1;
}
