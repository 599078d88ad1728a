// SPDX-License-Identifier: MIT
// Proves: what MJCF files state is read as MuJoCo's own parser reads it. Oracle: libmujoco, on random models of every
// orientation notation, joint, geom, default class and compiler option: masses, centres, inertias and poses of all
// bodies at random coordinates, ranges, and the mass matrix of armatures.
#ifdef RIGOR_HAS_MUJOCO
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <mujoco/mujoco.h>

#include <memory>
#include <random>

#include "dynamics/kinematics.h"
#include "scenes/mjcf.h"
#include "tests/scenes/loaded_robot.h"
#include "tests/scenes/robot_text.h"

namespace rigor::scenes {
namespace {

using Eigen::Vector3d;
using RowMajor3 = Eigen::Matrix<double, 3, 3, Eigen::RowMajor>;

constexpr double kSingle = 5e-6;  // MuJoCo keeps meshes in floats, and iterates for principal axes.

/// A random model as text.
class RandomMjcf {
 public:
  explicit RandomMjcf(unsigned seed) : random_(seed) {}

  std::string text() {
    radians_ = chance(.5);
    std::string compiler = fmt::format("angle=\"{}\" autolimits=\"true\"", radians_ ? "radian" : "degree");
    if (chance(.5)) compiler += " eulerseq=\"" + eulerSequence() + "\"";
    if (chance(.2)) compiler += " settotalmass=\"7.5\"";
    if (chance(.2)) compiler += " inertiafromgeom=\"true\"";
    const int bounds = count(0, 6);  // Not both: MuJoCo puts the least mass of a body without geoms elsewhere.
    if (bounds == 0) compiler += " boundmass=\"1.5\" boundinertia=\"0.05\"";
    if (bounds == 1) compiler += " inertiagrouprange=\"0 2\"";
    if (chance(.2)) compiler += " balanceinertia=\"true\"";
    global_ = chance(.2);
    if (global_) compiler += " coordinate=\"global\"";
    std::string bodies;
    for (int k = 0; k < 3; ++k) bodies += body(0, true);
    return "<mujoco model=\"m\"><compiler " + compiler + "/>\n" + kDefaults + kAssets +
           "<worldbody>" + bodies + "</worldbody></mujoco>\n";
  }

 private:
  static constexpr const char* kDefaults =
      "<default><geom density=\"800\" group=\"1\"/><joint armature=\"0.01\"/>"
      "<default class=\"a\"><geom type=\"box\" size=\".1 .2 .05\"/><joint axis=\"0 1 0\" armature=\"0.5\"/>"
      "<default class=\"b\"><geom density=\"300\" group=\"4\"/><joint type=\"slide\" axis=\"1 1 0\"/></default>"
      "</default><default class=\"c\"><joint pos=\".1 0 .2\" range=\"-1 1.5\"/><geom type=\"capsule\" "
      "size=\".05 .2\"/></default></default>\n";
  static constexpr const char* kAssets =
      "<asset><mesh name=\"brick\" scale=\"1 2 .5\" vertex=\"0 0 0 .1 0 0 .1 .1 0 0 .1 0 0 0 .1 .1 0 .1 .1 .1 .1 0 .1 "
      ".1\" face=\"0 2 1 0 3 2 4 5 6 4 6 7 0 1 5 0 5 4 1 2 6 1 6 5 2 3 7 2 7 6 3 0 4 3 4 7\"/></asset>\n";

  double number(double low, double high) { return std::uniform_real_distribution<double>(low, high)(random_); }
  int count(int low, int high) { return std::uniform_int_distribution<int>(low, high)(random_); }
  bool chance(double p) { return number(0, 1) < p; }
  std::string vector(int size, double low, double high) {
    std::string all;
    for (int k = 0; k < size; ++k) all += fmt::format("{}{:.6f}", k ? " " : "", number(low, high));
    return all;
  }
  double angle() { return number(-3, 3) * (radians_ ? 1 : 57); }
  std::string eulerSequence() {
    std::string letters;
    const bool capitals = chance(.5);
    for (int k = 0; k < 3; ++k) letters += static_cast<char>((capitals ? 'X' : 'x') + count(0, 2));
    return letters;
  }
  std::string orientation() {
    switch (count(0, 5)) {
      case 0: return " quat=\"" + vector(4, -1, 1) + "\"";
      case 1: return fmt::format(" axisangle=\"{} {:.6f}\"", vector(3, -1, 1), angle());
      case 2: return fmt::format(" euler=\"{:.6f} {:.6f} {:.6f}\"", angle(), angle(), angle());
      case 3: return " xyaxes=\"" + vector(6, -1, 1) + "\"";
      case 4: return " zaxis=\"" + vector(3, -1, 1) + "\"";
      default: return "";
    }
  }
  std::string place() { return (chance(.8) ? " pos=\"" + vector(3, -1, 1) + "\"" : "") + orientation(); }
  std::string ofClass() { return chance(.4) ? fmt::format(" class=\"{}\"", "abc"[count(0, 2)]) : ""; }

  std::string geom() {
    static constexpr const char* kTypes[] = {"sphere", "box", "capsule", "cylinder", "ellipsoid"};
    if (chance(.1)) return "<geom class=\"c\"/>";
    std::string text = "<geom" + (chance(.3) ? std::string(" class=\"b\"") : std::string());
    const bool between = chance(.3);
    const int type = between ? count(1, 4) : count(0, 4);
    text += fmt::format(" type=\"{}\" size=\"{}\"", kTypes[type], vector(3, .05, .3));
    text += between ? " fromto=\"" + vector(6, -.5, .5) + "\"" : place();
    if (chance(.3)) text += fmt::format(" mass=\"{:.6f}\"", number(.5, 3));
    else if (chance(.5)) text += fmt::format(" density=\"{:.6f}\"", number(100, 3000));
    if (chance(.3)) text += fmt::format(" group=\"{}\"", count(0, 3));
    return text + "/>";
  }

  std::string inertial() {
    const double x = number(.15, .2), y = number(.15, .2), z = number(.15, .25);
    std::string text = fmt::format("<inertial mass=\"{:.6f}\" pos=\"{}\"", number(1, 4), vector(3, -.2, .2));
    if (chance(.5)) return text + orientation() + fmt::format(" diaginertia=\"{:.6f} {:.6f} {:.6f}\"/>", x, y, z);
    return text + fmt::format(" fullinertia=\"{:.6f} {:.6f} {:.6f} .004 -.003 .001\"/>", x, y, z);
  }

  std::string body(int depth, bool in_world) {
    const int own = bodies_++;
    const std::string at = global_ ? " pos=\"" + vector(3, -1, 1) + "\"" + orientation() : place();
    std::string text = fmt::format("<body name=\"b{}\"", own) + at +
                       (chance(.3) ? fmt::format(" childclass=\"{}\"", "ac"[count(0, 1)]) : "") + ">\n";
    const int kind = count(0, 5);
    const std::string name = fmt::format("<joint name=\"j{}", own);
    if (kind == 0 && in_world) text += fmt::format("<freejoint name=\"j{}\"/>", own);
    else if (kind == 1) text += name + "\" type=\"ball\" pos=\"" + vector(3, -.1, .1) + "\" armature=\"0\"/>";
    else if (kind != 2)
      for (int k = 0; k < count(1, 3); ++k)
        text += name + fmt::format("{}\" type=\"{}\" axis=\"{}\" pos=\"{}\"", "xyz"[k], chance(.7) ? "hinge" : "slide",
                                   vector(3, -1, 1), vector(3, -.2, .2)) +
                (chance(.3) ? fmt::format(" armature=\"{:.6f}\"", number(0, 1)) : "") +
                (chance(.3) ? " ref=\".3\"" : "") + ofClass() + "/>";
    if (chance(.4)) text += inertial();
    for (int k = 0; k < count(1, 3); ++k) text += geom();
    if (chance(.15)) text += "<geom type=\"mesh\" mesh=\"brick\"" + place() + "/>";
    for (int k = 0; depth < 3 && k < count(0, 2); ++k) text += body(depth + 1, false);
    return text + "</body>\n";
  }

  std::mt19937 random_;
  bool radians_ = true, global_ = false;
  int bodies_ = 0;
};

struct Engine {
  explicit Engine(const std::string& path) {
    char error[1000] = "";
    model.reset(mj_loadXML(path.c_str(), nullptr, error, sizeof error));
    if (model) data.reset(mj_makeData(model.get()));
    why = error;
  }
  struct Delete {
    void operator()(mjModel* m) const { mj_deleteModel(m); }
    void operator()(mjData* d) const { mj_deleteData(d); }
  };
  std::unique_ptr<mjModel, Delete> model;
  std::unique_ptr<mjData, Delete> data;
  std::string why;
};

/// Random coordinates for both; of joints that we hold fixed zero.
void placeBoth(std::mt19937& random, Engine& engine, FileModel& file) {
  std::uniform_real_distribution<double> number(-1, 1);
  const mjModel& m = *engine.model;
  for (int j = 0; j < m.njnt; ++j) {
    const std::string name = mj_id2name(&m, mjOBJ_JOINT, j);
    const auto joint = std::find_if(file.joints.begin(), file.joints.end(),
                                    [&](const FileJoint& one) { return one.name == name; });
    ASSERT_NE(joint, file.joints.end()) << name;
    mjtNum* q = engine.data->qpos + m.jnt_qposadr[j];
    const int type = m.jnt_type[j];
    if (type == mjJNT_HINGE || type == mjJNT_SLIDE) {
      const double range[] = {m.jnt_range[2 * j], m.jnt_range[2 * j + 1]}, ref = m.qpos0[m.jnt_qposadr[j]];
      EXPECT_EQ(std::isfinite(joint->lower), m.jnt_limited[j] != 0) << name;
      if (m.jnt_limited[j]) {
        EXPECT_NEAR(joint->lower, range[0] - ref, 1e-12) << name;
        EXPECT_NEAR(joint->upper, range[1] - ref, 1e-12) << name;
      }
      EXPECT_NEAR(joint->armature, m.dof_armature[m.jnt_dofadr[j]], 1e-12) << name;
      *q = ref + number(random);
      joint->start = {*q - ref};
      continue;
    }
    if (type == mjJNT_FREE) for (int k = 0; k < 3; ++k) *q++ = number(random);
    Eigen::Vector4d turn(number(random), number(random), number(random), number(random));
    turn.normalize();
    for (int k = 0; k < 4; ++k) q[k] = turn[k];
    const mjtNum* first = engine.data->qpos + m.jnt_qposadr[j];
    joint->start.assign(first, static_cast<const mjtNum*>(q + 4));
  }
}

class MujocoTwin : public ::testing::TestWithParam<int> {};

TEST_P(MujocoTwin, ReadsTheSameModel) {
  const Folder folder;
  int read = 0;
  for (int seed = 40 * GetParam(); seed < 40 * (GetParam() + 1); ++seed) {
    const std::string path = folder.write("m.xml", RandomMjcf(seed).text());
    Engine engine(path);
    if (!engine.model) continue;  // Random bodies without mass, or limits of balls.
    ++read;
    std::vector<std::string> warnings;
    FileModel file = readMjcf(path, warnings);
    std::mt19937 random(seed);
    placeBoth(random, engine, file);
    if (HasFatalFailure()) return;
    const RobotModel robot = makeRobotModel(std::move(file), RobotBase::kAuto, {});
    const dynamics::ArticulatedModel& ours = *robot.model;
    dynamics::ArticulatedWorkspace workspace(ours);
    dynamics::calcPositions(ours, robot.start.q, workspace);
    mj_kinematics(engine.model.get(), engine.data.get());
    for (int b = 1; b < engine.model->nbody; ++b) {
      const std::string name = mj_id2name(engine.model.get(), mjOBJ_BODY, b);
      const int link = ours.findLink(name);
      ASSERT_GE(link, 0) << name;
      const mjModel& m = *engine.model;
      const mjData& d = *engine.data;
      const auto vectorOf = [&](const mjtNum* all) { return Vector3d(Eigen::Map<const Vector3d>(all + 3 * b)); };
      const auto matrixOf = [&](const mjtNum* all) -> Eigen::Matrix3d {
        return Eigen::Map<const RowMajor3>(all + 9 * b);
      };
      const geom::Pose X = dynamics::linkPose(ours, workspace, link);
      const std::string where = fmt::format("seed {}, body {}", seed, name);
      EXPECT_LE((X.p - vectorOf(d.xpos)).norm(), 1e-12) << where;
      EXPECT_LE((X.rotation() - matrixOf(d.xmat)).norm(), 1e-12) << where;
      const auto& body = ours.link(link);
      EXPECT_NEAR(body.mass, m.body_mass[b], kSingle * m.body_mass[b]) << where;
      if (!(body.mass > 0)) continue;
      const Eigen::Matrix3d Q = matrixOf(d.ximat),
                            I = Q * vectorOf(m.body_inertia).asDiagonal() * Q.transpose(),
                            J = X.rotation() * body.inertia * X.rotation().transpose();
      EXPECT_LE((dynamics::linkCentre(ours, workspace, link) - vectorOf(d.xipos)).norm(), kSingle) << where;
      EXPECT_LE((I - J).norm(), kSingle * I.norm()) << where;
      if (HasFailure()) return;
    }
  }
  EXPECT_GE(read, 15);  // About half; which ones depends on the order in which a compiler evaluates arguments.
}

INSTANTIATE_TEST_SUITE_P(Seeds, MujocoTwin, ::testing::Range(0, 5));

}  // namespace
}  // namespace rigor::scenes
#endif
