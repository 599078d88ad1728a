// SPDX-License-Identifier: MIT
// Proves: true runs of every kind are proved, each with residuals near rounding, and no false one made from them is,
// whichever field of whichever row was changed, by plan or at random, with extreme numbers too. Oracle: runs whose
// motion and forces are known in closed form (hand_made_run.h), each change false by construction; for random changes a
// separating-axis test in rationals at sampled instants, which shares nothing with the kernel.
#include <gmock/gmock.h>
#include <gmpxx.h>

#include <functional>
#include <random>

#include "tests/verify/hand_made_run.h"
#include "tests/verify/rational_truth.h"

namespace rigor::verify::kernel::made {
namespace {

std::string describe(const Result& result) {
  std::string text;
  for (const auto& open : result.open)
    text += open.branch + " " + std::to_string(open.time) + ": " + open.reason + "\n";
  return text;
}

TEST(Attack, TrueRunsAreProvedWithResidualsNearRounding) {
  const struct {
    const char* name;
    Made made;
    double momentum;
  } runs[] = {{"flight", flight(), 1e-15}, {"rest", rest(), 1e-15},   {"slide", slide(), 1e-14},
              {"bounce", bounce(), 1e-15}, {"pendulum", pendulum(), 1e-9}, {"tree", tree(), 0}};
  for (const auto& run : runs) {
    const Result result = proveAll(run.made);
    EXPECT_TRUE(result.open.empty()) << run.name << '\n' << describe(result);
    EXPECT_TRUE(result.complete) << run.name;
    EXPECT_EQ(result.horizon, run.made.run.until) << run.name;
    EXPECT_EQ(result.min_gap, run.made.run.branches[0].min_gap) << run.name;
    EXPECT_LE(result.laws[0].value, run.momentum) << run.name;
    EXPECT_LE(result.laws[1].value, 10 * run.momentum) << run.name;
    if (run.made.run.actions_known) {
      EXPECT_FALSE(result.laws[0].branch.empty()) << run.name;
    }
  }
  EXPECT_GT(proveAll(slide()).laws[static_cast<std::size_t>(Law::kSupport)].value,
            0.9);  // It lies one nominal gap above.
}

TEST(Attack, ARunThatEndedEarlyIsProvedUpToItsEndAndNotComplete) {
  Made made = flight();
  made.run.until = 3;
  made.run.done = false;
  const Result result = proveAll(made);
  EXPECT_TRUE(result.open.empty()) << describe(result);
  EXPECT_FALSE(result.complete);
  EXPECT_EQ(result.horizon, 0.5);
  made = tree();
  made.run.unexplored = 1;
  EXPECT_FALSE(proveAll(made).complete);
  made = tree();
  made.run.done = false;
  made.run.branches[2].end_time = 0.375;  // One leaf stops earlier.
  made.rows[2].pieces = {parabola(1, 0.25, 0.375, made.rows[2].pieces[0].p[0], {0, 0.5, 1}, {0, 0, -kGravity})};
  const Result early = proveAll(made);
  EXPECT_TRUE(early.open.empty()) << describe(early);
  EXPECT_EQ(early.horizon, 0.375);
}

using Change = std::function<void(Made&)>;
struct Attack {
  const char* name;
  Made (*base)();
  Change change;
};

Made pendulumOfFour() { return pendulum(4); }
Piece& piece(Made& m, std::size_t i = 0, std::size_t branch = 0) { return m.rows[branch].pieces[i]; }
Claim& claim(Made& m, std::size_t branch = 0) { return m.rows[branch].claims[0]; }
Action& action(Made& m) { return m.rows[0].actions[0]; }
Contact& contact(Made& m, std::size_t i = 0) { return action(m).contacts[i]; }
/// What the first contact alone acts at.
template <typename Member, typename Value>
void face(Made& m, Member member, const Value& value) {
  Facing facing = *contact(m).facing;
  facing.*member = value;
  contact(m).facing = std::make_shared<const Facing>(facing);
}
Body& die(Made& m) { return m.run.model.bodies[1]; }
const double kNaN = std::nan(""), kInf = HUGE_VAL;

// What the table of the record's rows holds, one false number, row or reference each.
std::vector<Attack> attacksOnMotion() {
  return {
      // Pieces.
      {"a hole in the middle", flight, [](Made& m) { m.rows[0].pieces.erase(m.rows[0].pieces.begin()); }},
      {"no last piece", flight, [](Made& m) { m.rows[0].pieces.pop_back(); }},
      {"no motion at all", flight, [](Made& m) { m.rows[0].pieces.clear(); }},
      {"no motion and no length", flight, [](Made& m) { m.rows[0] = {}, m.run.branches[0].end_time = 0; }},
      {"a piece twice", flight, [](Made& m) { m.rows[0].pieces.push_back(piece(m)); }},
      {"a jump of position", flight, [](Made& m) { piece(m, 1).p[0][1] = std::nextafter(piece(m, 1).p[0][1], 9); }},
      {"a jump of orientation", flight, [](Made& m) { piece(m, 1).q[0][2] = 5e-324; }},
      {"a negative zero", flight, [](Made& m) { piece(m, 1).q[0][2] = -0.0; }},
      {"a dive below the table", flight, [](Made& m) { piece(m).p[1][2] = -9; }},
      {"a piece of the table", flight, [](Made& m) { piece(m).body = 0; }},
      {"a piece of nobody", flight, [](Made& m) { piece(m).body = 2; }},
      {"a piece of body -1", flight, [](Made& m) { piece(m).body = -1; }},
      {"a degree of 4", flight, [](Made& m) { piece(m).p_degree = 4; }},
      {"a degree of -1", flight, [](Made& m) { piece(m).q_degree = -1; }},
      {"a degree less", flight, [](Made& m) { piece(m).p_degree = 1; }},
      {"a control point that is no number", flight, [](Made& m) { piece(m).p[1][0] = kNaN; }},
      {"an infinite control point", flight, [](Made& m) { piece(m).p[1][0] = kInf; }},
      {"a quaternion of zero", flight, [](Made& m) { piece(m).q[0][0] = 0; }},
      {"a start that is no number", flight, [](Made& m) { piece(m).t0 = kNaN; }},
      {"an end that is no number", flight, [](Made& m) { piece(m).t1 = kNaN; }},
      {"an infinite end", flight, [](Made& m) { piece(m, 1).t1 = kInf; }},
      {"an end before its start", flight, [](Made& m) { std::swap(piece(m).t0, piece(m).t1); }},
      {"a later start", flight, [](Made& m) { piece(m).t0 = 1e-9; }},
      {"a start below zero", flight, [](Made& m) { piece(m).t0 = -1e-9; }},
      {"another velocity", flight, [](Made& m) { piece(m).velocity[0] += 1e-3; }},
      {"another velocity at the end", flight, [](Made& m) { piece(m).velocity[8] += 1e-3; }},
      {"another spin", flight, [](Made& m) { piece(m).velocity[4] += 1e-6; }},
      {"a velocity that is no number", flight, [](Made& m) { piece(m).velocity[4] = kNaN; }},
      // Claims and coverage.
      {"a gap that is too large", flight, [](Made& m) { claim(m).gap = 5; }},
      {"a gap of nothing", flight, [](Made& m) { claim(m).gap = 0; }},
      {"a gap that is no number", flight, [](Made& m) { claim(m).gap = kNaN; }},
      {"a gap below the branch's", rest, [](Made& m) { claim(m).gap = kGap * 0.8; }},
      {"a gap below the floor", rest, [](Made& m) { m.run.gap_floor = kGap; }},
      {"no claim", rest, [](Made& m) { m.rows[0].claims.clear(); }},
      {"a claim that ends early", rest, [](Made& m) { claim(m).t1 = std::nextafter(1, 0); }},
      {"a claim that starts late", rest, [](Made& m) { claim(m).t0 = 5e-324; }},
      {"a claim without a time", rest, [](Made& m) { claim(m).t1 = kNaN; }},
      {"a claim turned around", rest, [](Made& m) { claim(m).axis = {0, 0, -1}; }},
      {"an axis that is not the plane's", rest, [](Made& m) { claim(m).axis = {0, 0, std::nextafter(1, 2)}; }},
      {"an axis of zero", rest, [](Made& m) { claim(m).axis = {}; }},
      {"a claim of another kind", rest, [](Made& m) { claim(m).kind = 1; }},
      {"a claim of no kind", rest, [](Made& m) { claim(m).kind = 3; }},
      {"a claim about edges of a half-space", rest, [](Made& m) { claim(m).kind = 2; }},
      {"a claim about itself", rest, [](Made& m) { claim(m).body_a = 1; }},
      {"a claim about nobody", rest, [](Made& m) { claim(m).body_b = 7; }},
      {"a claim about no part", rest, [](Made& m) { claim(m).part_b = 1; }},
      {"a claim the other way round", rest, [](Made& m) { std::swap(claim(m).body_a, claim(m).body_b); }},
  };
}

std::vector<Attack> attacksOnBranchesAndModel() {
  return {
      // Branches.
      {"a longer branch", flight, [](Made& m) { m.run.branches[0].end_time = 0.75; }},
      {"a shorter branch that is done", flight, [](Made& m) { m.run.branches[0].end_time = 0.25; }},
      {"a branch cut short that is done", flight,
       [](Made& m) { m.rows[0].pieces.pop_back(), m.run.branches[0].end_time = 0.25; }},
      {"a branch without an end", flight, [](Made& m) { m.run.branches[0].end_time = kNaN; }},
      {"a branch that never ends", flight, [](Made& m) { m.run.branches[0].end_time = kInf; }},
      {"a larger gap of the branch", flight, [](Made& m) { m.run.branches[0].min_gap = 3.5; }},
      {"no gap of the branch", flight, [](Made& m) { m.run.branches[0].min_gap = 0; }},
      {"an infinite gap of the branch", flight, [](Made& m) { m.run.branches[0].min_gap = kInf; }},
      {"no floor", flight, [](Made& m) { m.run.gap_floor = 0; }},
      {"no branch", flight, [](Made& m) { m.run.branches.clear(); }},
      {"a running parent with a tiny end", tree,
       [](Made& m) { m.run.branches[0].running = true, m.run.branches[0].end_time = 1e-9; }},
      {"a parent that dives where nobody looks", tree,
       [](Made& m) { piece(m).p[1][2] = -9, m.run.branches[0].running = true, m.run.branches[0].end_time = 0; }},
      {"a child that starts later", tree, [](Made& m) { m.run.branches[1].fork_time = 0.3, piece(m, 0, 1).t0 = 0.3; }},
      {"a child that starts elsewhere", tree, [](Made& m) { piece(m, 0, 1).p[0][0] += 1e-9; }},
      {"a child before its parent", tree, [](Made& m) { m.run.branches[1].parent = 2; }},
      {"a child of itself", tree, [](Made& m) { m.run.branches[1].parent = 1; }},
      {"a child of nobody", tree, [](Made& m) { m.run.branches[1].parent = Branch::kLost; }},
      {"a second root", tree, [](Made& m) { m.run.branches[1].parent = -1; }},
      {"two children of one name", tree, [](Made& m) { m.run.branches[2].id = "0/0"; }},
      {"a leaf that stops early, done", tree,
       [](Made& m) { m.run.branches[1].end_time = 0.25, m.rows[1] = {}; }},
      // The model.
      {"another start", flight, [](Made& m) { die(m).position[0] = 1e-6; }},
      {"another start velocity", flight, [](Made& m) { die(m).velocity[0] += 1e-5; }},
      {"another start spin", flight, [](Made& m) { die(m).angular_velocity[2] = 1e-5; }},
      {"another orientation", flight, [](Made& m) { die(m).orientation = {2, 0, 0, 0}; }},
      {"no orientation", flight, [](Made& m) { die(m).orientation = {0, 0, 0, 0}; }},
      {"another centre", flight, [](Made& m) { die(m).centre[1] = 1e-3; }},
      {"a shape that is larger", rest, [](Made& m) { die(m).parts[0].vertices[2][2] *= 1.001; }},
      {"a shape of three points", rest, [](Made& m) { die(m).parts[0].vertices.resize(3); }},
      {"no shape", rest, [](Made& m) { die(m).parts.clear(); }},
      {"a vertex that is no number", rest, [](Made& m) { die(m).parts[0].vertices[0][0] = kNaN; }},
      {"a plane that is higher", rest, [](Made& m) { m.run.model.bodies[0].parts[0].offset = 1e-8; }},
      {"a plane without normal", rest, [](Made& m) { m.run.model.bodies[0].parts[0].normal = {}; }},
      {"a table that was moved", rest, [](Made& m) { m.run.model.bodies[0].position[2] = 1e-8; }},
      {"a table that was turned", rest, [](Made& m) { m.run.model.bodies[0].orientation = {1, 1e-6, 0, 0}; }},
      {"a fixed body about another centre", rest, [](Made& m) { m.run.model.bodies[0].centre[2] = 1; }},
      {"a half-space that moves", rest, [](Made& m) { m.run.model.bodies[0].fixed = false; }},
      {"a die that is fixed", rest, [](Made& m) { die(m).fixed = true; }},
      {"two bodies of one name", rest, [](Made& m) { die(m).name = "table"; }},
      {"a third body", rest, [](Made& m) { m.run.model.bodies.push_back(cube("other", {9, 9, 9}, {})); }},
      {"an exempt pair", rest, [](Made& m) { m.run.model.ignored_pairs = {{0, 1}}; }},
      {"an exempt pair of two robots", rest,
       [](Made& m) {
         m.run.model.robots = {{"a", {}}, {"b", {}}};
         m.run.model.bodies[0].robot = 0, die(m).robot = 1;
         m.run.model.ignored_pairs = {{0, 1}};
       }},
      {"a link of no robot", rest, [](Made& m) { die(m).robot = 3; }},
      {"a mass that is no number", rest, [](Made& m) { die(m).mass = kNaN; }},
      {"gravity that is no number", rest, [](Made& m) { m.run.model.gravity[0] = kInf; }},
  };
}

std::vector<Attack> attacksOnLaws() {
  return {
      // Momentum.
      {"no impulses: it floats", rest, [](Made& m) { m.rows[0].actions.clear(); }},
      {"one contact less", rest, [](Made& m) { action(m).contacts.pop_back(); }},
      {"one impulse less", rest, [](Made& m) { contact(m).impulses.pop_back(); }},
      {"one impulse twice", rest, [](Made& m) { contact(m).impulses.push_back(contact(m).impulses[0]); }},
      {"a larger impulse", rest, [](Made& m) { contact(m).impulses[1].P[2] *= 1 + 1e-9; }},
      {"an impulse at another corner", rest, [](Made& m) { face(m, &Facing::a0, 1); }},
      {"more mass", rest, [](Made& m) { die(m).mass *= 1 + 1e-9; }},
      {"more gravity", flight, [](Made& m) { m.run.model.gravity[2] *= 1 + 1e-9; }},
      {"no gravity", flight, [](Made& m) { m.run.model.gravity = {}; }},
      {"an impulse outside of its step", rest, [](Made& m) { contact(m).impulses[2].time = 2; }},
      {"an impulse at another instant", slide, [](Made& m) { contact(m).impulses[1].time += 0.1; }},
      {"an impulse that is no number", rest, [](Made& m) { contact(m).impulses[1].P[0] = kNaN; }},
      {"an impulse without a time", rest, [](Made& m) { contact(m).impulses[1].time = kNaN; }},
      {"a bounce without an impulse", bounce, [](Made& m) { m.rows[0].actions.clear(); }},
      {"a bounce at another time", bounce,
       [](Made& m) {
         action(m).t0 = action(m).t1 = 0.2;
         for (Contact& c : action(m).contacts) c.impulses[0].time = 0.2;
       }},
      {"a bounce that is spread over a step", bounce, [](Made& m) { action(m).t0 = 0; }},
      {"a bounce at one corner alone", bounce,
       [](Made& m) { contact(m).impulses[0].P[2] *= 4, action(m).contacts.resize(1); }},
      {"an angular velocity from nothing", bounce,
       [](Made& m) {
         Piece& p = piece(m, 1);
         p.q_degree = 1;
         std::copy_n(p.q[0], 4, p.q[1]);
         p.q[1][3] = 0.05;
         p.velocity[5] = 0.4, p.velocity[11] = 2 * 0.05 / 0.25 / (1 + 0.05 * 0.05);
       }},
      // Contact.
      {"a pull", bounce, [](Made& m) { for (Contact& c : action(m).contacts) c.impulses[0].P[2] *= -1; }},
      {"an impulse at an upper corner", rest, [](Made& m) { face(m, &Facing::a0, 4); }},
      {"an impulse on no vertex", rest, [](Made& m) { face(m, &Facing::a0, 8); }},
      {"an impulse on vertex -1", rest, [](Made& m) { face(m, &Facing::a0, -1); }},
      {"a contact of nobody", rest, [](Made& m) { face(m, &Facing::body_b, 5); }},
      {"a contact of no kind", rest, [](Made& m) { face(m, &Facing::kind, 4); }},
      {"a contact along another axis", rest, [](Made& m) { face(m, &Facing::axis, Vector3{1, 0, 1}); }},
      {"a slippery table", slide, [](Made& m) { m.run.model.bodies[0].friction = 0.2; }},
      {"a rougher table", slide, [](Made& m) { m.run.model.bodies[0].friction = 0.3; }},
      {"friction across the slip", slide,
       [](Made& m) {
         for (const int c : {0, 1})
           for (Impulse& i : contact(m, c).impulses) i.P[1] += 1e-3 * i.P[2], i.P[0] *= 1 - 1e-5;
         for (const int c : {2, 3})
           for (Impulse& i : contact(m, c).impulses) i.P[1] -= 1e-3 * i.P[2], i.P[0] *= 1 - 1e-5;
       }},
      {"friction along the slip", slide,
       [](Made& m) {
         Made other = slide();
         piece(m).velocity[0] *= -1, die(m).velocity[0] *= -1;
       }},
      {"friction that is negative", rest, [](Made& m) { die(m).friction = -1; }},
  };
}

std::vector<Attack> attacksOnBoundsAndRobots() {
  return {
      // Bounds.
      {"no bound", rest, [](Made& m) { m.run.bounds[kernel::Law::kMomentum] = kNaN; }},
      {"a bound that says nothing", rest, [](Made& m) { m.run.bounds[kernel::Law::kMomentum] = 1e9; }},
      {"an infinite bound", rest, [](Made& m) { m.run.bounds[kernel::Law::kSlip] = kInf; }},
      {"a negative bound", rest, [](Made& m) { m.run.bounds[kernel::Law::kCone] = -1; }},
      {"a support bound that is missed", rest, [](Made& m) { m.run.bounds[kernel::Law::kSupport] = 0.5; }},
      // Robots.
      {"links pulled apart", pendulumOfFour,
       [](Made& m) { m.run.model.robots[0].joints[0].child_point = {-0.5, 0, 0}; }},
      {"a pin elsewhere", pendulumOfFour, [](Made& m) { m.run.model.robots[0].joints[0].parent_point = {0, 0, 1e-6}; }},
      {"a pin about another axis", pendulumOfFour,
       [](Made& m) { m.run.model.robots[0].joints[0].axis = {0, 1e-3, 1}; }},
      {"a pin that is welded", pendulumOfFour,
       [](Made& m) { m.run.model.robots[0].joints[0].type = JointType::kFixed; }},
      {"a pin that slides", pendulumOfFour,
       [](Made& m) { m.run.model.robots[0].joints[0].type = JointType::kPrismatic; }},
      {"a pin without axis", pendulumOfFour, [](Made& m) { m.run.model.robots[0].joints[0].axis = {}; }},
      {"a pin without frame", pendulumOfFour, [](Made& m) { m.run.model.robots[0].joints[0].parent_frame = {}; }},
      {"a pin of one link", pendulumOfFour, [](Made& m) { m.run.model.robots[0].joints[0].parent = 1; }},
      {"a pin of a body that is no link", pendulumOfFour,
       [](Made& m) {
         m.run.model.bodies[m.run.model.robots[0].joints[0].child].robot = -1;
         m.run.model.robots[0].joints[0].child_point = {-0.5, 0, 0};
       }},
      {"a link that leaves its pin", pendulumOfFour, [](Made& m) { piece(m, 2).p[1][0] += 1e-6; }},
      {"a pin that does not pull", pendulumOfFour, [](Made& m) { m.rows[0].actions.pop_back(); }},
      {"a pin that pulls the other way", pendulumOfFour,
       [](Made& m) { for (double& x : action(m).wrenches[0].impulses[0].P) x = -x; }},
      {"a wrench on no joint", pendulumOfFour, [](Made& m) { action(m).wrenches[0].joint = 1; }},
      {"a wrench on no robot", pendulumOfFour, [](Made& m) { action(m).wrenches[0].robot = -1; }},
      {"an actuator across its axis", pendulumOfFour,
       [](Made& m) { action(m).wrenches[0].source = Wrench::Source::kActuator; }},
      {"a motor that is too strong", pendulumOfFour,
       [](Made& m) {
         m.run.model.robots[0].joints[0].effort = 1;
         Wrench motor = action(m).wrenches[0];
         motor.source = Wrench::Source::kActuator;
         motor.impulses[0].P = {}, motor.impulses[0].moment = {0, 0, 1};
         action(m).wrenches.push_back(motor);
       }},
  };
}

const std::vector<Attack>& attacks() {
  static const std::vector<Attack> all = [] {
    std::vector<Attack> joined = attacksOnMotion();
    for (const auto& more : {attacksOnBranchesAndModel(), attacksOnLaws(), attacksOnBoundsAndRobots()})
      joined.insert(joined.end(), more.begin(), more.end());
    return joined;
  }();
  return all;
}

TEST(Attack, NoneOfManyKindsIsProved) {
  EXPECT_GE(attacks().size(), 60u);
  for (const Attack& attack : attacks()) {
    Made made = attack.base();
    attack.change(made);
    EXPECT_FALSE(proveAll(made).open.empty()) << attack.name;
  }
}

// --- At random, against a separating-axis test in rationals.

using truth::boxesAreApart;
using truth::Q;
using truth::verticesAt;

// Two cubes that pass each other, turning; one claim of a random kind, true or not.
Made passing(std::mt19937_64& random, double scale) {
  std::uniform_real_distribution<> uniform(-1, 1);
  const auto vector = [&](double size) {
    return Vector3{size * uniform(random), size * uniform(random), size * uniform(random)};
  };
  Made made = onTable(cube("b", {}, {}), 1);
  made.run.model.gravity = {};
  made.run.actions_known = made.run.done = false;
  made.run.model.bodies[0] = cube("a", {}, {});
  BranchRows& rows = made.rows[0];
  for (int b = 0; b < 2; ++b) {
    Body& body = made.run.model.bodies[b];
    for (Vector3& v : body.parts[0].vertices)
      for (double& x : v) x *= scale;
    Piece piece{};
    piece.body = b;
    piece.t1 = 1;
    piece.p_degree = piece.q_degree = 1;
    const Vector3 from = vector(0.2 * scale), to = vector(0.2 * scale);
    for (int k = 0; k < 3; ++k) {
      piece.p[0][k] = from[k] + (b && k == 2 ? 0.75 * scale : 0);
      piece.p[1][k] = to[k] + (b && k == 2 ? 0.75 * scale : 0);
      body.position[k] = piece.p[0][k];
      body.velocity[k] = piece.velocity[k] = piece.velocity[6 + k] = piece.p[1][k] - piece.p[0][k];
    }
    for (int k = 0; k < 4; ++k) piece.q[0][k] = (k == 0) + 0.3 * uniform(random), piece.q[1][k] = piece.q[0][k];
    piece.q_degree = 0;
    std::copy_n(piece.q[0], 4, body.orientation.data());
    rows.pieces.push_back(piece);
  }
  Claim claim = aboveTable(0, 1, 1e-9 * scale);
  claim.kind = static_cast<int>(random() % 3);
  claim.axis = {0.1 * uniform(random), 0.1 * uniform(random), 1};
  if (claim.kind == 2) {
    const int corners[] = {1, 2, 4};
    claim.a0 = 4 | static_cast<int>(random() % 4);
    claim.a1 = claim.a0 ^ corners[random() % 2];
    claim.b0 = static_cast<int>(random() % 4);
    claim.b1 = claim.b0 ^ corners[random() % 2];
    claim.cross = 0.26 * scale * scale;
  }
  made.run.branches[0].min_gap = made.run.gap_floor = claim.gap;
  made.run.gap_nominal = 2 * claim.gap;
  rows.claims = {claim};
  number(made);
  return made;
}

int proveAgainstTheTruth(int rounds, unsigned long seed) {
  std::mt19937_64 random(seed);
  int proved = 0;
  for (int round = 0; round < rounds; ++round) {
    const double scales[] = {1, 1e-3, 1e6, 1e-150, 1e90, 0x1p-900};
    const Made made = passing(random, round % 4 ? 1 : scales[random() % 6]);
    if (!proveAll(made, false).open.empty()) continue;
    ++proved;
    const Run& run = made.run;
    for (const Q& u : {Q(0), Q(1, 7), Q(1, 3), Q(1, 2), Q(11, 13), Q(1)})
      EXPECT_TRUE(boxesAreApart(verticesAt(run.model.bodies[0], made.rows[0].pieces[0], u),
                                verticesAt(run.model.bodies[1], made.rows[0].pieces[1], u)))
          << seed << ' ' << round;
  }
  return proved;
}

TEST(Attack, RandomClaimsThatAreProvedAreTrue) { EXPECT_GT(proveAgainstTheTruth(1000, 1), 50); }
TEST(SlowAttack, RandomClaimsThatAreProvedAreTrue) { EXPECT_GT(proveAgainstTheTruth(100000, 2), 5000); }

// Any double of the true runs' rows set to something else: to be proved it must not matter, and only what a weaker
// claim or an unused field is does not.
TEST(Attack, RandomNumbersInRowsOfTrueRuns) {
  std::mt19937_64 random(3);
  const double strange[] = {0.0, -0.0, 5e-324, -5e-324, 1e-160, 1e100, -1e100, 1e308, kNaN, kInf, -kInf};
  const std::vector<Made> bases = {flight(), rest(), slide(), bounce(), pendulum()};
  int tried = 0;
  for (int round = 0; round < 1500; ++round) {
    Made made = bases[random() % bases.size()];
    std::vector<double*> numbers;
    for (Piece& p : made.rows[0].pieces) {
      for (int i = 0; i <= p.p_degree; ++i) numbers.insert(numbers.end(), {&p.p[i][0], &p.p[i][1], &p.p[i][2]});
      for (double& v : p.velocity) numbers.push_back(&v);
      numbers.insert(numbers.end(), {&p.t0, &p.t1, &p.q[0][0]});
    }
    for (Action& a : made.rows[0].actions)
      for (Contact& c : a.contacts)
        for (Impulse& i : c.impulses) numbers.insert(numbers.end(), {&i.P[0], &i.P[1], &i.P[2]});
    double& x = *numbers[random() % numbers.size()];
    const double before = x;
    x = random() % 2 ? strange[random() % std::size(strange)] : x + 1e-3 * (1 + std::abs(x));
    if (x == before || std::abs(x - before) < 1e-100) continue;
    ++tried;
    EXPECT_FALSE(proveAll(made).open.empty()) << round << ": " << before << " -> " << x;
  }
  EXPECT_GT(tried, 1000);
}

}  // namespace
}  // namespace rigor::verify::kernel::made
