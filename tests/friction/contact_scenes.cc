// SPDX-License-Identifier: MIT
#include "tests/friction/contact_scenes.h"

#include <algorithm>
#include <cmath>

namespace rigor::friction::test {

using Eigen::Matrix3d;
using Eigen::Vector3d;
using Vector6d = Eigen::Matrix<double, 6, 1>;

namespace {

constexpr double kGravity = 9.81, kTick = 1e-3;

double uniform(std::mt19937_64& random, double from, double to) {
  return from + (to - from) * static_cast<double>(random() >> 11) * 0x1p-53;
}

Vector3d direction(std::mt19937_64& random) {
  for (;;) {
    const Vector3d v(uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1));
    const double size = v.norm();
    if (size > 0.1 && size < 1) return v / size;
  }
}

}  // namespace

int ContactScene::addBox(double mass, const Vector3d& size, const Vector3d& centre) {
  const Vector3d s = size.cwiseProduct(size);
  bodies.push_back({mass, mass / 12 * Vector3d(s.y() + s.z(), s.z() + s.x(), s.x() + s.y()), centre, Vector6d::Zero()});
  return static_cast<int>(bodies.size()) - 1;
}

void ContactScene::addPatch(int a, int b, const Vector3d& at, const Vector3d& u, const Vector3d& v, double mu) {
  const Vector3d n = u.cross(v).normalized();
  for (double i : {-0.5, 0.5})
    for (double j : {-0.5, 0.5}) points.push_back({a, b, at + i * u + j * v, n, mu});
}

void ContactScene::fall(double h) {
  for (Body& b : bodies) b.velocity[2] -= h * kGravity;
}

Matrix3d ContactScene::frame(int point) const {
  const Vector3d& n = points[point].normal;
  int least = 0;
  n.cwiseAbs().minCoeff(&least);
  const Vector3d t = n.cross(Vector3d::Unit(least)).normalized();
  Matrix3d rows;
  rows.row(0) = n, rows.row(1) = t, rows.row(2) = n.cross(t);
  return rows;
}

Eigen::Matrix<double, 3, 6> ContactScene::rows(int point, int side) const {
  const Point& p = points[point];
  const Vector3d r = p.at - bodies[side == 0 ? p.a : p.b].centre;
  const double sign = side == 0 ? -1 : 1;
  const Matrix3d F = frame(point);
  Eigen::Matrix<double, 3, 6> J;
  for (int k = 0; k < 3; ++k) {
    const Vector3d e = F.row(k);
    J.row(k) << sign * e.transpose(), sign * r.cross(e).transpose();
  }
  return J;
}

Eigen::Matrix<double, 6, 6> ContactScene::massMatrix(int body) const {
  const Body& b = bodies[body];
  Eigen::Matrix<double, 6, 6> M = Eigen::Matrix<double, 6, 6>::Zero();
  M.diagonal().head<3>().setConstant(b.mass);
  M.bottomRightCorner<3, 3>() = b.turn * b.inertia.asDiagonal() * b.turn.transpose();
  return M;
}

void ContactScene::fill(Problem& problem) const {
  problem.clear();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    const auto M = massMatrix(static_cast<int>(i));
    problem.addFreeBody(bodies[i].mass, M.bottomRightCorner<3, 3>(), bodies[i].velocity);
  }
  const Eigen::Matrix<double, 3, 6> none = Eigen::Matrix<double, 3, 6>::Zero();
  for (std::size_t c = 0; c < points.size(); ++c) {
    const Point& p = points[c];
    const int k = static_cast<int>(c);
    problem.addContact(p.a, p.a >= 0 ? rows(k, 0) : none, p.b, p.b >= 0 ? rows(k, 1) : none, p.offset, p.mu);
  }
}

ContactScene ContactScene::shuffled(std::uint64_t seed) const {
  ContactScene other = *this;
  std::mt19937_64 random(seed);
  for (std::size_t i = other.points.size(); i > 1; --i) std::swap(other.points[i - 1], other.points[random() % i]);
  return other;
}

std::vector<Vector6d> ContactScene::velocities(const std::vector<Vector3d>& impulses) const {
  std::vector<Vector6d> u(bodies.size());
  for (std::size_t i = 0; i < bodies.size(); ++i) u[i] = bodies[i].velocity;
  for (std::size_t c = 0; c < points.size(); ++c) {
    const Vector3d world = frame(static_cast<int>(c)).transpose() * impulses[c];
    for (int side = 0; side < 2; ++side) {
      const int i = side == 0 ? points[c].a : points[c].b;
      if (i < 0) continue;
      const Body& b = bodies[i];
      const double sign = side == 0 ? -1 : 1;
      const Vector3d torque = (points[c].at - b.centre).cross(sign * world);
      u[i].head<3>() += sign * world / b.mass;
      u[i].tail<3>() += b.turn * (b.turn.transpose() * torque).cwiseQuotient(b.inertia);
    }
  }
  return u;
}

double ContactScene::residual(const std::vector<Vector3d>& impulses) const {
  const std::vector<Vector6d> u = velocities(impulses);
  double worst = 0;
  for (std::size_t c = 0; c < points.size(); ++c) {
    const Point& p = points[c];
    Vector3d w = p.offset;
    double d = 0;
    for (int side = 0; side < 2; ++side) {
      const int i = side == 0 ? p.a : p.b;
      if (i < 0) continue;
      const Body& b = bodies[i];
      const Vector3d r = p.at - b.centre;
      const double sign = side == 0 ? -1 : 1;
      w += sign * (frame(static_cast<int>(c)) * (u[i].head<3>() + u[i].tail<3>().cross(r)));
      const Matrix3d inverse = b.turn * b.inertia.cwiseInverse().asDiagonal() * b.turn.transpose();
      Matrix3d cross;
      cross << 0, -r.z(), r.y(), r.z(), 0, -r.x(), -r.y(), r.x(), 0;
      d += (3 / b.mass - (cross * inverse * cross).trace()) / 3;
    }
    const Vector3d z = impulses[c] - w / d;
    Vector3d project = Vector3d::Zero();
    if (z[0] > 0) {
      const double length = z.tail<2>().norm(), radius = p.mu * z[0];
      project[0] = z[0];
      if (p.mu > 0)
        project.tail<2>() =
            length > radius ? Eigen::Vector2d(radius / length * z.tail<2>()) : Eigen::Vector2d(z.tail<2>());
    }
    const double error = d * (impulses[c] - project).norm();
    if (!(error <= worst)) worst = error == error ? error : HUGE_VAL;
  }
  return worst;
}

ContactScene cubeStack(int count, double ratio, double mu, double push) {
  ContactScene s;
  constexpr double kEdge = 0.1;
  for (int i = 0; i < count; ++i) {
    s.addBox(std::pow(ratio, count > 1 ? static_cast<double>(i) / (count - 1) : 0), Vector3d::Constant(kEdge),
             {0, 0, (i + 0.5) * kEdge});
    s.addPatch(i - 1, i, {0, 0, i * kEdge}, kEdge * Vector3d::UnitX(), kEdge * Vector3d::UnitY(), mu);
  }
  s.fall(kTick);
  s.bodies.back().velocity[0] += push;
  return s;
}

ContactScene heavyOnLight(int count, double top, double mu) {
  ContactScene s = cubeStack(count, 1, mu, 0);
  s.bodies.back().mass *= top, s.bodies.back().inertia *= top;
  return s;
}

ContactScene cardHouse(int storeys, double weight, double mu) {
  ContactScene s;
  constexpr double kCard = 0.1, kWidth = 0.06, kThick = 0.001, kMass = 0.002, kLean = 0.35;
  const double foot = kCard * std::sin(kLean), height = kCard * std::cos(kLean);
  const Vector3d across = kWidth * Vector3d::UnitY();
  std::vector<int> below;  // Floors of the storey below, one between each two tents.
  const auto addLine = [&](int a, int b, const Vector3d& at, const Vector3d& n) {
    for (double j : {-0.5, 0.5}) s.points.push_back({a, b, at + j * across, n, mu});
  };
  for (int level = 0; level < storeys; ++level) {
    std::vector<int> floors;
    const int tents = storeys - level;
    std::vector<int> cards;
    for (int k = 0; k < tents; ++k) {
      const double x = 2 * foot * (k + 0.5 * level), z = level * (height + kThick);
      for (int side : {-1, 1}) {
        const Vector3d centre(x + side * 0.5 * foot, 0, z + 0.5 * height);
        const int card = s.addBox(kMass, {kThick, kWidth, kCard}, centre);
        s.bodies[card].turn = Eigen::AngleAxisd(-side * kLean, Vector3d::UnitY()).toRotationMatrix();
        // Feet stand on the ground, or on the floor card below.
        const int on = level == 0 ? -1 : below[k];
        addLine(on, card, {x + side * foot, 0, z}, Vector3d::UnitZ());
        cards.push_back(card);
      }
      addLine(cards[2 * k], cards[2 * k + 1], {x, 0, z + height}, Vector3d::UnitX());
    }
    for (int k = 0; k < std::max(1, tents - 1); ++k) {
      // A floor card lies on the tips of two tents, the last one on one.
      const double z = (level + 1) * height + level * kThick, x = 2 * foot * (k + 0.5 * level);
      const int floor = s.addBox(k == 0 && tents == 1 ? weight : kMass, {4 * foot, kWidth, kThick},
                                 {x + (tents > 1 ? foot : 0), 0, z + 0.5 * kThick});
      for (int t = k; t < std::min(tents, k + 2); ++t)
        for (int side : {0, 1})
          addLine(cards[2 * t + side], floor, {2 * foot * (t + 0.5 * level) + (side ? 1 : -1) * 1e-3, 0, z},
                  Vector3d::UnitZ());
      floors.push_back(floor);
    }
    below = floors;
  }
  s.fall(kTick);
  return s;
}

ContactScene brickWall(int rows, int columns, double mu, double push) {
  ContactScene s;
  const Vector3d size(0.2, 0.1, 0.1);
  std::vector<std::vector<int>> wall(rows);
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c)
      wall[r].push_back(s.addBox(1, size, {size.x() * (c + 0.5 * (r % 2)), 0, size.z() * (r + 0.5)}));
  const Vector3d half = 0.5 * size.x() * Vector3d::UnitX(), depth = size.y() * Vector3d::UnitY(),
                 up = size.z() * Vector3d::UnitZ();
  for (int r = 0; r < rows; ++r)
    for (int c = 0; c < columns; ++c) {
      const int i = wall[r][c];
      const Vector3d centre = s.bodies[i].centre, bottom = centre - 0.5 * up;
      if (r == 0) s.addPatch(-1, i, bottom, 2 * half, depth, mu);
      for (int side : {-1, 1}) {
        const int below = r % 2 == 0 ? c + (side < 0 ? -1 : 0) : c + (side < 0 ? 0 : 1);
        if (r > 0 && below >= 0 && below < columns)
          s.addPatch(wall[r - 1][below], i, bottom + 0.5 * side * half, half, depth, mu);
      }
      if (c > 0) s.addPatch(wall[r][c - 1], i, centre - half, depth, up, mu);
    }
  s.fall(kTick);
  for (int c = 0; c < columns; ++c) s.bodies[wall[rows - 1][c]].velocity[0] += push;
  return s;
}

ContactScene randomPile(int count, double mu, double speed, std::uint64_t seed) {
  ContactScene s;
  std::mt19937_64 random(seed);
  constexpr double kEdge = 0.1;
  const int side = std::max(2, static_cast<int>(std::lround(std::cbrt(count))));
  std::vector<int> at(static_cast<std::size_t>(count));
  const auto cell = [&](int i) { return Eigen::Vector3i(i % side, i / side % side, i / side / side); };
  for (int i = 0; i < count; ++i) {
    const Eigen::Vector3i c = cell(i);
    const Vector3d jitter(uniform(random, -.3, .3), uniform(random, -.3, .3), uniform(random, -.2, .2));
    const Vector3d centre = kEdge * (c.cast<double>() + Vector3d::Constant(0.5) + jitter);
    const int body = s.addBox(uniform(random, 0.5, 2), Vector3d::Constant(kEdge), centre);
    s.bodies[body].velocity.head<3>() = speed * uniform(random, 0, 1) * direction(random);
    s.bodies[body].velocity.tail<3>() = speed / kEdge * uniform(random, 0, 1) * direction(random);
  }
  const auto addTouch = [&](int a, int b, const Vector3d& middle, const Vector3d& n) {
    const Vector3d t = n.cross(direction(random)).normalized(), r = n.cross(t);
    const int corners = 1 + static_cast<int>(random() % 4);
    for (int k = 0; k < corners; ++k) {
      const double angle = uniform(random, 0, 0.3) + 1.5707963 * k;
      s.points.push_back({a, b, middle + 0.3 * kEdge * (std::cos(angle) * t + std::sin(angle) * r), n, mu});
    }
  };
  for (int i = 0; i < count; ++i) {
    const Eigen::Vector3i c = cell(i);
    const Vector3d centre = s.bodies[i].centre;
    if (c.z() == 0) addTouch(-1, i, {centre.x(), centre.y(), 0}, Vector3d::UnitZ());
    for (int axis = 0; axis < 2; ++axis) {  // Walls.
      Vector3d wall = centre;
      if (c[axis] == 0) wall[axis] = 0, addTouch(-1, i, wall, Vector3d::Unit(axis));
      wall = centre;
      if (c[axis] == side - 1) wall[axis] = side * kEdge, addTouch(-1, i, wall, -Vector3d::Unit(axis));
    }
    for (int j = i + 1; j < count; ++j) {
      const Eigen::Vector3i e = (cell(j) - c).cwiseAbs();
      const Vector3d d = s.bodies[j].centre - centre;
      if (e.maxCoeff() > 1 || !(d.norm() < 1.05 * kEdge)) continue;
      const Vector3d n = (d.normalized() + 0.3 * direction(random)).normalized();
      addTouch(i, j, centre + 0.5 * d, n);
    }
  }
  s.fall(kTick);
  return s;
}

ContactScene randomCluster(std::mt19937_64& random, double ratio, double mu_max) {
  ContactScene s;
  const int bodies = 1 + static_cast<int>(random() % 4), points = 1 + static_cast<int>(random() % 8);
  for (int i = 0; i < bodies; ++i) {
    const int body = s.addBox(std::pow(ratio, uniform(random, -0.5, 0.5)),
                              {uniform(random, .1, 1), uniform(random, .1, 1), uniform(random, .1, 1)},
                              {uniform(random, -1, 1), uniform(random, -1, 1), uniform(random, -1, 1)});
    s.bodies[body].turn = Eigen::AngleAxisd(uniform(random, 0, 3), direction(random)).toRotationMatrix();
    s.bodies[body].velocity << direction(random), direction(random);
  }
  for (int c = 0; c < points; ++c) {
    const int b = static_cast<int>(random() % bodies);
    int a = static_cast<int>(random() % (bodies + 1)) - 1;
    if (a == b) a = -1;
    const Vector3d at = s.bodies[b].centre + 0.3 * direction(random);
    const int kind = static_cast<int>(random() % 8);
    const double mu = kind == 0 ? 0 : kind == 1 ? mu_max : mu_max * uniform(random, 0, 1);
    s.points.push_back({a, b, at, direction(random), mu});
    if (random() % 4 == 0) {  // A patch.
      const Vector3d t = s.points.back().normal.cross(direction(random));
      for (int k = 0; k < 2; ++k)
        s.points.push_back({a, b, at + uniform(random, -.3, .3) * t, s.points[s.points.size() - 1].normal, mu});
    }
  }
  return s;
}

}  // namespace rigor::friction::test
