// SPDX-License-Identifier: MIT
// Proved: joints are stopped by their limits, hit them at the right time and with their restitution, carry what presses
// them there and nothing more, and are inside them at every instant of the published motion. Oracles: elliptic
// integrals, free fall and statics in closed form; coordinates computed here from the poses of the published pieces.
#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <cmath>
#include <fstream>
#include <numbers>
#include <random>

#include "scenes/loader.h"
#include "tests/sim/simulated_run.h"
#include "tests/json_text.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {
namespace {

using Eigen::Vector3d;

constexpr double kGravity = 9.81;

/// A URDF file beside a scene that is read from memory.
class RobotScene {
 public:
  /// @param fields  Further lines of the robot, of the scene.
  Scene make(const std::string& urdf, const std::string& robot_fields, const std::string& fields) const {
    std::ofstream(folder_ / "r.urdf") << "<robot name=\"r\">\n<link name=\"world\"/>\n" << urdf << "</robot>\n";
    return scenes::parseScene(
        "name: limits\n" + fields + "\nrobots:\n  - name: r\n    urdf: r.urdf\n" + robot_fields + "\n",
        (folder_ / "s.yaml").string());
  }
  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }

 private:
  TemporaryFolder folder_;
};

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", x);
  return text;
}
std::string triple(const Vector3d& v) { return number(v[0]) + " " + number(v[1]) + " " + number(v[2]); }

/// A box of `size` and `mass` about `centre`; without a surface where `solid` is false.
std::string link(const std::string& name, double mass, const Vector3d& size, const Vector3d& centre,
                 bool solid = true) {
  const Vector3d inertia = mass / 12 *
                           Vector3d(size[1] * size[1] + size[2] * size[2], size[0] * size[0] + size[2] * size[2],
                                    size[0] * size[0] + size[1] * size[1]);
  const std::string origin = "<origin xyz=\"" + triple(centre) + "\"/>";
  return "<link name=\"" + name + "\"><inertial>" + origin + "<mass value=\"" + number(mass) + "\"/><inertia ixx=\"" +
         number(inertia[0]) + "\" ixy=\"0\" ixz=\"0\" iyy=\"" + number(inertia[1]) + "\" iyz=\"0\" izz=\"" +
         number(inertia[2]) + "\"/></inertial>" +
         (solid ? "<collision>" + origin + "<geometry><box size=\"" + triple(size) + "\"/></geometry></collision>"
                : "") +
         "</link>\n";
}

std::string joint(const std::string& name, const std::string& type, const std::string& parent, const std::string& child,
                  const Vector3d& origin, const Vector3d& axis, double lower, double upper) {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent link=\"" + parent + "\"/><child link=\"" + child +
         "\"/><origin xyz=\"" + triple(origin) + "\"/><axis xyz=\"" + triple(axis) + "\"/><limit lower=\"" +
         number(lower) + "\" upper=\"" + number(upper) + "\" effort=\"0\" velocity=\"0\"/></joint>\n";
}

/// Pose of a link's frame at a time within the published pieces.
geom::Pose linkAt(const ProvedRun& run, int body, double t) {
  if (run.scene.bodies[body].fixed) return run.scene.bodies[body].pose;
  for (const PieceRecord& r : run.pieces)
    if (r.body == body && r.piece.t0 <= t && t <= r.piece.t1) {
      geom::Pose X = r.piece.at(t);
      X.p -= X.rotation() * run.scene.bodies[body].centre;
      return X;
    }
  throw std::logic_error("no piece");
}

/// The coordinate of a revolute or prismatic joint of the first robot, from the poses of its two links.
double coordinateAt(const ProvedRun& run, int j, double t) {
  const SceneRobot& robot = run.scene.robots[0];
  const auto& joint = robot.robot.model->joint(j);
  const geom::Pose P = linkAt(run, robot.first_body + joint.parent, t),
                   C = linkAt(run, robot.first_body + joint.child, t);
  const Eigen::Matrix3d R_PJ = joint.origin.rotation(), R = R_PJ.transpose() * P.rotation().transpose() * C.rotation();
  const Vector3d axis = joint.axis.normalized();
  if (joint.type == dynamics::JointType::kPrismatic)
    return axis.dot(R_PJ.transpose() * (P.rotation().transpose() * (C.p - P.p) - joint.origin.p));
  const Eigen::Quaterniond q(R);
  return 2 * std::atan2(q.vec().dot(axis), q.w());
}

long countEvents(const ProvedRun& run, const std::string& kind) {
  return std::count_if(run.events.begin(), run.events.end(), [&](const Event& e) { return e.kind == kind; });
}

/// Of a limit, in radians, where the smallest moving body is below 1.7 m.
constexpr double kAngleGap = 1e-7;

TEST(JointLimits, APendulumHitsItsLimitAtTheTimeOfTheEllipticIntegral) {
  const double length = 0.8, start = 1.1, lower = -0.35, e = 0.6;
  const RobotScene files;
  const Scene scene = files.make(link("rod", 2, {0.04, 0.05, length}, {0, 0, -length / 2}) +
                                     joint("hinge", "revolute", "world", "rod", {0, 0, 0}, {0, 1, 0}, lower, 2),
                                 "    joints: {hinge: 1.1}\n    limit_restitution: 0.6",
                                 "until: 0.9\nsolver: {velocity_tolerance: 1e-6, max_step: 0.005}");
  const ProvedRun run = simulate(scene);
  EXPECT_EQ(wrong(run), "");
  // I theta'' = -m g l sin theta; sin(theta/2) = k sin phi makes the time an elliptic integral of the first kind.
  const Body& rod = scene.bodies[bodyNamed(scene, "r/rod")];
  const double arm = length / 2, inertia = rod.inertia(1, 1) + rod.mass * arm * arm,
               frequency = std::sqrt(rod.mass * kGravity * arm / inertia);
  const double k = std::sin(start / 2), hit = lower + kAngleGap;
  const double time = (std::comp_ellint_1(k) - std::ellint_1(k, std::asin(std::sin(hit / 2) / k))) / frequency;
  const double speed = frequency * std::sqrt(2 * (std::cos(hit) - std::cos(start)));
  ASSERT_EQ(run.impacts.size(), 1u);
  const ImpactRecord& impact = run.impacts[0];
  EXPECT_NEAR(impact.time, time, 1e-9);
  EXPECT_NEAR(impact.before[0][4], -speed, 1e-7 * speed);
  EXPECT_NEAR(impact.after[0][4], -e * impact.before[0][4], 1e-12 * speed);
  ASSERT_EQ(impact.contacts.size(), 1u);
  EXPECT_NEAR(impact.contacts[0].impulse[0], (1 + e) * inertia * speed, 1e-6 * inertia * speed);  // N m s
  EXPECT_EQ(impact.contacts[0].pair.part_a, -1);
  EXPECT_NEAR(impact.contacts[0].normal[1], 1, 1e-15);
  const auto named = parsedJson("{" + impact.contacts[0].limit + "}");
  EXPECT_EQ(named["joint"], "r/hinge");
  EXPECT_EQ(named["end"], "lower");
  EXPECT_EQ(countEvents(run, "limit-reached"), 1);
  EXPECT_EQ(countEvents(run, "limit-left"), 1);
  EXPECT_EQ(run.summary.manifold_changes, 0);
  // It swings back with what restitution left.
  const double back = coordinateAt(run, 0, time + 0.1), rate = e * speed;
  EXPECT_GT(back, lower + 0.09 * rate);
}

TEST(JointLimits, ASliderBouncesOnItsStopAndComesToRest) {
  const RobotScene files;
  const Scene scene = files.make(link("slider", 1, {0.1, 0.1, 0.1}, {0, 0, 0}) +
                                     joint("slide", "prismatic", "world", "slider", {0, 0, 0}, {0, 0, 1}, -0.3, 0.2),
                                 "    limit_restitution: {slide: 0.5}", "until: 1.5");
  const ProvedRun run = simulate(scene);
  EXPECT_EQ(wrong(run), "");
  const double fall = 0.3 - run.gap;
  double time = std::sqrt(2 * fall / kGravity), speed = std::sqrt(2 * fall * kGravity);
  ASSERT_GE(run.impacts.size(), 5u);
  double late = 1e-9;  // A bounce starts somewhere between floor and gap; what follows is later by what that takes.
  for (int bounce = 0; bounce < 5; ++bounce) {
    EXPECT_NEAR(run.impacts[bounce].time, time, late) << bounce;
    EXPECT_NEAR(run.impacts[bounce].before[0][2], -speed, kGravity * late) << bounce;
    speed *= 0.5;
    EXPECT_NEAR(run.impacts[bounce].after[0][2], speed, kGravity * late) << bounce;
    late += 3 * (run.gap - run.floor) / speed;
    time += 2 * speed / kGravity;
  }
  EXPECT_EQ(countEvents(run, "rest"), 1);
  EXPECT_NEAR(coordinateAt(run, 0, 1.5), -0.3 + run.gap, 0.1 * run.gap);
  // What is lost in bounces and at the end is all potential energy.
  EXPECT_NEAR(run.summary.energy_initial - run.summary.energy_final, kGravity * fall, 1e-7);
}

/// Two horizontal links that hang on their lower limits; a constant torque lifts at one joint.
class LiftedArm : public ::testing::Test {
 protected:
  const double length_ = 0.4, mass_ = 1.5;
  ProvedRun lift(double shoulder, double elbow) const {
    files_.write("lift.csv", "time,shoulder,elbow\n0," + number(shoulder) + "," + number(elbow) + "\n");
    const Vector3d size(length_, 0.05, 0.05), middle(length_ / 2, 0, 0), end(length_, 0, 0);
    // Turns about -y lift.
    return simulate(files_.make(link("upper", mass_, size, middle) + link("lower", mass_, size, middle) +
                                    joint("shoulder", "revolute", "world", "upper", {0, 0, 0}, {0, -1, 0}, 0, 2) +
                                    joint("elbow", "revolute", "upper", "lower", end, {0, -1, 0}, 0, 2),
                                "    controller: {type: script, file: lift.csv, rate: 100}", "until: 0.1"));
  }
  RobotScene files_;
};

TEST_F(LiftedArm, LimitsCarryTheWeightUpToTheTorqueThatLifts) {
  const double elbow = mass_ * kGravity * length_ / 2, shoulder = 4 * elbow;
  for (const double share : {0.0, 0.5, 1 - 1e-4}) {
    const ProvedRun run = lift(share * shoulder, 0);
    EXPECT_EQ(wrong(run), "") << share;
    for (const int j : {0, 1}) EXPECT_NEAR(coordinateAt(run, j, 0.1), kAngleGap, 0.1 * kAngleGap) << share;
  }
  // A torque at the elbow acts on the shoulder's limit as well: what it carries is the sum.
  const ProvedRun still = lift(0, (1 - 1e-4) * elbow);
  EXPECT_EQ(wrong(still, RunStatus::kDone, HUGE_VAL), "");
  EXPECT_NEAR(coordinateAt(still, 1, 0.1), kAngleGap, 0.1 * kAngleGap);
  // One part in a hundred more, and it leaves with the acceleration of what is left over.
  const double inertia = mass_ * (length_ * length_ / 3 + 0.05 * 0.05 / 12);
  const ProvedRun raised = lift(0, 1.01 * elbow);
  EXPECT_EQ(wrong(raised, RunStatus::kDone, HUGE_VAL), "");
  EXPECT_NEAR(coordinateAt(raised, 1, 0.1), 0.01 * elbow / inertia * 0.1 * 0.1 / 2, 1e-5);
  EXPECT_NEAR(coordinateAt(raised, 0, 0.1), kAngleGap, 0.1 * kAngleGap);
  EXPECT_EQ(countEvents(raised, "limit-reached"), 1);  // The shoulder's alone.
}

/// A chain of boxes whose joints, axes and limits are random, swinging in gravity.
Scene randomRobot(const RobotScene& files, int seed) {
  std::mt19937 random(seed);
  const auto uniform = [&](double a, double b) { return a + (b - a) * (random() >> 5) / double(1 << 27); };
  const int links = 1 + seed % 4;
  std::string urdf, speeds, restitutions;
  for (int i = 0; i < links; ++i) {
    const Vector3d size(uniform(0.05, 0.1), uniform(0.05, 0.1), uniform(0.2, 0.5));
    const std::string name = "link" + std::to_string(i), joint_name = "joint" + std::to_string(i);
    urdf += link(name, uniform(0.5, 3), size, {0, 0, -size[2] / 2}, seed % 5 < 3 || (seed % 5 == 3 && i == 0));
    const bool slides = random() % 4 == 0;
    const double range = slides ? 0.15 : 0.8;
    urdf += joint(joint_name, slides ? "prismatic" : "revolute", i ? "link" + std::to_string(i - 1) : "world", name,
                  {0, 0, i ? -0.3 : 0}, Vector3d(uniform(-1, 1), uniform(-1, 1), uniform(-1, 1)).normalized(),
                  -range * uniform(0.1, 1), range * uniform(0.1, 1));
    speeds += (i ? ", " : "") + joint_name + ": " + number(uniform(-4, 4) * (slides ? 0.4 : 1));
    restitutions += (i ? ", " : "") + joint_name + ": " + number(seed % 3 == 0 ? 0 : uniform(0, 0.8));
  }
  const char* models[] = {"routh", "anitescu-potra", "sequential", "plus"};
  return files.make(urdf, "    joint_velocities: {" + speeds + "}\n    limit_restitution: {" + restitutions + "}",
                    std::string("until: 0.5\nimpact: {model: ") + models[seed / 4 % 4] + "}");
}

/// Least distance of a joint to its limits at `samples` random times of the published motion, in units of what it is
/// kept at.
double leastRoom(const ProvedRun& run, int samples, int seed) {
  std::mt19937 random(seed);
  double least = HUGE_VAL;
  const auto& model = *run.scene.robots[0].robot.model;
  for (int i = 0; i < samples; ++i) {
    const double t = run.summary.time * (random() >> 5) / double(1 << 27);
    for (int j = 0; j < model.numJoints(); ++j) {
      if (model.joint(j).num_v == 0) continue;
      const double q = coordinateAt(run, j, t),
                   gap = model.joint(j).type == dynamics::JointType::kPrismatic ? run.gap : kAngleGap;
      least = std::min({least, (q - model.joint(j).lower) / gap, (model.joint(j).upper - q) / gap});
    }
  }
  return least;
}

void swingRandomRobots(int first, int last, int samples) {
  const RobotScene files;
  long impacts = 0;
  for (int seed = first; seed < last; ++seed) {
    SCOPED_TRACE(seed);
    const ProvedRun run = simulate(randomRobot(files, seed));
    EXPECT_EQ(wrong(run), "");
    EXPECT_GT(leastRoom(run, samples, seed),
              0.25);  // The floor is 0.5; links leave their joints' motion by less than the rest.
    impacts += run.summary.impacts;
  }
  EXPECT_GT(impacts, last - first);
}

TEST(JointLimits, RandomRobotsStayInside) { swingRandomRobots(0, 12, 200); }
TEST(SlowJointLimits, AHundredRandomRobotsStayInside) { swingRandomRobots(12, 112, 100); }

/// A slider of mass 2 on which nothing but its actuator acts.
ProvedRun drive(const RobotScene& files, const std::string& limit, const std::string& script, double until) {
  files.write("push.csv", script);
  std::string slide = joint("slide", "prismatic", "world", "slider", {0, 0, 0}, {1, 0, 0}, -50, 50);
  slide.replace(slide.find("effort"), std::string("effort=\"0\" velocity=\"0\"").size(), limit);
  return simulate(files.make(link("slider", 2, {0.1, 0.1, 0.1}, {0, 0, 0}) + slide,
                             "    position: [0, 0, 1]\n    controller: {type: script, file: push.csv, rate: 1000}",
                             "until: " + number(until)));
}

// The smallest body of a scene says how closely limits are known as lengths. As angles it says nothing of an arm that
// is a thousand times as long.
TEST(JointLimits, ALongArmBesideAChipIsHeldToItsOwnLength) {
  const RobotScene files;
  const Scene scene = files.make(
      link("arm", 2, {1.2, 0.05, 0.05}, {0.6, 0, 0}) +
          joint("j", "revolute", "world", "arm", {0, 0, 0}, {0, 1, 0}, -1, 0.5),
      "", "until: 0.6\nbodies:\n  - {name: chip, shape: {box: {size: [0.001, 0.001, 0.001]}}, mass: 0.001, "
          "position: [3, 0, 0]}");
  const ProvedRun run = simulate(scene);
  EXPECT_EQ(wrong(run), "");
  EXPECT_NEAR(run.gap, 1e-10, 1e-24);
  EXPECT_EQ(countEvents(run, "limit-reached"), 1);
  const double at_rest = coordinateAt(run, 0, 0.6);  // The gap is one of 12 mm rad: a hundredth of the arm.
  EXPECT_LT(at_rest, 0.5);
  EXPECT_NEAR(at_rest, 0.5, 3 * run.gap / 0.012);
}

TEST(JointLimits, EffortIsWhatTheActuatorHas) {
  const RobotScene files;
  const ProvedRun run = drive(files, "effort=\"6\" velocity=\"0\"", "time,slide\n0,100\n", 0.5);
  EXPECT_EQ(wrong(run, RunStatus::kDone, HUGE_VAL), "");
  EXPECT_NEAR(coordinateAt(run, 0, 0.5), 0.5 * (6 / 2.0) * 0.25, 1e-9);  // Not 100 N.
  EXPECT_NEAR(coordinateAt(run, 0, 0.2), 0.5 * (6 / 2.0) * 0.04, 1e-9);
}

TEST(JointLimits, BeyondItsSpeedAnActuatorOnlyBrakes) {
  // 20 N for 0.3 s, then -20 N: 10 m/s^2 up to 1.5 m/s, reached at 0.15 s and passed by at most one sample; it coasts,
  // then brakes.
  const RobotScene files;
  const ProvedRun run = drive(files, "effort=\"0\" velocity=\"1.5\"", "time,slide\n0,20\n0.3,20\n0.3000001,-20\n", 0.4);
  EXPECT_EQ(wrong(run, RunStatus::kDone, HUGE_VAL), "");
  const auto speed = [&](double t) { return (coordinateAt(run, 0, t + 1e-4) - coordinateAt(run, 0, t - 1e-4)) / 2e-4; };
  EXPECT_NEAR(speed(0.1), 1, 1e-6);
  EXPECT_GE(speed(0.25), 1.5 - 1e-6);
  EXPECT_LE(speed(0.25), 1.5 + 10 * 0.001 + 1e-6);
  EXPECT_NEAR(speed(0.299), speed(0.16), 1e-6);
  EXPECT_NEAR(speed(0.39), speed(0.25) - 10 * 0.089, 0.011);
}

TEST(JointLimits, SnapshotsAtALimitContinueBitForBit) {
  const RobotScene files;
  const Scene scene = randomRobot(files, 6);
  struct Ends : Sink {
    std::vector<double> values;
    void piece(const PieceRecord& r) override {
      for (const double x : r.piece.end().q) values.push_back(x);
    }
    void event(const EventRecord& r) override { values.push_back(r.time); }
  };
  Simulation once(scene, 1);
  Ends first, a, b;
  for (int part = 1; part <= 10; ++part) {
    const double until = 0.05 * part;
    const std::vector<unsigned char> state = once.snapshot();
    a.values.clear(), b.values.clear();
    (void)once.run(until, a);
    Simulation again(scene, 1);
    again.restore(state);
    (void)again.run(until, b);
    EXPECT_EQ(a.values, b.values);
    EXPECT_EQ(once.snapshot(), again.snapshot());
  }
}

TEST(JointLimits, StartsAtALimitAreMovedInsideAndSaySo) {
  const RobotScene files;
  const std::string rod = link("rod", 1, {0.05, 0.05, 0.5}, {0, 0, -0.25});
  const Scene scene =
      files.make(rod + joint("hinge", "revolute", "world", "rod", {0, 0, 0}, {0, 1, 0}, 0, 1), "", "until: 0.1");
  const ProvedRun run = simulate(scene);
  EXPECT_EQ(wrong(run), "");
  ASSERT_EQ(run.warnings.size(), 1u);
  EXPECT_NE(run.warnings[0].find("'r/hinge'"), std::string::npos);
  EXPECT_NEAR(coordinateAt(run, 0, 0), kAngleGap, 1e-12);
  const auto reason = [&](double lower, double upper, double start) -> std::string {
    Scene tight = files.make(rod + joint("hinge", "revolute", "world", "rod", {0, 0, 0}, {0, 1, 0}, lower, upper), "",
                             "until: 0.1");
    tight.robots[0].robot.start.q[0] = start;  // As the library's users may; files are refused when they are read.
    try {
      Simulation simulation(tight, 0);
    } catch (const SceneError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_NE(reason(-1e-8, 1e-8, 0).find("fixed joint"), std::string::npos);
  EXPECT_EQ(reason(-1e-6, 1e-6, 0), "");
  EXPECT_EQ(reason(-1, 2, 2), "");
  EXPECT_EQ(reason(-1, 2, 2.00001), "joint 'r/hinge' starts at 2.00001, beyond its upper limit 2");
  EXPECT_NE(reason(-1, 2, std::nan("")), "");
}

}  // namespace
}  // namespace rigor::sim::test
