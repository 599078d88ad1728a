// SPDX-License-Identifier: MIT
// Proves: states at given times are those of the recorded polynomials, and both sides of an impact are said;
// coordinates of joints are told from their links; every page shows the recorded motion. Oracles: Bernstein sums in
// long double; rotations composed in closed form.
#include <gmock/gmock.h>

#include <Eigen/Geometry>
#include <filesystem>
#include <fstream>

#include "dynamics/articulated_description.h"
#include "record/export.h"
#include "record/writer.h"
#include "tests/json_text.h"
#include "tests/verify/synthetic_record.h"

namespace rigor::record {
namespace {

using Eigen::Vector3d;
using testing::ElementsAre;

struct TimesRecord : testing::Test {
  std::string path = synthetic::temporaryPath("times");
  void SetUp() override {
    sim::Scene scene;
    scene.name = "times</script>";
    scene.bodies = {synthetic::fixedPlane("table"), synthetic::cube("die", 0.1)};
    scene.bodies[1].centre = {0.01, -0.02, 0.03};
    Writer writer(path, scene, {}, synthetic::replacing());
    synthetic::Flight flight{1, {0.01, -0.02, 1.03}, {1, 2, 3}, {0.5, -1, 2}, {0, 0, -9.81}, {1, 0, 0, 0}};
    const sim::PieceRecord first = flight.step(0.25, 1);
    writer.piece(first);
    sim::ImpactRecord impact{0.25, "routh", {1}, {}, {}, {}};
    Eigen::Matrix<double, 6, 1> before, after;
    before << first.v_end, first.w_end;
    after << -1, 2, 3.5, 0, 0, 1;
    impact.before = {before}, impact.after = {after};
    impact.contacts = {{{0, 0, 1, 0}, {1, 2, 0}, {0, 0, 1}, 0.5, 0.5, {3, 0.25, 0}, {1, 0, 0}}};
    writer.impact(impact);
    writer.event({0.25, "contact-made", 0, 1, ""});
    flight.v = after.head<3>(), flight.w = after.tail<3>();
    writer.piece(flight.step(0.25, 2));
    writer.checkpoint(0.5, 2, {1});
    sim::Summary summary;
    summary.time = 0.5;
    writer.finish(summary, "{}");
  }
  void TearDown() override { std::filesystem::remove(path); }
};

/// Value or derivative of a Bernstein sum, the textbook way.
template <int N>
Eigen::Matrix<long double, N, 1> bernstein(const Eigen::Matrix<double, N, 1>* points, int degree, long double u) {
  Eigen::Matrix<long double, N, 1> sum = Eigen::Matrix<long double, N, 1>::Zero();
  for (int i = 0; i <= degree; ++i) {
    long double weight = 1;
    for (int k = 0; k < i; ++k) weight *= static_cast<long double>(degree - k) / (k + 1) * u;
    for (int k = i; k < degree; ++k) weight *= 1 - u;
    sum += weight * points[i].template cast<long double>();
  }
  return sum;
}

TEST_F(TimesRecord, StatesAtTimesAreThoseOfThePieces) {
  Reader reader(path);
  std::vector<std::pair<double, bool>> rows;
  const std::vector<double> at = {0, 0.1, 0.25, 0.3, 0.5, 0.75};
  forEachState(reader, "0", [&](double time, int body, const BodyState& state, bool after) {
    rows.emplace_back(time, after);
    EXPECT_EQ(body, 1);
    const bool second = after || time > 0.25;
    const advance::MotionPiece piece = reader.pieceAt("0", 1, second ? 0.3 : 0.1)->piece;
    const long double u = (static_cast<long double>(time) - piece.t0) / (static_cast<long double>(piece.t1) - piece.t0);
    const auto p = bernstein<3>(piece.p, piece.p_degree, u);
    const auto q = bernstein<4>(piece.q, piece.q_degree, u);
    EXPECT_LT((q.cast<double>() - state.orientation).norm(), 1e-15);
    const Eigen::Quaternion<long double> turn(q[0], q[1], q[2], q[3]);
    const Eigen::Matrix<long double, 3, 1> origin =
        p - turn.normalized() * Vector3d(0.01, -0.02, 0.03).cast<long double>();
    EXPECT_LT((origin.cast<double>() - state.position).norm(), 1e-15);
  }, {0, at});
  EXPECT_THAT(rows, ElementsAre(std::pair(0.0, false), std::pair(0.1, false), std::pair(0.25, false),
                                std::pair(0.25, true), std::pair(0.3, false), std::pair(0.5, false)));
}

TEST_F(TimesRecord, VelocitiesAreTheirDerivatives) {
  Reader reader(path);
  const double h = 1e-6;
  std::vector<BodyState> states;
  forEachState(reader, "0", [&](double, int, const BodyState& s, bool) { states.push_back(s); },
               {0, {0.1 - h, 0.1, 0.1 + h}});
  ASSERT_EQ(states.size(), 3u);
  // Central differences: wrong by the third derivative times h^2/6, and rounding over h.
  EXPECT_LT(((states[2].position - states[0].position) / (2 * h) - states[1].velocity).norm(), 1e-9);
}

TEST_F(TimesRecord, BothVelocitiesOfAnImpact) {
  Reader reader(path);
  std::vector<BodyState> states;
  forEachState(reader, "0", [&](double, int, const BodyState& s, bool) { states.push_back(s); }, {0, {0.25}});
  ASSERT_EQ(states.size(), 2u);
  EXPECT_EQ(states[0].position, states[1].position);
  EXPECT_EQ(states[1].angular_velocity, reader.pieceAt("0", 1, 0.3)->w_start);
  EXPECT_LT((states[1].angular_velocity - Vector3d(0, 0, 1)).norm(), 1e-15);
  EXPECT_EQ(states[0].angular_velocity, reader.pieceAt("0", 1, 0.1)->w_end);
}

TEST(ExportTimes, RatesAreQuotientsOfWholeNumbers) {
  const ExportTimes times{30, {}};
  const std::vector<double> list = times.within(0, 0.5);
  ASSERT_EQ(list.size(), 16u);
  for (int k = 0; k < 16; ++k) EXPECT_EQ(list[k], k / 30.0);
  EXPECT_THAT(times.within(0.1, 0.15), ElementsAre(3 / 30.0, 4 / 30.0));
  EXPECT_TRUE(times.within(0.101, 0.102).empty());
}

verify::kernel::Joint joint(verify::kernel::JointType type) {
  verify::kernel::Joint joint;
  joint.type = type;
  joint.axis = {0.6, 0, 1.6}, joint.axis2 = {0, 3, 1};
  joint.parent_point = {0.1, 0.2, 0.3}, joint.parent_frame = {0.5, 0.5, -0.5, 0.5};
  return joint;
}

/// The child's state, closed form: its frame is turned and shifted against the joint's frame on a parent that moves
/// itself.
struct Linkage {
  verify::kernel::Joint joint;
  BodyState parent{{1, 2, 3}, {0.3, -0.2, 0.5}, {1, -2, 0.5}, {0.9, 0.1, -0.3, 0.3}};

  BodyState child(const Eigen::Quaterniond& turn, const Vector3d& spin, const Vector3d& shift,
                  const Vector3d& glide) const {
    const Eigen::Quaterniond P = Eigen::Quaterniond(0.9, 0.1, -0.3, 0.3).normalized(),
                             J = P * Eigen::Quaterniond(0.5, 0.5, -0.5, 0.5);
    const Vector3d arm = P * Vector3d(0.1, 0.2, 0.3) + J * shift;
    const Eigen::Quaterniond q = J * turn;
    return {parent.position + arm, parent.velocity + parent.angular_velocity.cross(arm) + J * glide,
            parent.angular_velocity + J * spin, 2 * Eigen::Vector4d(q.w(), q.x(), q.y(), q.z())};
  }
};

constexpr double kRounding = 1e-14;  ///< Of some dozens of operations on numbers of size 1.

TEST(JointPosition, RevoluteAndPrismatic) {
  const Vector3d a = Vector3d(0.6, 0, 1.6).normalized();
  for (const double q : {-3.0, -1.0, 0.0, 0.5, 3.1}) {
    const Linkage hinge{joint(verify::kernel::JointType::kRevolute)};
    const auto turned =
        jointPosition(hinge.joint, hinge.parent,
                      hinge.child(Eigen::Quaterniond(Eigen::AngleAxisd(q, a)), 7 * a, {0, 0, 0}, {0, 0, 0}));
    ASSERT_EQ(turned.size(), 1u);
    EXPECT_NEAR(turned[0].position, q, kRounding);
    EXPECT_NEAR(turned[0].velocity, 7, 10 * kRounding);
    const Linkage slider{joint(verify::kernel::JointType::kPrismatic)};
    const auto moved = jointPosition(slider.joint, slider.parent,
                                     slider.child(Eigen::Quaterniond::Identity(), {0, 0, 0}, q * a, -2 * a));
    ASSERT_EQ(moved.size(), 1u);
    EXPECT_NEAR(moved[0].position, q, kRounding);
    EXPECT_NEAR(moved[0].velocity, -2, 10 * kRounding);
  }
}

TEST(JointPosition, Universal) {
  const Vector3d a = Vector3d(0.6, 0, 1.6).normalized(), b = Vector3d(0, 3, 1).normalized();
  const Linkage cross{joint(verify::kernel::JointType::kUniversal)};
  for (const double first : {-2.0, 0.4})
    for (const double second : {-0.7, 2.9}) {
      const Eigen::Quaterniond turn = Eigen::Quaterniond(Eigen::AngleAxisd(first, a)) * Eigen::AngleAxisd(second, b);
      const Vector3d spin = 3 * a + Eigen::AngleAxisd(first, a) * (-5 * b);
      const auto found = jointPosition(cross.joint, cross.parent, cross.child(turn, spin, {0, 0, 0}, {0, 0, 0}));
      ASSERT_EQ(found.size(), 2u);
      EXPECT_NEAR(found[0].position, first, kRounding);
      EXPECT_NEAR(found[1].position, second, kRounding);
      EXPECT_NEAR(found[0].velocity, 3, 10 * kRounding);
      EXPECT_NEAR(found[1].velocity, -5, 10 * kRounding);
    }
}

TEST(JointPosition, Planar) {
  const Vector3d a = Vector3d(0.6, 0, 1.6).normalized();
  Vector3d u, v;
  dynamics::planarAxes(a, u, v);
  const Linkage plane{joint(verify::kernel::JointType::kPlanar)};
  const auto found = jointPosition(
      plane.joint, plane.parent,
      plane.child(Eigen::Quaterniond(Eigen::AngleAxisd(0.8, a)), 2 * a, 0.3 * u - 0.4 * v, 5 * u + 6 * v));
  ASSERT_EQ(found.size(), 3u);
  const double positions[] = {0.3, -0.4, 0.8}, velocities[] = {5, 6, 2};
  for (int k = 0; k < 3; ++k) {
    EXPECT_NEAR(found[k].position, positions[k], kRounding);
    EXPECT_NEAR(found[k].velocity, velocities[k], 10 * kRounding);
  }
}

TEST_F(TimesRecord, ThePageHoldsTheRunAndNeedsNoNetwork) {
  Reader reader(path);
  const std::string page = synthetic::temporaryPath("page") + ".html";
  exportHtml(reader, page, "");
  std::ifstream file(page);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::filesystem::remove(page);
  for (const char* outside : {"http:", "https:", " src=", "import ", "@RUN@"})
    EXPECT_EQ(text.find(outside), text.npos) << outside;
  const std::string mark = "id=\"run\">";
  const std::size_t from = text.find(mark) + mark.size();
  const auto run = parsedJson(text.substr(from, text.find("</script>", from) - from));
  EXPECT_EQ(run.at("name"), "times</script>");
  ASSERT_EQ(run.at("bodies").size(), 2u);
  EXPECT_TRUE(run.at("bodies")[0].at("parts")[0].at("plane"));
  EXPECT_EQ(run.at("bodies")[1].at("parts")[0].at("triangles").get<std::string>().size(), 12 * 9 * 4 / 3 * 4u);
  const auto& track = run.at("branches")[0].at("bodies")[0];
  EXPECT_EQ(track.at("body"), 1);
  EXPECT_EQ(track.at("times").get<std::string>().size(), 3 * 8 / 3 * 4u);  // 0, 0.25, 0.5
  EXPECT_EQ(run.at("branches")[0].at("impacts")[0].at("P"), (std::vector<double>{0.25, 0, 3}));
  EXPECT_EQ(run.at("branches")[0].at("events")[0].at("t"), 0.25);
}

}  // namespace
}  // namespace rigor::record
