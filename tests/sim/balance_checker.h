// SPDX-License-Identifier: MIT
#pragma once
#include <map>
#include <string>
#include <vector>

#include "sim/simulation.h"

namespace rigor::sim::test {

/// The worst residual of a law of motion, and where.
struct Residual {
  double value = 0, time = 0;
  int body = -1;

  void note(double v, double t, int b) {
    if (!(v <= value)) value = v, time = t, body = b;
  }
};

/// Laws of motion of what a run hands over, in doubles: how far each is missed, in units of m V, m V l, m V^2, nominal
/// gaps; V^2 = g l, l the longest edge of a body's box.
struct LawResiduals {
  Residual momentum, angular;  ///< Over pieces: m dv - m g h - sum P, and the same about the body's first centre.
  Residual jump_momentum, jump_angular;  ///< At their borders.
  Residual kinematics;                   ///< |p' - v| h / 3 at the ends of pieces [gaps].
  Residual cone;                         ///< How far an impulse is outside of its cone [m V].
  Residual support;                      ///< Gap at an impulse's instant [gaps].
  Residual slip;                         ///< Share of friction that does not oppose slip, where there is slip.
  Residual energy;                       ///< Gained in a piece of one body alone, or in a step of its group.
  long contacts = 0, jumps = 0;          ///< Impulses that were checked.
};

/// Collects a run and checks it. Knows nothing of how the simulator works: everything follows from the scene, the
/// pieces and the impulses.
class BalanceChecker : public Sink {
 public:
  explicit BalanceChecker(const Scene& scene) : scene_(scene), pieces_(scene.bodies.size()) {}
  void piece(const PieceRecord& record) override { pieces_[record.body].push_back(record); }
  void impulses(const ImpulseRecord& record) override { records_.push_back(record); }

  /// @param stick  Slower slip counts as none [V].
  LawResiduals check(double gap_nominal, double stick) const;

 private:
  struct Sum {
    Eigen::Vector3d P{0, 0, 0}, K{0, 0, 0};
    bool any = false;
  };
  struct Size {
    double mass, length, speed;
  };
  Size sizeOf(int body) const;
  const PieceRecord* pieceAt(int body, double time, bool starts) const;
  geom::Pose poseAt(int body, double time) const;
  Eigen::Matrix<double, 6, 1> velocityAt(int body, double time) const;
  Eigen::Vector3d vertexAt(int body, int part, int vertex, double time) const;
  void checkContact(const ImpulseRecord& record, const ImpulseRecord::Contact& contact,
                    const ImpulseRecord::Impulse& impulse, double gap, double stick, LawResiduals& laws) const;
  void place(const ImpulseRecord::Contact& contact, double time, Eigen::Vector3d& x, Eigen::Vector3d& n,
             double& gap) const;
  Eigen::Vector3d spin(int body, const geom::Pose& pose, const Eigen::Vector3d& w) const;
  void checkBody(int body, const std::map<std::pair<double, bool>, Sum>& sums, double gap, LawResiduals& laws) const;

  const Scene& scene_;
  std::vector<std::vector<PieceRecord>> pieces_;
  std::vector<ImpulseRecord> records_;
};

/// Runs a scene to its end, or `until` [s], and checks it.
LawResiduals balanceOf(Scene scene, double stick, double until = 0);

}  // namespace rigor::sim::test
