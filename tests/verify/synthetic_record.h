// SPDX-License-Identifier: MIT
#pragma once

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <string>
#include <vector>

#include "record/writer.h"
#include "tests/temporary_folder.h"

/// Runs made by hand, without the simulator: bodies on exact parabolas with cubic quaternions, witnesses whose gaps
/// come from sampling the motion and keeping clear of the smallest sample.
namespace rigor::synthetic {

/// In a folder of this process, which is removed at its end.
inline std::string temporaryPath(const std::string& name) {
  static const TemporaryFolder folder;
  return (folder / (name + ".rigor")).string();
}

inline Eigen::Vector4d multiply(const Eigen::Vector4d& a, const Eigen::Vector4d& b) {
  const Eigen::Vector3d u = a.tail<3>(), v = b.tail<3>(), s = a[0] * v + b[0] * u + u.cross(v);
  return {a[0] * b[0] - u.dot(v), s[0], s[1], s[2]};
}

/// A cube in free flight: constant angular velocity, so the exact orientation is known.
struct Flight {
  int body;
  Eigen::Vector3d p, v, w, gravity{0, 0, -9.81};
  Eigen::Vector4d q{1, 0, 0, 0};
  double t = 0;
  int p_degree = 2;

  sim::PieceRecord step(double h, long number) {
    sim::PieceRecord record;
    advance::MotionPiece& m = record.piece;
    record.body = body;
    record.step = number;
    m.t0 = t;
    m.t1 = t + h;
    h = m.t1 - m.t0;
    m.p_degree = p_degree;
    m.q_degree = 3;
    const Eigen::Vector3d end = p + h * v + h * h / 2 * gravity;
    m.p[0] = p;
    if (p_degree == 2) {
      m.p[1] = p + h / 2 * v;
    } else {
      m.p[1] = p + h / 3 * v;
      m.p[2] = end - h / 3 * (v + h * gravity);
    }
    m.p[p_degree] = end;
    const double angle = w.norm() * h;
    Eigen::Vector4d turn{std::cos(angle / 2), 0, 0, 0};
    if (angle > 0) turn.tail<3>() = std::sin(angle / 2) * w.normalized();
    const Eigen::Vector4d rate{0, w[0] / 2, w[1] / 2, w[2] / 2}, q_end = multiply(turn, q);
    m.q[0] = q;
    m.q[1] = q + h / 3 * multiply(rate, q);
    m.q[2] = q_end - h / 3 * multiply(rate, q_end);
    m.q[3] = q_end;
    m.velocityAt(m.t0, record.v_start, record.w_start);
    m.velocityAt(m.t1, record.v_end, record.w_end);
    p = end;
    q = q_end;
    v += h * gravity;
    t = m.t1;
    return record;
  }
};

/// Smallest n.(y - x)/|n| and n.(y - x), smallest |a.b| of edges, over samples of the two motions on [from, to].
struct Sampled {
  double gap = INFINITY, product = INFINITY, cosine = INFINITY;
};

inline Sampled sample(const sim::Body& A, const advance::MotionPiece& a, const sim::Body& B,
                      const advance::MotionPiece& b, const advance::SeparatingAxis& axis, double from, double to) {
  Sampled result;
  for (int i = 0; i <= 40; ++i) {
    const double t = from + (to - from) * i / 40;
    const geom::Pose pa = a.at(t), pb = b.at(t);
    const Eigen::Matrix3d Ra = pa.rotation(), Rb = pb.rotation();
    const auto* plane = std::get_if<geom::HalfSpace>(&A.parts[0]);
    const auto& vb = std::get<geom::Polytope>(B.parts[0]).vertices();
    Eigen::Vector3d n;
    if (axis.kind == advance::AxisKind::kEdges) {
      const auto& va = std::get<geom::Polytope>(A.parts[0]).vertices();
      const Eigen::Vector3d ea = Ra * (va.col(axis.a1) - va.col(axis.a0)),
                            eb = Rb * (vb.col(axis.b1) - vb.col(axis.b0));
      n = ea.cross(eb);
      result.cosine = std::min(result.cosine, std::abs(ea.dot(eb)));
    } else {
      n = (axis.kind == advance::AxisKind::kFixedInA ? Ra : Rb) * axis.axis;
    }
    double low = INFINITY, high = -INFINITY;
    for (int v = 0; v < vb.cols(); ++v) low = std::min(low, n.dot(pb.p + Rb * (vb.col(v) - B.centre)));
    if (plane) {
      high = n.dot(pa.p - Ra * A.centre) + plane->offset;
    } else {
      const auto& va = std::get<geom::Polytope>(A.parts[0]).vertices();
      for (int v = 0; v < va.cols(); ++v) high = std::max(high, n.dot(pa.p + Ra * (va.col(v) - A.centre)));
    }
    result.gap = std::min(result.gap, (low - high) / n.norm());
    result.product = std::min(result.product, low - high);
  }
  return result;
}

inline sim::Body fixedPlane(const std::string& name) {
  sim::Body body;
  body.name = name;
  body.fixed = true;
  body.parts.push_back(geom::HalfSpace{{0, 0, 1}, 0});
  return body;
}

inline sim::Body cube(const std::string& name, double size) {
  sim::Body body;
  body.name = name;
  body.mass = 1;
  body.inertia = Eigen::Matrix3d::Identity() * size * size / 6;
  body.parts.push_back(geom::Polytope::box({size, size, size}));
  return body;
}

inline std::string bodyText(const sim::Body& b, double size) {
  const auto list = [](const auto& v) {
    std::string text = "[";
    for (int i = 0; i < v.size(); ++i) text += fmt::format("{}{}", i ? ", " : "", v[i]);
    return text + "]";
  };
  if (b.fixed)
    return fmt::format("  - name: {}\n    fixed: true\n    shape: {{halfspace: {{normal: [0, 0, 1], offset: 0}}}}\n",
                       b.name);
  return fmt::format(
      "  - name: {}\n    shape: {{box: {{size: [{}, {}, {}]}}}}\n    mass: 1\n    inertia: [{}, {}, {}, 0, 0, 0]\n    "
      "position: {}\n"
      "    orientation: {}\n    velocity: {}\n    angular_velocity: {}\n",
      b.name, size, size, size, b.inertia(0, 0), b.inertia(1, 1), b.inertia(2, 2), list(b.pose.p), list(b.pose.q),
      list(b.velocity), list(b.angular_velocity));
}

inline record::RunInfo runInfo() {
  record::RunInfo info;
  info.build = "test";
  info.gap_nominal = 1e-8;
  info.gap_floor = 5e-9;
  return info;
}

inline record::WriterOptions replacing() {
  record::WriterOptions options;
  options.replace = true;
  return options;
}

/// A die thrown over a table, `steps` pieces of `h` seconds, a witness each. It stays above z = .5 for a second.
inline double writeDie(const std::string& path, int steps, double h = 5e-3, bool finish = true, int p_degree = 2) {
  const double size = 0.1;
  sim::Scene scene;
  scene.name = "die";
  scene.bodies = {fixedPlane("table"), cube("die", size)};
  sim::Body& die = scene.bodies[1];
  die.pose.p = {0, 0, 1.5};
  die.pose.q = {0.5, 0.1, -0.7, 0.3};
  die.velocity = {1, 0.5, 4.2};
  die.angular_velocity = {10, -7, 5};
  scene.text = "name: die\nbodies:\n" + bodyText(scene.bodies[0], 0) + bodyText(die, size);
  record::Writer writer(path, scene, runInfo(), replacing());
  const auto table = advance::MotionPiece::constant({}, 0, INFINITY);
  Flight flight{1, die.pose.p, die.velocity, die.angular_velocity, scene.gravity, die.pose.q};
  flight.p_degree = p_degree;
  sim::Summary summary;
  summary.min_gap = INFINITY;
  for (int i = 0; i < steps; ++i) {
    const sim::PieceRecord piece = flight.step(h, i);
    writer.piece(piece);
    sim::WitnessRecord witness{{0, 0, 1, 0}, {}};
    witness.witness.t0 = piece.piece.t0;
    witness.witness.t1 = piece.piece.t1;
    witness.witness.gap =
        0.99 *
        sample(scene.bodies[0], table, die, piece.piece, witness.witness.axis, piece.piece.t0, piece.piece.t1).gap;
    writer.witness(witness);
    summary.min_gap = std::min(summary.min_gap, witness.witness.gap);
    writer.checkpoint(piece.piece.t1, i, {1, 2, 3});
    // The next throw: long runs stay in the air by going up again, which a velocity jump may do.
    if (flight.v[2] < -4.2) flight.v = -flight.v;
  }
  summary.time = flight.t;
  summary.steps = steps;
  if (finish) writer.finish(summary, fmt::format("{{\"min_gap\": {}, \"time\": {}}}", summary.min_gap, summary.time));
  return summary.min_gap;
}

/// Two cubes that pass each other while they turn, `steps` pieces each; witnesses of all three kinds by turns, at times
/// spanning two pieces of one cube.
inline double writeCubes(const std::string& path, int steps, double h = 5e-3) {
  const double size = 0.2;
  sim::Scene scene;
  scene.name = "cubes";
  scene.gravity = {0, 0, 0};
  scene.bodies = {cube("low", size), cube("high", size)};
  sim::Body &low = scene.bodies[0], &high = scene.bodies[1];
  const double s = std::sqrt(0.5), c8 = std::cos(M_PI / 8), s8 = std::sin(M_PI / 8);
  // Edge up, along x; edge down, along y: they cross at a distance of .02 m.
  low.pose.q = {c8, s8, 0, 0};
  high.pose.q = {c8, 0, s8, 0};
  high.pose.p = {0.02, -0.01, size * 2 * s + 0.02};
  low.velocity = {0.1, 0, 0};
  high.velocity = {-0.1, 0.05, 0};
  low.angular_velocity = {0, 0, 0.3};
  high.angular_velocity = {0.02, 0.03, -0.4};
  scene.text = "name: cubes\ngravity: [0, 0, 0]\nbodies:\n" + bodyText(low, size) + bodyText(high, size);
  record::Writer writer(path, scene, runInfo(), replacing());
  Flight a{0, low.pose.p, low.velocity, low.angular_velocity, {0, 0, 0}, low.pose.q};
  Flight b{1, high.pose.p, high.velocity, high.angular_velocity, {0, 0, 0}, high.pose.q};
  a.p_degree = b.p_degree = 3;
  // The uppermost edge of the lower cube and the lowest of the upper one.
  const auto& vertices = std::get<geom::Polytope>(low.parts[0]).vertices();
  const auto edge = [&](const sim::Body& body, double sign, int& from, int& to) {
    std::vector<std::pair<double, int>> order;
    for (int v = 0; v < 8; ++v) order.push_back({-sign * (body.pose.rotation() * vertices.col(v))[2], v});
    std::sort(order.begin(), order.end());
    from = order[0].second;
    to = order[1].second;
  };
  advance::SeparatingAxis edges;
  edges.kind = advance::AxisKind::kEdges;
  edge(low, 1, edges.a0, edges.a1);
  edge(high, -1, edges.b0, edges.b1);
  const auto direction = [&](const sim::Body& body, int from, int to) -> Eigen::Vector3d {
    return body.pose.rotation() * (vertices.col(to) - vertices.col(from));
  };
  if (direction(low, edges.a0, edges.a1).cross(direction(high, edges.b0, edges.b1))[2] < 0)
    std::swap(edges.b0, edges.b1);
  sim::Summary summary;
  summary.min_gap = INFINITY;
  for (int i = 0; i < steps; ++i) {
    // Every fourth step the upper cube takes two pieces to the lower one's one.
    const sim::PieceRecord piece_a = a.step(h, i);
    std::vector<sim::PieceRecord> pieces_b;
    if (i % 4 == 3) pieces_b.push_back(b.step(0.375 * h, i));
    b.t == piece_a.piece.t1 ? void() : void(pieces_b.push_back(b.step(piece_a.piece.t1 - b.t, i)));
    writer.piece(piece_a);
    advance::SeparatingAxis axis;
    if (i % 3 == 2) {
      axis = edges;
    } else {
      axis.kind = i % 3 == 0 ? advance::AxisKind::kFixedInA : advance::AxisKind::kFixedInB;
      const auto& owner = i % 3 == 0 ? piece_a.piece : pieces_b[0].piece;
      axis.axis = owner.start().rotation().transpose() * Eigen::Vector3d(0.01, 0.02, 3);
    }
    Sampled worst;
    for (const sim::PieceRecord& piece_b : pieces_b) {
      writer.piece(piece_b);
      const Sampled found = sample(low, piece_a.piece, high, piece_b.piece, axis, piece_b.piece.t0, piece_b.piece.t1);
      worst.gap = std::min(worst.gap, found.gap);
      worst.product = std::min(worst.product, found.product);
      worst.cosine = std::min(worst.cosine, found.cosine);
    }
    sim::WitnessRecord witness{{0, 0, 1, 0}, {piece_a.piece.t0, piece_a.piece.t1, axis, 0.99 * worst.gap, 0, 0}};
    if (axis.kind == advance::AxisKind::kEdges) {
      witness.witness.cosine = 0.9 * worst.cosine;
      witness.witness.cross = 1.0001 * std::sqrt(std::pow(size, 4) - std::pow(witness.witness.cosine, 2));
      witness.witness.gap = 0.99 * worst.product / witness.witness.cross;
    }
    writer.witness(witness);
    summary.min_gap = std::min(summary.min_gap, witness.witness.gap);
    writer.checkpoint(piece_a.piece.t1, i, {});
  }
  summary.time = a.t;
  writer.finish(summary, fmt::format("{{\"min_gap\": {}}}", summary.min_gap));
  return summary.min_gap;
}

}  // namespace rigor::synthetic
