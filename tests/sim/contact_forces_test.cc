// SPDX-License-Identifier: MIT
// Proved: contacts.csv says what pushed. Over a run its impulses, with gravity, are the change of momentum, and at rest
// its mean forces carry the weight. Oracle: m (v1 - v0) = m g t + sum P, from states.csv and the scene.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "record/export.h"
#include "record/writer.h"
#include "simulated_run.h"
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

TEST(ContactForces, AreWhatMovesADieAndWhatCarriesIt) {
  const TemporaryFolder folder;
  SceneText text;
  text.bodies = {ground(), {"die", kCube, 2, {0, 0, 0.2}}};
  text.bodies[1].velocity = {0.5, 0.1, -1}, text.bodies[1].angular_velocity = {3, -2, 1};
  text.until = 3;
  const Scene scene = text.parse();
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
  const std::vector<Row> contacts = rowsOf(exported + "/contacts.csv"), states = rowsOf(exported + "/states.csv");
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

}  // namespace
}  // namespace rigor::sim::test
