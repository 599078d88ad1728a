// SPDX-License-Identifier: MIT
// Proved: contacts.csv says what pushed. Over a run its impulses, with gravity, are the change of momentum, and at rest
// its mean forces carry the weight. Oracle: m (v1 - v0) = m g t + sum P, from states.csv and the scene.
#include <gtest/gtest.h>

#include <Eigen/Core>
#include <fstream>
#include <sstream>

#include "record/export.h"
#include "record/writer.h"
#include "simulated_run.h"
#include "tests/dense_algebra.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;
using Row = std::vector<std::string>;

std::vector<Row> rowsOf(const std::string& path) {
  std::ifstream file(path);
  std::vector<Row> rows;
  for (std::string line; std::getline(file, line);) {
    std::istringstream fields(line);
    rows.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  return rows;
}

Vector3d vectorAt(const Row& row, size_t column) {
  return {std::stod(row.at(column)), std::stod(row.at(column + 1)), std::stod(row.at(column + 2))};
}

/// A cube that is thrown onto the plane z = 0, and what its run exports.
struct Throw {
  Scene scene;
  std::vector<Row> contacts, states;

  Throw(const Vector3d& velocity, const Vector3d& angular_velocity, const std::string& friction) {
    const TemporaryFolder folder;
    SceneText text;
    text.bodies = {ground(), {"die", kCube, 2, {0, 0, 0.2}}};
    text.bodies[1].velocity = velocity, text.bodies[1].angular_velocity = angular_velocity;
    text.friction = friction;
    text.until = 3;
    scene = text.parse();
    const std::string path = (folder / "run.rigor").string(), exported = (folder / "csv").string();
    {
      Simulation simulation(scene, 0);
      record::RunInfo info;
      info.gap_nominal = simulation.gapNominal(), info.gap_floor = simulation.gapFloor(), info.until = scene.until;
      record::Writer writer(path, simulation.scene(), info);
      writer.finish(simulation.run(scene.until, writer), "{}");
    }
    record::Reader reader(path);
    record::exportCsv(reader, exported, "");
    contacts = rowsOf(exported + "/contacts.csv"), states = rowsOf(exported + "/states.csv");
  }
};

TEST(ContactForces, AreWhatMovesADieAndWhatCarriesIt) {
  const auto [scene, contacts, states] = Throw({0.5, 0.1, -1}, {3, -2, 1}, "0.3");
  ASSERT_GT(contacts.size(), 5u);
  EXPECT_EQ(contacts[0],
            (Row{"branch", "t0", "t1", "body_a", "body_b", "px", "py", "pz", "nx", "ny", "nz", "Px", "Py", "Pz"}));
  Vector3d P = Vector3d::Zero(), carried = Vector3d::Zero();
  const double last = std::stod(contacts.back().at(1));
  for (size_t i = 1; i < contacts.size(); ++i) {
    const Row& row = contacts[i];
    ASSERT_EQ(row.size(), 14u);
    EXPECT_EQ(row[3], "ground");
    EXPECT_EQ(row[4], "die");
    EXPECT_NEAR(vectorAt(row, 5)[2], 0, 1e-4) << "above the plane";
    EXPECT_NEAR((vectorAt(row, 8) - Vector3d(0, 0, 1)).norm(), 0, 1e-12);
    P += vectorAt(row, 11);
    if (std::stod(row[1]) == last) carried += vectorAt(row, 11);
  }
  const Vector3d change = 2 * (vectorAt(states.back(), 10) - scene.bodies[1].velocity);
  EXPECT_NEAR((change - 2 * scene.gravity * scene.until - P).norm(), 0,
              2 * 2e-3);  // The velocity tolerance of the steps that slide.
  const double rest = std::stod(contacts.back().at(2)) - last;
  ASSERT_GT(rest, 0.1);
  EXPECT_NEAR((carried / rest + 2 * scene.gravity).norm(), 0, 1e-9) << "at rest";
}

/// Oracle: the least-norm solution of the balance of forces and moments, from a decomposition.
TEST(ContactForces, AtRestAreTheLeastThatCarryADie) {
  int seen = 0;
  for (const char* friction : {"0.1", "0.3", "0.8", "no-slip"})
    for (const double spin : {0.0, 3.0, -8.0}) {
      SCOPED_TRACE(std::string(friction) + ' ' + std::to_string(spin));
      const auto [scene, contacts, states] = Throw({1, -0.5, 0}, {spin, -2, spin}, friction);
      const double last = std::stod(contacts.back().at(1)), rest = std::stod(contacts.back().at(2)) - last;
      const Vector3d centre = vectorAt(states.back(), 3), weight = 2 * scene.gravity;
      std::vector<Vector3d> points, forces;
      for (size_t i = 1; i < contacts.size(); ++i)
        if (std::stod(contacts[i].at(1)) == last && std::stod(contacts[i].at(2)) > last)
          points.push_back(vectorAt(contacts[i], 5)), forces.push_back(vectorAt(contacts[i], 11) / rest);
      ASSERT_EQ(points.size(), 4u);
      Eigen::MatrixXd balance(6, 12);
      for (int k = 0; k < 4; ++k) {
        const Vector3d x = points[k] - centre;
        balance.block<3, 3>(0, 3 * k).setIdentity();
        balance.block<3, 3>(3, 3 * k) << 0, -x[2], x[1], x[2], 0, -x[0], -x[1], x[0], 0;
      }
      Eigen::VectorXd load = Eigen::VectorXd::Zero(6);
      load.head<3>() = -weight;
      const Eigen::VectorXd least = algebra::leastSquares(balance, load).x;
      for (int k = 0; k < 4; ++k)
        EXPECT_NEAR((forces[k] - least.segment<3>(3 * k)).norm(), 0, 1e-6 * weight.norm()) << forces[k].transpose();
      ++seen;
    }
  EXPECT_EQ(seen, 12);
}

}  // namespace
}  // namespace rigor::sim::test
