// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <vector>

#include "friction/coulomb.h"

/// Contact sets of real rigid bodies: boxes on planes, in corners, stacked; random clusters.
namespace rigor::friction::test {

struct ContactSet {
  Eigen::MatrixXd J;               // 3m x 6k: normal, tangent 1, tangent 2 of each contact
  Eigen::MatrixXd inverse_mass;    // 6k x 6k
  std::vector<double> mu;
  int contacts() const { return static_cast<int>(mu.size()); }
  Eigen::MatrixXd delassus() const { return J * inverse_mass * J.transpose(); }
};

class SetBuilder {
 public:
  int addBody(double mass, const Eigen::Matrix3d& inertia_W, const Eigen::Vector3d& centre) {
    bodies_.push_back({mass, inertia_W, centre});
    return static_cast<int>(bodies_.size()) - 1;
  }
  /// Normal from `under` (-1: the world) to `over`.
  void addContact(int under, int over, const Eigen::Vector3d& point, const Eigen::Vector3d& normal, double mu) {
    contacts_.push_back({under, over, point, normal.normalized(), mu});
  }
  ContactSet build(double tangent_angle = 0) const {
    ContactSet set;
    const int k = static_cast<int>(bodies_.size()), m = static_cast<int>(contacts_.size());
    set.inverse_mass = Eigen::MatrixXd::Zero(6 * k, 6 * k);
    for (int b = 0; b < k; ++b) {
      set.inverse_mass.block<3, 3>(6 * b, 6 * b) = Eigen::Matrix3d::Identity() / bodies_[b].mass;
      set.inverse_mass.block<3, 3>(6 * b + 3, 6 * b + 3) = bodies_[b].inertia.inverse();
    }
    set.J = Eigen::MatrixXd::Zero(3 * m, 6 * k);
    for (int c = 0; c < m; ++c) {
      const Contact& contact = contacts_[c];
      Eigen::Vector3d t1 = contact.normal.unitOrthogonal();
      t1 = Eigen::AngleAxisd(tangent_angle, contact.normal) * t1;
      const Eigen::Vector3d t2 = contact.normal.cross(t1);
      int row = 3 * c;
      for (const Eigen::Vector3d& direction : {contact.normal, t1, t2}) {
        for (const auto& [body, sign] : {std::pair{contact.over, 1.0}, std::pair{contact.under, -1.0}}) {
          if (body < 0) continue;
          set.J.block<1, 3>(row, 6 * body) += sign * direction.transpose();
          set.J.block<1, 3>(row, 6 * body + 3) +=
              sign * (contact.point - bodies_[body].centre).cross(direction).transpose();
        }
        ++row;
      }
      set.mu.push_back(contact.mu);
    }
    return set;
  }

 private:
  struct RigidBody {
    double mass;
    Eigen::Matrix3d inertia;
    Eigen::Vector3d centre;
  };
  struct Contact {
    int under, over;
    Eigen::Vector3d point, normal;
    double mu;
  };
  std::vector<RigidBody> bodies_;
  std::vector<Contact> contacts_;
};

inline Eigen::Matrix3d boxInertia(double mass, const Eigen::Vector3d& size) {
  const Eigen::Array3d sq = size.array().square();
  return Eigen::Vector3d(mass / 12 * Eigen::Vector3d(sq.y() + sq.z(), sq.x() + sq.z(), sq.x() + sq.y())).asDiagonal();
}

/// A stack of boxes, four contacts an interface, z up.
inline ContactSet boxStack(int boxes, const Eigen::Vector3d& size, double mass, double mu) {
  SetBuilder builder;
  for (int b = 0; b < boxes; ++b) {
    builder.addBody(mass, boxInertia(mass, size), Eigen::Vector3d(0, 0, (b + 0.5) * size.z()));
  }
  for (int b = 0; b < boxes; ++b) {
    for (int corner = 0; corner < 4; ++corner) {
      const Eigen::Vector3d point((corner & 1 ? 0.5 : -0.5) * size.x(), (corner & 2 ? 0.5 : -0.5) * size.y(),
                                  b * size.z());
      builder.addContact(b - 1, b, point, Eigen::Vector3d::UnitZ(), mu);
    }
  }
  return builder.build();
}

/// Random set: kind 0-2 one box with 1, 2 or 4 contacts on a plane; 3 box in a corner (plane and wall, 4 + 4); 4 stack
/// of
/// 2-4 boxes; 5 a cluster of random bodies with random contacts, up to 12; 6 needle or plate on a plane with 4
/// contacts.
inline ContactSet randomSet(std::mt19937_64& random, int kind, double mu_max = 2) {
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto friction = [&] {
    const double draw = unit(random);
    return draw < -0.9 ? 0.0 : mu_max * std::abs(unit(random));
  };
  const double mass = std::pow(10.0, 2 * unit(random));
  const double length = std::pow(10.0, unit(random));
  SetBuilder builder;
  const Eigen::Matrix3d turn =
      Eigen::Quaterniond(unit(random), unit(random), unit(random), unit(random)).normalized().toRotationMatrix();
  Eigen::Vector3d size =
      length * Eigen::Vector3d(1 + 0.9 * unit(random), 1 + 0.9 * unit(random), 1 + 0.9 * unit(random));
  if (kind == 6) size = length * Eigen::Vector3d(1, unit(random) > 0 ? 1 : 0.01, 0.01);
  switch (kind) {
    case 0:
    case 1:
    case 2:
    case 3:
    case 6: {
      const double tilt = kind == 0 ? unit(random) : kind == 1 ? 0.7 * unit(random) : 0;
      // Kind 0 rests on a vertex, kind 1 on an edge along x, others on a face.
      const Eigen::Matrix3d R = (Eigen::AngleAxisd(tilt, Eigen::Vector3d::UnitX()) *
                                 Eigen::AngleAxisd(kind == 0 ? unit(random) : 0, Eigen::Vector3d::UnitY()))
                                    .toRotationMatrix();
      const Eigen::Matrix3d frame = turn * R;
      builder.addBody(mass, frame * boxInertia(mass, size) * frame.transpose(), Eigen::Vector3d::Zero());
      const int corners = kind == 0 ? 1 : kind == 1 ? 2 : 4;
      const double mu = friction();
      for (int corner = 0; corner < corners; ++corner) {
        const Eigen::Vector3d p(corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5, -0.5);
        builder.addContact(-1, 0, frame * p.cwiseProduct(size), turn * Eigen::Vector3d::UnitZ(), mu);
      }
      if (kind == 3) {
        const double wall_mu = friction();
        for (int corner = 0; corner < 4; ++corner) {
          const Eigen::Vector3d p(-0.5, corner & 1 ? 0.5 : -0.5, corner & 2 ? 0.5 : -0.5);
          builder.addContact(-1, 0, frame * p.cwiseProduct(size), turn * Eigen::Vector3d::UnitX(), wall_mu);
        }
      }
      return builder.build(unit(random));
    }
    case 4: {
      const int boxes = 2 + static_cast<int>(random() % 3);
      return boxStack(boxes, size, mass, friction());
    }
    default: {
      const int bodies = 1 + static_cast<int>(random() % 4), contacts = 1 + static_cast<int>(random() % 12);
      for (int b = 0; b < bodies; ++b) {
        const double body_mass = mass * std::pow(10.0, unit(random));
        const Eigen::Matrix3d R =
            Eigen::Quaterniond(unit(random), unit(random), unit(random), unit(random)).normalized().toRotationMatrix();
        builder.addBody(body_mass, R * boxInertia(body_mass, size) * R.transpose(),
                        length * Eigen::Vector3d(unit(random), unit(random), unit(random)));
      }
      for (int c = 0; c < contacts; ++c) {
        const int over = static_cast<int>(random() % bodies);
        int under = static_cast<int>(random() % (bodies + 1)) - 1;
        if (under == over) under = -1;
        builder.addContact(under, over, length * Eigen::Vector3d(unit(random), unit(random), unit(random)),
                           Eigen::Vector3d(unit(random), unit(random), unit(random) + 1e-3), friction());
      }
      return builder.build(unit(random));
    }
  }
}

inline Eigen::VectorXd randomVector(std::mt19937_64& random, int n) {
  std::normal_distribution<double> normal;
  Eigen::VectorXd v(n);
  for (int i = 0; i < n; ++i) v[i] = normal(random);
  return v;
}

/// The Coulomb problem's conditions, written out contact by contact and independent of the solver's natural map.
/// @returns the worst violation, in units of a.
inline double coulombViolation(const CoulombProblem& problem, const Eigen::VectorXd& f) {
  const Eigen::VectorXd a = problem.A * f + problem.b;
  double worst = 0;
  for (int i = 0; i < static_cast<int>(problem.mu.size()); ++i) {
    const double s = problem.A.diagonal().segment<3>(3 * i).maxCoeff();
    const double fn = f[3 * i], an = a[3 * i];
    const Eigen::Vector2d ft = f.segment<2>(3 * i + 1), at = a.segment<2>(3 * i + 1);
    worst = std::max({worst, -fn * s, -an, std::min(an, fn * s)});
    const double mu = problem.mu[i];
    if (mu == kNoSlip) {
      if (fn > 0) worst = std::max(worst, at.norm());
      if (!(fn > 0)) worst = std::max(worst, s * ft.norm());
      continue;
    }
    if (problem.slides[i] && mu > 0) {
      worst = std::max(worst, s * (ft + mu * fn * problem.direction[i]).norm());
      continue;
    }
    worst = std::max(worst, s * (ft.norm() - mu * fn));  // in the cone
    // Either it does not slip, or it is on the cone and opposes the slip; an angle counts by what it turns.
    const double slip = at.norm(), length = ft.norm();
    if (slip > 0) worst = std::max(worst, std::min(slip, s * (mu * fn - length)));
    if (slip > 0 && length > 0) worst = std::max(worst, std::min(slip, s * length) * (ft / length + at / slip).norm() -
                                                            2 * std::max(0.0, s * (mu * fn - length)));
    if (std::isnan(worst)) return HUGE_VAL;
  }
  return worst;
}

}  // namespace rigor::friction::test
