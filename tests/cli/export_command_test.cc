// SPDX-License-Identifier: MIT
// Proves: HDF5 holds what CSV holds, number by number; a joint that follows another has rows, at its ratio and offset.
// Oracles: the other format; the ratio and offset that the robot's file states.
#include <gtest/gtest.h>

#include <map>

#include "formats/csv.h"
#include "formats/hdf5.h"
#include "program.h"
#include "tests/hdf5_texts.h"

namespace rigor::cli {
namespace {

constexpr const char* kMassOfOne =
    R"(<inertial><mass value="1"/><inertia ixx=".01" iyy=".01" izz=".01" ixy="0" ixz="0" iyz="0"/></inertial>)";

/// A box on the floor; two links that stand on it, the second of which follows the first.
std::string robot() {
  const std::string inertial = kMassOfOne;
  return "<robot name='x'><link name='a'>" + inertial + R"(<collision><geometry><box size=".4 .4 .1"/></geometry>
</collision></link><link name='b'>)" + inertial + "</link><link name='c'>" + inertial + R"(</link>
<joint name="j" type="revolute"><parent link="a"/><child link="b"/><origin xyz="0 0 .2"/><axis xyz="0 1 0"/>
<limit lower="-1" upper="1" effort="10" velocity="10"/></joint>
<joint name="k" type="revolute"><parent link="b"/><child link="c"/><origin xyz="0 0 .1"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" effort="10" velocity="10"/><mimic joint="j" multiplier="-2" offset="0.125"/></joint>
</robot>)";
}

constexpr const char* kStanding = R"(until: 0.2
bodies: [{name: floor, fixed: true, shape: {halfspace: {}}}]
robots: [{name: r, urdf: r.urdf, position: [0, 0, 0.051], joints: {j: 0.25},
          controller: {type: pd, rate: 100, kp: 20, kd: 1, target: {j: 0.1}}}]
)";

using Table = std::map<std::string, std::vector<std::string>>;

Table columnsOf(const std::filesystem::path& path) {
  std::istringstream text(readAll(path));
  std::string line;
  std::getline(text, line);
  const std::vector<std::string> header = formats::splitCsvLine(line);
  Table table;
  for (const std::string& name : header) table[name];
  while (std::getline(text, line)) {
    const std::vector<std::string> fields = formats::splitCsvLine(line);
    EXPECT_EQ(fields.size(), header.size());
    for (std::size_t k = 0; k < fields.size(); ++k) table[header[k]].push_back(fields[k]);
  }
  return table;
}

/// Data sets of a group, and the columns of CSV that are the same.
using DataSets = std::vector<std::pair<std::string, std::vector<std::string>>>;

void expectSame(const Table& csv, const std::string& path, const std::string& group, const DataSets& numbers,
                const std::vector<std::string>& texts) {
  for (const std::string& name : texts) EXPECT_EQ(hdf5Texts(path, group + name), csv.at(name)) << group << name;
  const formats::Hdf5Reader hdf5(path);
  for (const auto& [name, columns] : numbers) {
    SCOPED_TRACE(group + name);
    const std::vector<double> found = hdf5.numbers(group + name, columns.size());
    const std::size_t rows = csv.at(columns[0]).size();
    ASSERT_EQ(found.size(), rows * columns.size());
    for (std::size_t row = 0; row < rows; ++row)
      for (std::size_t k = 0; k < columns.size(); ++k)
        EXPECT_EQ(found[row * columns.size() + k], std::stod(csv.at(columns[k])[row])) << columns[k] << ' ' << row;
  }
}

struct Export : testing::Test {
  ProgramFolder folder;
  void SetUp() override {
    folder.write("r.urdf", robot());
    folder.write("s.yaml", kStanding);
    const ProgramResult run = folder.run({"run", "s.yaml", "-o", "r.rigor"});
    ASSERT_EQ(run.code, 0) << run.err;
  }
  void write(const std::vector<std::string>& times) const {
    for (const auto& [format, target] : {std::pair("csv", "t"), std::pair("hdf5", "t.h5")}) {
      std::vector<std::string> arguments{"export", "r.rigor", "--format", format, "-o", target};
      arguments.insert(arguments.end(), times.begin(), times.end());
      ASSERT_EQ(folder.run(arguments).code, 0);
    }
  }
};

TEST_F(Export, Hdf5HoldsWhatCsvHolds) {
  const std::vector<std::string> p{"px", "py", "pz"}, n{"nx", "ny", "nz"}, w{"wx", "wy", "wz"};
  for (const std::vector<std::string>& times : {std::vector<std::string>{}, {"--rate", "30"}}) {
    write(times);
    const std::string hdf5 = (folder / "t.h5").string();
    const std::string branch = "branches/0/";
    const Table contacts = columnsOf(folder / "t/contacts.csv"), sensors = columnsOf(folder / "t/sensors.csv"),
                joints = columnsOf(folder / "t/joints.csv"), leaves = columnsOf(folder / "t/leaves.csv");
    EXPECT_GT(contacts.at("t0").size(), 4u);
    EXPECT_GE(sensors.at("time").size(), 7u);
    EXPECT_EQ(leaves.at("body").size(), 3u);
    expectSame(contacts, hdf5, branch + "contacts/",
               {{"t0", {"t0"}}, {"t1", {"t1"}}, {"point", p}, {"normal", n}, {"impulse", {"Px", "Py", "Pz"}}},
               {"body_a", "body_b"});
    expectSame(sensors, hdf5, branch + "sensors/",
               {{"time", {"time"}},
                {"contact", {"contact"}},
                {"force", {"Fx", "Fy", "Fz"}},
                {"torque", {"Mx", "My", "Mz"}},
                {"specific_force", {"fx", "fy", "fz"}},
                {"angular_velocity", w}},
               {"link"});
    expectSame(joints, hdf5, branch + "joints/",
               {{"time", {"time"}}, {"position", {"position"}}, {"velocity", {"velocity"}}, {"effort", {"effort"}}},
               {"joint"});
    expectSame(leaves, hdf5, "leaves/",
               {{"weight", {"weight"}},
                {"time", {"time"}},
                {"position", p},
                {"orientation", {"qw", "qx", "qy", "qz"}},
                {"velocity", {"vx", "vy", "vz"}},
                {"angular_velocity", w}},
               {"branch", "modes", "status", "body"});
  }
}

TEST_F(Export, JointsThatFollowOthersHaveRows) {
  for (const std::vector<std::string>& times : {std::vector<std::string>{}, {"--rate", "30"}}) {
    write(times);
    const Table joints = columnsOf(folder / "t/joints.csv");
    const std::vector<std::string>& names = joints.at("joint");
    ASSERT_GE(names.size(), 14u);
    ASSERT_EQ(names.size() % 2, 0u);
    const auto number = [&](const char* column, std::size_t row) { return std::stod(joints.at(column)[row]); };
    for (std::size_t row = 0; row < names.size(); row += 2) {
      EXPECT_EQ(names[row], "r/j");
      EXPECT_EQ(names[row + 1], "r/k");
      EXPECT_EQ(number("time", row), number("time", row + 1));
      EXPECT_EQ(number("position", row + 1), -2 * number("position", row) + 0.125);
      EXPECT_EQ(number("velocity", row + 1), -2 * number("velocity", row));
      EXPECT_EQ(number("effort", row + 1), 0);
    }
  }
}

}  // namespace
}  // namespace rigor::cli
