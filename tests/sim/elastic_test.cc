// SPDX-License-Identifier: MIT
// Proved: without friction and with restitution 1 nothing is lost. Bodies of three different moments of inertia that
// spin and hit each other and the walls of a box, each with a clock of its own, keep their energy over hundreds of
// impacts. Oracle: conservation, from the recorded velocities and the scene.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>

#include "simulated_run.h"

namespace rigor::sim::test {
namespace {

using Eigen::Matrix3d;
using Eigen::Vector3d;

constexpr double kRounding = 1e-12;  // Relative, of one impact.

/// What single contacts change, between bodies and at walls.
class EnergyBook : public Sink {
 public:
  explicit EnergyBook(const Scene& scene) : scene_(scene), pose_(scene.bodies.size()) {
    for (size_t i = 0; i < pose_.size(); ++i) pose_[i] = scene.bodies[i].pose;
  }
  void piece(const PieceRecord& record) override { pose_[record.body] = record.piece.end(); }
  void impact(const ImpactRecord& record) override {
    double before = 0, after = 0;
    for (size_t k = 0; k < record.bodies.size(); ++k) {
      before += kinetic(record.bodies[k], record.before[k]);
      after += kinetic(record.bodies[k], record.after[k]);
    }
    if (record.contacts.size() == 1)
      ++(record.bodies.size() == 1 ? single : pairs), worst = std::max(worst, std::abs(after - before) / before);
  }

  double worst = 0;
  long single = 0, pairs = 0;

 private:
  double kinetic(int body, const Eigen::Matrix<double, 6, 1>& u) const {
    const Body& b = scene_.bodies[body];
    const Vector3d w = pose_[body].rotation().transpose() * u.tail<3>();
    return 0.5 * (b.mass * u.head<3>().squaredNorm() + w.dot(b.inertia * w));
  }
  const Scene& scene_;
  std::vector<geom::Pose> pose_;
};

Scene cage() {
  SceneText text;
  text.friction = "0", text.restitution = 1, text.gravity.setZero(), text.until = 10;
  for (int axis = 0; axis < 3; ++axis)
    for (const double side : {-1.0, 1.0}) {
      Vector3d normal = Vector3d::Zero(), size = Vector3d::Constant(0.8);
      normal[axis] = side, size[axis] = 0.1;
      text.bodies.push_back({"wall" + std::to_string(2 * axis + (side > 0)), box(size), 0, 0.35 * normal});
    }
  const Vector3d places[] = {{-0.14, -0.13, 0.02}, {0.15, -0.1, -0.04}, {-0.12, 0.14, 0}, {0.13, 0.15, 0.05}};
  for (int k = 0; k < 4; ++k) {
    BodyText body{"b" + std::to_string(k), box({0.11, 0.08, 0.05 + 0.01 * k}), 1 + 0.5 * k, places[k]};
    body.velocity = {0.6 * std::cos(k + 1.0), 0.5 * std::sin(2.0 * k + 0.3), 0.4 * std::cos(3.0 * k)};
    body.angular_velocity = {5 * std::sin(k + 0.5), 3 * std::cos(2.0 * k), 4 - 2.0 * k};
    text.bodies.push_back(body);
  }
  return text.parse();
}

TEST(Elastic, ImpactsKeepTheirEnergyAndSoDoesAGas) {
  const Scene scene = cage();
  Simulation simulation(scene, 0);
  EnergyBook book(simulation.scene());
  const Summary summary = simulation.run(scene.until, book);
  ASSERT_EQ(summary.status, RunStatus::kDone) << summary.message;
  EXPECT_GT(book.single, 50);
  EXPECT_GT(book.pairs, 5);
  EXPECT_LE(book.worst, kRounding);
  EXPECT_NEAR(summary.energy_final / summary.energy_initial, 1, static_cast<double>(summary.impacts) * kRounding);
}

}  // namespace
}  // namespace rigor::sim::test
