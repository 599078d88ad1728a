// SPDX-License-Identifier: MIT
// Proves: a recorded run is held to the laws of motion. True runs of single bodies, pairs and small groups keep them
// within the bounds that they declare, which fall with the tolerance; a run that is altered so that it breaks a law by
// more than its bound is refuted, by the kernel alone and by the program. What the filter of the laws proves, the
// kernel does. Oracle: which law an alteration breaks, and by how much.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <functional>
#include <random>

#include "filter_against_kernel.h"
#include "hand_made_run.h"
#include "recorded_scene.h"
#include "tests/temporary_folder.h"
#include "verify/filter/law_filter.h"
#include "verify/recorded_run.h"
#include "verify/verify.h"

namespace rigor::verify {
namespace {

using kernel::Law;
using kernel::made::Made;

const std::string kFloor =
    "bodies:\n  - {name: floor, fixed: true, shape: {halfspace: {normal: [0, 0, 1], offset: 0}}}\n";

std::string dieText(const std::string& more = "", double until = 1) {
  return "name: die\nuntil: " + std::to_string(until) + "\n" + more + kFloor +
         "  - {name: die, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0.3], velocity: [1, 0.5, "
         "-1], "
         "orientation: [1, 0.3, 0.2, 0.1], angular_velocity: [9, -4, 3]}\n";
}

std::string cubesText(const std::string& more = "") {
  return dieText(more, 0.7) +
         "  - {name: other, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 2, position: [0.02, 0.01, 0.0501]}\n";
}

/// Four cubes, which steps of crowds take.
std::string heapText() {
  std::string text = "name: heap\nuntil: 0.2\n" + kFloor;
  for (int i = 0; i < 4; ++i)
    text +=
        fmt::format("  - {{name: c{}, shape: {{box: {{size: [0.1, 0.1, 0.1]}}}}, mass: 1, position: [{}, 0, {}]}}\n", i,
                    i % 3 * 0.07, i < 3 ? 0.06 + 0.11 * i : 0.4 + 0.11 * i);
  return text;
}

/// A block that slides flat and stops.
std::string slideText(double until, const std::string& friction = "0.3") {
  return "name: slide\nuntil: " + std::to_string(until) + "\ncontact: {friction: " + friction + "}\n" + kFloor +
         "  - {name: die, shape: {box: {size: [0.2, 0.2, 0.04]}}, mass: 2, position: [0, 0, 0.02], velocity: [1, 0, "
         "0]}\n";
}

/// It falls flat without friction, and loses energy.
std::string bounceText() {
  return "name: bounce\nuntil: 0.3\ncontact: {friction: 0, restitution: 0.5}\n" + kFloor +
         "  - {name: die, shape: {box: {size: [0.1, 0.1, 0.1]}}, mass: 1, position: [0, 0, 0.15], velocity: [0.3, 0, "
         "-0.5]}\n";
}

Made read(const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.rigor";
  recordScene(scenes::parseScene(text, "physics.yaml"), 0, path);
  RecordedRun recorded(path);
  Made made;
  made.run = recorded.run;
  for (std::size_t i = 0; i < made.run.branches.size(); ++i) made.rows.push_back(recorded.readBranch(i));
  return made;
}

std::string reasons(const kernel::Result& result) {
  std::string text;
  for (const auto& open : result.open) text += std::to_string(open.time) + ": " + open.reason + "\n";
  return text;
}

// -- What alterations work on.

kernel::Body& body(Made& m, int number = 1) { return m.run.model.bodies[static_cast<std::size_t>(number)]; }

struct Place {
  std::size_t action = 0, contact = 0, impulse = 0;
};

/// The largest impulse of the steps, or of the jumps.
Place largest(const Made& m, bool jump) {
  Place place;
  double most = -1;
  for (std::size_t a = 0; a < m.rows[0].actions.size(); ++a) {
    const kernel::Action& action = m.rows[0].actions[a];
    for (std::size_t c = 0; c < action.contacts.size() && (action.t0 == action.t1) == jump; ++c)
      for (std::size_t i = 0; i < action.contacts[c].impulses.size(); ++i) {
        const auto& P = action.contacts[c].impulses[i].P;
        if (const double size = std::hypot(P[0], P[1], P[2]); size > most) most = size, place = {a, c, i};
      }
  }
  EXPECT_GT(most, 0);
  return place;
}

kernel::Contact& contactAt(Made& m, const Place& p) { return m.rows[0].actions[p.action].contacts[p.contact]; }
kernel::Impulse& impulseAt(Made& m, const Place& p) { return contactAt(m, p).impulses[p.impulse]; }
/// Of the contact that pushes most in a step: another corner of the cube.
void turnVertex(Made& m, int bit) {
  auto& facing = contactAt(m, largest(m, false)).facing;
  kernel::Facing other = *facing;
  other.a0 ^= bit;
  facing = std::make_shared<const kernel::Facing>(other);
}

/// The same motion backwards: what was lost is gained, and friction that braked drives.
void reverse(Made& m) {
  const double end = m.run.until;
  kernel::BranchRows& rows = m.rows[0];
  for (kernel::Piece& p : rows.pieces) {
    std::swap(p.t0, p.t1);
    p.t0 = end - p.t0, p.t1 = end - p.t1;
    for (int i = 0; 2 * i < p.p_degree; ++i) std::swap(p.p[i], p.p[p.p_degree - i]);
    for (int i = 0; 2 * i < p.q_degree; ++i) std::swap(p.q[i], p.q[p.q_degree - i]);
    for (int k = 0; k < 6; ++k) {
      const double start = p.velocity[k];
      p.velocity[k] = -p.velocity[6 + k], p.velocity[6 + k] = -start;
    }
  }
  const auto turn = [&](auto& row) {
    const double t0 = row.t0;
    row.t0 = end - row.t1, row.t1 = end - t0;
  };
  for (kernel::Claim& claim : rows.claims) turn(claim);
  for (kernel::Action& action : rows.actions) {
    turn(action);
    for (kernel::Contact& contact : action.contacts)
      for (kernel::Impulse& impulse : contact.impulses) impulse.time = end - impulse.time;
  }
  rows.impacts.clear();
  const kernel::Piece& first = *std::min_element(rows.pieces.begin(), rows.pieces.end(),
                                                 [](const auto& a, const auto& b) { return a.t0 < b.t0; });
  for (int k = 0; k < 3; ++k)
    body(m).position[k] = first.p[0][k], body(m).velocity[k] = first.velocity[k],
    body(m).angular_velocity[k] = first.velocity[3 + k];
  for (int k = 0; k < 4; ++k) body(m).orientation[k] = first.q[0][k];
}

/// A small push in flight, far from everything: less than what momentum may be off by.
void pushInFlight(Made& m) {
  const kernel::Piece& first = m.rows[0].pieces[0];
  kernel::Action action;
  action.t0 = first.t0, action.t1 = first.t1;
  kernel::Contact contact = kernel::made::pushed(0, 0, 0, {});
  contact.impulses = {{0.5 * (first.t0 + first.t1), {0, 0, 0.1 * m.run.bounds[kernel::Law::kMomentum] * body(m).mass}}};
  action.contacts = {contact};
  m.rows[0].actions.push_back(action);
}

void eraseJumps(Made& m) {
  std::erase_if(m.rows[0].actions, [](const kernel::Action& a) { return a.t0 == a.t1; });
}

void changeSpin(Made& m) {
  auto& pieces = m.rows[0].pieces;  // A border in flight: nothing acts there.
  pieces[0].velocity[9] += 0.5, pieces[1].velocity[3] += 0.5;
}

struct Alteration {
  const char* name;
  std::string text;
  const char* law;  ///< That it breaks.
  std::function<void(Made&)> alter;
};

std::vector<Alteration> alterations() {
  const std::string die = dieText("contact: {restitution: 0.3}\n");
  return {
      {"half of an impact", die, "momentum",
       [](Made& m) {
         for (double& x : impulseAt(m, largest(m, true)).P) x *= 0.5;
       }},
      {"half of a push", slideText(1), "momentum",
       [](Made& m) {
         for (double& x : impulseAt(m, largest(m, false)).P) x *= 0.5;
       }},
      {"an impact that is gone", die, "momentum", [](Made& m) { impulseAt(m, largest(m, true)).P = {}; }},
      {"no impact at all", die, "momentum", eraseJumps},
      {"nothing holds it", slideText(1), "momentum", [](Made& m) { m.rows[0].actions.clear(); }},
      {"a push at another corner", slideText(1), "angular_momentum", [](Made& m) { turnVertex(m, 1); }},
      {"a push at an upper corner", slideText(1), "support", [](Made& m) { turnVertex(m, 4); }},
      {"an impact that pulls", die, "cone",
       [](Made& m) {
         for (double& x : impulseAt(m, largest(m, true)).P) x = -x;
       }},
      {"half of an impact among many", heapText(), "momentum",
       [](Made& m) {
         for (double& x : impulseAt(m, largest(m, true)).P) x *= 0.5;
       }},
      {"nothing holds many", heapText(), "momentum", [](Made& m) { m.rows[0].actions.clear(); }},
      {"another start velocity", die, "momentum", [](Made& m) { body(m).velocity[0] += 0.1; }},
      {"another start spin", die, "angular_momentum", [](Made& m) { body(m).angular_velocity[0] += 1; }},
      {"more mass", die, "momentum", [](Made& m) { body(m).mass *= 1.1; }},
      {"another inertia", die, "angular_momentum", [](Made& m) { body(m).inertia[0] *= 1.3; }},
      {"masses that are swapped", cubesText(), "momentum",
       [](Made& m) { std::swap(body(m, 1).mass, body(m, 2).mass); }},
      {"no gravity", die, "momentum", [](Made& m) { m.run.model.gravity = {}; }},
      {"a slippery floor", slideText(0.1, "0.9"), "cone", [](Made& m) { body(m, 0).friction = 0; }},
      {"a rough floor", slideText(0.2), "slip", [](Made& m) { body(m, 0).friction = 30; }},
      {"friction that drives", slideText(0.2), "slip", reverse},
      {"energy from a bounce", bounceText(), "energy", reverse},
      {"a push at a corner that is far away", die, "support", pushInFlight},
      {"a spin from nothing", die, "angular_momentum", changeSpin},
  };
}

TEST(Physics, AlteredRunsAreRefutedByTheLawThatTheyBreak) {
  for (const Alteration& alteration : alterations()) {
    Made made = read(alteration.text);
    alteration.alter(made);
    // Where what runs declare says little (docs/proof.md), the law itself is tested: at what most runs keep.
    made.run.bounds[kernel::Law::kCone] = made.run.bounds[kernel::Law::kSlip] = 0.1,
    made.run.bounds[kernel::Law::kSupport] = 1e6;
    const kernel::Result result = kernel::made::proveAll(made);
    EXPECT_NE(reasons(result).find(alteration.law), std::string::npos) << alteration.name << '\n' << reasons(result);
  }
}

/// An impulse that changes by more than three times what momentum may be off by.
TEST(Physics, NoImpulseCanBeChangedByMoreThanTheBound) {
  const Made die = read(dieText());
  std::mt19937_64 random(7);
  std::normal_distribution<> normal;
  for (int k = 0; k < 60; ++k) {
    Made made = die;
    kernel::Action& action = made.rows[0].actions[random() % made.rows[0].actions.size()];
    kernel::Contact& contact = action.contacts[random() % action.contacts.size()];
    kernel::Impulse& impulse = contact.impulses[random() % contact.impulses.size()];
    kernel::Vector3 change{normal(random), normal(random), normal(random)};
    const double size =
        3 * made.run.bounds[kernel::Law::kMomentum] * body(made).mass / std::hypot(change[0], change[1], change[2]);
    for (int i = 0; i < 3; ++i) impulse.P[i] += size * change[i];
    EXPECT_FALSE(kernel::made::proveAll(made).open.empty()) << k;
  }
}

TEST(Physics, BoundsThatSayNothingAreNoBounds) {
  for (std::size_t law = 0; law < kernel::kLaws; ++law) {
    Made made = read(dieText());
    made.run.bounds[law] = 2 * kernel::kLargestBounds[law];
    EXPECT_FALSE(kernel::made::proveAll(made).open.empty());
  }
}

// -- Many small misses.

/// A die far above the table that gravity moves by the share `falls` alone, and that turns faster and faster: nothing
/// acts. Steps so short that none misses more than the bound.
Made unexplained(int steps, double h, double falls, double spin_up) {
  kernel::Body die = kernel::made::cube("die", {0, 0, 4}, {});
  Made made = kernel::made::onTable(die, steps * h);
  made.run.bounds[kernel::Law::kMomentum] = made.run.bounds[kernel::Law::kAngularMomentum] =
      made.run.bounds[kernel::Law::kEnergy] = 2.6e-3;
  kernel::BranchRows& rows = made.rows[0];
  kernel::Vector3 p = die.position, v{};
  double q[4] = {1, 0, 0, 0}, w = 0;
  for (int i = 0; i < steps; ++i) {
    kernel::Piece piece =
        kernel::made::parabola(1, i * h, (i + 1) * h, p.data(), v, {0, 0, -falls * kernel::made::kGravity});
    if (spin_up > 0) {
      const double next = w + spin_up * h, angle = 0.5 * (w + next) * h / 2, c = q[0], s = q[3];
      piece.q_degree = 3;
      piece.velocity[5] = w, piece.velocity[11] = next;
      for (int k = 0; k < 4; ++k) piece.q[0][k] = q[k];
      q[0] = c * std::cos(angle) - s * std::sin(angle), q[3] = s * std::cos(angle) + c * std::sin(angle);
      for (int k = 0; k < 4; ++k) piece.q[3][k] = q[k];
      piece.q[1][0] = c - h / 6 * w * s, piece.q[1][3] = s + h / 6 * w * c;
      piece.q[2][0] = q[0] + h / 6 * next * q[3], piece.q[2][3] = q[3] - h / 6 * next * q[0];
      w = next;
    }
    for (int k = 0; k < 3; ++k) p[k] = piece.p[2][k], v[k] = piece.velocity[6 + k];
    rows.pieces.push_back(piece);
  }
  rows.claims = {kernel::made::aboveTable(0, steps * h, 1)};
  kernel::made::number(made);
  return made;
}

TEST(Physics, ManySmallMissesDoNotAddUp) {
  constexpr double kStep = 0x1p-12;  // m g h is a thousandth of m V.
  EXPECT_EQ(reasons(kernel::made::proveAll(unexplained(8, kStep, 0, 0))), "");
  EXPECT_EQ(reasons(kernel::made::proveAll(unexplained(800, kStep, 1, 0))), "");
  const std::string sum = " (of a sum over a window)";
  for (const double falls : {0.0, 0.5, 0.9}) {
    const std::string floats = reasons(kernel::made::proveAll(unexplained(800, kStep, falls, 0)));
    EXPECT_NE(floats.find("momentum"), std::string::npos) << falls;
    EXPECT_NE(floats.find(sum), std::string::npos) << falls;
  }
  const std::string spins = reasons(kernel::made::proveAll(unexplained(800, kStep, 1, 20)));
  EXPECT_NE(spins.find("angular_momentum"), std::string::npos);
  EXPECT_NE(spins.find(sum), std::string::npos);
  EXPECT_EQ(spins.find("column"), std::string::npos) << spins;
  // In whatever window: it falls for a second before it floats.
  Made late = unexplained(800, kStep, 1, 0);
  const Made floating = unexplained(800, kStep, 0, 0);
  const kernel::Piece last = late.rows[0].pieces.back();  // A copy: pieces are added below.
  for (kernel::Piece piece : floating.rows[0].pieces) {
    piece.t0 += last.t1, piece.t1 += last.t1, piece.id += 10000;
    for (int i = 0; i < 3; ++i)
      piece.p[i][2] = last.p[2][2] + (piece.t0 - last.t1) * last.velocity[8] + (i / 2.0) * kStep * last.velocity[8];
    piece.velocity[2] = piece.velocity[8] = last.velocity[8];
    late.rows[0].pieces.push_back(piece);
  }
  late.run.until *= 2, late.run.branches[0].end_time *= 2, late.rows[0].claims[0].t1 *= 2;
  EXPECT_NE(reasons(kernel::made::proveAll(late)).find(sum), std::string::npos);
}

// -- Forgeries that keep every bound of a single impulse.

/// The bounds of a run of one body, as it declares them by default.
Made declared(Made made) {
  kernel::Bounds& b = made.run.bounds;
  b[kernel::Law::kMomentum] = b[kernel::Law::kAngularMomentum] = 2.6e-3, b[kernel::Law::kKinematics] = 100;
  b[kernel::Law::kCone] = b[kernel::Law::kSlip] = 0.2, b[kernel::Law::kSupport] = 10, b[kernel::Law::kEnergy] = 6.8e-6;
  return made;
}

/// It stands still for a second on contacts that push with m g, in `steps` pieces.
Made atRest(int steps) {
  Made made = kernel::made::rest();
  const kernel::Piece whole = made.rows[0].pieces[0];
  made.rows[0].pieces.clear(), made.rows[0].actions.clear();
  for (int i = 0; i < steps; ++i) {
    kernel::Piece piece = whole;
    piece.t0 = 1.0 * i / steps, piece.t1 = 1.0 * (i + 1) / steps;
    kernel::Action action;
    action.t0 = piece.t0, action.t1 = piece.t1;
    for (int v = 0; v < 4; ++v)
      action.contacts.push_back(
          kernel::made::pushed(v, piece.t0, piece.t1, {0, 0, body(made).mass * kernel::made::kGravity / 4}));
    made.rows[0].pieces.push_back(piece), made.rows[0].actions.push_back(action);
  }
  kernel::made::number(made);
  return declared(made);
}

/// The table above: what held it up pulls it now.
Made hanging(int steps) {
  Made made = atRest(steps);
  made.run.model.gravity[2] = -made.run.model.gravity[2];
  for (kernel::Action& action : made.rows[0].actions)
    for (kernel::Contact& contact : action.contacts)
      for (kernel::Impulse& impulse : contact.impulses) impulse.P[2] = -impulse.P[2];
  return made;
}

Made floating(double height, int steps) {
  Made made = atRest(steps);
  body(made).position[2] += height;
  for (kernel::Piece& piece : made.rows[0].pieces) piece.p[0][2] = body(made).position[2];
  return made;
}

/// It keeps or gains speed on a rough table: friction is `share` of what would brake it.
Made gliding(double speed, double share) {
  Made made = declared(kernel::made::slide());
  const double pull = 0.25 * kernel::made::kGravity, h = made.run.until;
  body(made).velocity = {speed, 0, 0};
  made.rows[0].pieces = {
      kernel::made::parabola(1, 0, h, body(made).position.data(), {speed, 0, 0}, {-share * pull, 0, 0})};
  kernel::Action& action = made.rows[0].actions[0];
  action.contacts.clear();
  const double N = body(made).mass * kernel::made::kGravity;
  for (int v = 0; v < 4; ++v) {
    const double n = N * (v & 1 ? 1 + 0.25 * share : 1 - 0.25 * share) / 4;
    action.contacts.push_back(kernel::made::pushed(v, 0, h, {-0.25 * share * n, 0, n}));
  }
  kernel::made::number(made);
  return made;
}

/// The same without slip, where friction has no bound: it is this many times what presses, alike at all corners.
Made glidingWithoutSlip(double friction) {
  Made made = gliding(100, 4 * friction);
  body(made).no_slip = true;
  const double n = 0.25 * body(made).mass * kernel::made::kGravity, h = made.run.until;
  auto& contacts = made.rows[0].actions[0].contacts;
  for (int v = 0; v < 4; ++v) contacts[v] = kernel::made::pushed(v, 0, h, {-friction * n, 0, n});
  kernel::made::number(made);
  return made;
}

Made bouncing(double restitution) {
  Made made = declared(kernel::made::bounce());
  body(made).restitution = restitution;
  return made;
}

/// It falls on one corner, its centre above it, with restitution e, and rises with `share` of its approach.
Made cornered(double e, double share) {
  Made made = declared(kernel::made::bounce());
  body(made).restitution = e;
  const double depth = kernel::made::kSize / 2 * std::sqrt(3.0);
  // Its diagonal stands upright: about (1, -1, 0) by the angle of tan sqrt 2.
  const double half = std::atan(std::sqrt(2.0)) / 2, s = std::sin(half) / std::sqrt(2.0);
  body(made).orientation = {std::cos(half), s, -s, 0};
  const double lift = depth - kernel::made::kSize / 2;
  body(made).position[2] += lift, body(made).velocity[0] = 0;
  for (kernel::Piece& piece : made.rows[0].pieces) {
    for (int i = 0; i <= piece.p_degree; ++i) piece.p[i][0] = 0, piece.p[i][2] += lift;
    for (int i = 0; i <= piece.q_degree; ++i)
      for (int k = 0; k < 4; ++k) piece.q[i][k] = body(made).orientation[k];
    piece.velocity[0] = piece.velocity[6] = 0;
  }
  kernel::Piece& up = made.rows[0].pieces[1];
  const double fall = up.t1 - up.t0, speed = -made.rows[0].pieces[0].velocity[8];
  const double from[3] = {0, 0, up.p[0][2]};
  kernel::Piece risen =
      kernel::made::parabola(1, up.t0, up.t1, from, {0, 0, share * speed}, {0, 0, -kernel::made::kGravity});
  for (int i = 0; i <= risen.q_degree; ++i)
    for (int k = 0; k < 4; ++k) risen.q[i][k] = body(made).orientation[k];
  up = risen;
  kernel::Action& action = made.rows[0].actions[0];
  action.contacts = {kernel::made::pushed(0, fall, fall, {})};
  action.contacts[0].impulses = {{fall, {0, 0, body(made).mass * (1 + share) * speed}}};
  kernel::made::number(made);
  return made;
}

/// Its first steps alone.
Made firstOf(Made made, std::size_t steps) {
  kernel::BranchRows& rows = made.rows[0];
  rows.pieces.resize(steps), rows.actions.resize(steps);
  made.run.until = made.run.branches[0].end_time = rows.claims[0].t1 = rows.pieces.back().t1;
  return made;
}

/// It falls faster than gravity says, by less than the sums of momentum may be off by.
Made falling(double share) {
  Made made = declared(unexplained(800, 0x1p-12, share, 0));
  made.run.bounds[kernel::Law::kCone] = made.run.bounds[kernel::Law::kSlip] = 0.2;
  return made;
}

TEST(Physics, ForgeriesWithinTheBoundsOfSingleImpulsesAreRefuted) {
  for (const Made& honest : {atRest(1), atRest(200), gliding(2, 1), bouncing(1), falling(1), cornered(0.5, 0.5),
                             cornered(0.5, 0.45), cornered(1, 1)})
    EXPECT_EQ(reasons(kernel::made::proveAll(honest)), "");
  const struct {
    const char *name, *law;
    Made made;
  } forgeries[] = {
      {"it floats a thousand gaps over the table", "support", floating(1000 * kernel::made::kGap, 1)},
      {"it floats by a twentieth of its size", "support", floating(0.05 * kernel::made::kSize, 200)},
      {"it floats by half of its size", "support", floating(0.5 * kernel::made::kSize, 1)},
      {"it hangs on the table, one pull", "cone", hanging(1)},
      {"it hangs on the table, many small pulls", "cone", hanging(400)},
      {"it hangs on the table for half of l / V", "cone", firstOf(hanging(400), 60)},
      {"it glides over a rough table", "slip", gliding(2, 0)},
      {"half of the friction", "slip", gliding(2, 0.5)},
      {"it glides slowly", "cone", gliding(0.3, 0)},
      {"it glides by a hundredth of V", "cone", gliding(0.022, 0)},
      {"friction drives it slowly", "cone", gliding(0.3, -0.5)},
      {"friction drives it", "slip", gliding(2, -1)},
      {"it glides although nothing slips", "slip", glidingWithoutSlip(0)},
      {"friction of a rough table, although nothing slips", "slip", glidingWithoutSlip(1)},
      {"friction of nine times the weight, although nothing slips", "slip", glidingWithoutSlip(9)},
      {"friction without bound drives it", "slip", glidingWithoutSlip(-15)},
      {"it rebounds without restitution", "slip", bouncing(0)},
      {"it rebounds by more than its restitution", "slip", cornered(0.5, 0.65)},
      {"half of its restitution too much", "slip", cornered(0.25, 0.75)},
      {"a tenth too much", "slip", cornered(0.5, 0.6)},
      {"it hardly rebounds", "slip", cornered(0.8, 0.4)},
      {"it rebounds by less than its restitution", "slip", cornered(0.6, 0.4)},
      {"it falls too fast, a little in each step", "energy", falling(1.008)},
  };
  for (const auto& forgery : forgeries) {
    const std::string found = reasons(kernel::made::proveAll(forgery.made));
    EXPECT_NE(found.find(forgery.law), std::string::npos) << forgery.name << '\n' << found;
    compareWithKernel(forgery.made, forgery.name);
  }
}

/// Ten times the weight and more may act against slip where nothing slips; the cube would topple, other laws say.
TEST(Physics, FrictionWithoutBoundMayActAgainstSlip) {
  for (const double friction : {10.0, 25.0}) {
    const Made made = glidingWithoutSlip(friction);
    EXPECT_EQ(reasons(kernel::made::proveAll(made)).find("slip"), std::string::npos) << friction;
    compareWithKernel(made, "friction without bound");
  }
}

/// True throws whose bodies bounce more than the model that they claim permits.
TEST(Physics, TrueReboundsAreThoseOfTheModelAlone) {
  for (const double friction : {0.0, 0.1}) {
    const std::string contact = fmt::format("contact: {{friction: {}, restitution: 0.8}}\n", friction);
    Made made = read(dieText(contact, 0.5));
    EXPECT_EQ(reasons(kernel::made::proveAll(made)), "") << friction;
    compareWithKernel(made, contact);
    for (kernel::Body& one : made.run.model.bodies) one.restitution = 0.1;
    EXPECT_NE(reasons(kernel::made::proveAll(made)).find("slip"), std::string::npos) << friction;
    compareWithKernel(made, contact);
  }
}

/// Slow hits return more than e by Uchida's rule, which the run declares.
TEST(Physics, SlowHitsOfPlusReturnWhatTheirRuleSays) {
  for (const double restitution : {0.0, 0.2}) {
    const Made made = read(dieText(fmt::format(
        "contact: {{friction: 0.3, restitution: {}}}\nimpact: {{model: plus, plus: {{plastic_speed: 8}}}}\n",
        restitution)));
    EXPECT_EQ(reasons(kernel::made::proveAll(made)), "") << restitution;
    compareWithKernel(made, "plus");
  }
}

/// A needle between the floor and a heavier box that hits it at thrice what gravity gives them.
TEST(Physics, WhatFastBodiesHitIsKnownToTheirDigits) {
  const Made made = read(
      "name: hit\nuntil: 0.6\ncontact: {friction: 0, restitution: 0.3}\n" + kFloor +
      "  - {name: needle, shape: {box: {size: [0.336, 0.02, 0.02]}}, mass: 0.0374, position: [-0.016, -0.080, 0.4], "
      "orientation: [1.518, -1.103, -2.937, 2.409], velocity: [-1.908, -0.164, -1.991], "
      "angular_velocity: [1.13, -19.23, 11.70]}\n"
      "  - {name: box, shape: {box: {size: [0.2, 0.1, 0.07]}}, mass: 0.1388, position: [-0.029, -0.090, 1], "
      "orientation: [-0.785, -1.703, 1, 0.278], velocity: [-1.833, -0.042, -4.733], "
      "angular_velocity: [13.63, 13.53, 2.68]}\n");
  EXPECT_EQ(reasons(kernel::made::proveAll(made)), "");
}

// -- Robots.

/// A rod on a pin that an actuator drives on and back within every step.
Made drivenRod() {
  Made made = kernel::made::pendulum();
  made.run.model.robots[0].joints[0].effort = 1;
  for (kernel::Action& action : made.rows[0].actions) {
    const double h = action.t1 - action.t0;
    kernel::Wrench drive;
    drive.source = kernel::Wrench::Source::kActuator;
    drive.robot = drive.joint = 0;
    drive.impulses = {{{action.t0 + h / 4}, {0, 0, 0.3 * h}}, {{action.t1 - h / 4}, {0, 0, -0.3 * h}}};
    action.wrenches.push_back(drive);
  }
  return made;
}

TEST(Physics, ActuatorsAreHeldToWhatTheyDo) {
  ASSERT_EQ(reasons(kernel::made::proveAll(drivenRod())), "");
  struct {
    const char* name;
    const char* reason;
    std::function<void(Made&, kernel::Action&, kernel::Wrench&)> alter;
  } const forgeries[] = {
      {"half of its work", "angular_momentum",
       [](Made&, kernel::Action&, kernel::Wrench& w) { w.impulses.pop_back(); }},
      {"another effort", "angular_momentum",
       [](Made&, kernel::Action&, kernel::Wrench& w) { w.impulses[0].moment[2] *= 1.01; }},
      {"across its axis", "across its axis",
       [](Made&, kernel::Action&, kernel::Wrench& w) {
         for (kernel::Twisting& impulse : w.impulses) std::swap(impulse.moment[1], impulse.moment[2]);
       }},
      {"by the joint itself", "joints",
       [](Made&, kernel::Action&, kernel::Wrench& w) { w.source = kernel::Wrench::Source::kJoint; }},
      {"with a force", "across its axis",
       [](Made&, kernel::Action&, kernel::Wrench& w) { w.impulses[0].P[0] += 1e-3; }},
      {"beyond its limit, in many small pushes", "more effort",
       [](Made& m, kernel::Action& a, kernel::Wrench& w) {
         const double most = m.run.model.robots[0].joints[0].effort * (a.t1 - a.t0);
         w.impulses.assign(100, {0.5 * (a.t0 + a.t1), {}, {{0, 0, most / 20}}});
         for (int k = 0; k < 50; ++k) w.impulses[2 * k].moment[2] *= -1;
       }},
      {"by a limit that the joint does not have", "does not reach",
       [](Made&, kernel::Action&, kernel::Wrench& w) { w.source = kernel::Wrench::Source::kLimit; }},
      {"by a limit that is far", "does not reach",
       [](Made& m, kernel::Action&, kernel::Wrench& w) {
         m.run.model.robots[0].joints[0].lower = -1, m.run.model.robots[0].joints[0].upper = 1;
         w.source = kernel::Wrench::Source::kLimit;
       }},
      {"by a limit that pulls outwards", "does not reach",
       [](Made& m, kernel::Action&, kernel::Wrench& w) {
         m.run.model.robots[0].joints[0].upper = 1, w.source = kernel::Wrench::Source::kLimit;
       }},
      {"beyond its limit", "more effort",
       [](Made& m, kernel::Action&, kernel::Wrench&) { m.run.model.robots[0].joints[0].effort = 0.1; }},
      {"at no instant of its step", "outside of its step",
       [](Made&, kernel::Action& a, kernel::Wrench& w) { w.impulses[0].time = a.t1 + 1; }},
      {"over more time than its step has", "outside of its link's step",
       [](Made&, kernel::Action& a, kernel::Wrench&) { a.t1 += 1; }},
      {"twice", "more effort",
       [](Made&, kernel::Action& a, kernel::Wrench& w) {
         const kernel::Wrench again = w;
         a.wrenches.push_back(again);
       }},
      {"of no robot", "at no joint", [](Made&, kernel::Action&, kernel::Wrench& w) { w.robot = 7; }},
      {"of a robot without a controller", "nothing drives",
       [](Made& m, kernel::Action&, kernel::Wrench&) { m.run.model.robots[0].driven = false; }},
  };
  for (const auto& forgery : forgeries) {
    Made made = drivenRod();
    kernel::Action& action = made.rows[0].actions[1];
    forgery.alter(made, action, action.wrenches.back());
    EXPECT_NE(reasons(kernel::made::proveAll(made)).find(forgery.reason), std::string::npos) << forgery.name;
  }
}

/// A rod turns evenly, as its actuator gives what its damper and its friction take.
Made braked(double damping, double friction) {
  Made made = kernel::made::pendulum();
  kernel::Joint& joint = made.run.model.robots[0].joints[0];
  joint.damping = damping, joint.friction = friction;
  for (kernel::Action& action : made.rows[0].actions) {
    const double taken = (damping * made.rows[0].pieces[0].velocity[5] + friction) * (action.t1 - action.t0);
    action.wrenches[0].impulses[0].moment[2] = -taken;
    kernel::Wrench drive = action.wrenches[0];
    drive.source = kernel::Wrench::Source::kActuator;
    drive.impulses[0].P = {}, drive.impulses[0].moment = {0, 0, taken};
    action.wrenches.push_back(drive);
  }
  return made;
}

TEST(Physics, JointsDoWhatTheirDampersFrictionAndRotorsDo) {
  ASSERT_EQ(reasons(kernel::made::proveAll(braked(0.5, 0.3))), "");
  compareWithKernel(braked(0.5, 0.3), "braked");
  const std::function<void(kernel::Joint&)> forgeries[] = {
      [](kernel::Joint& joint) { joint.damping = 0; },        [](kernel::Joint& joint) { joint.damping *= 1.0001; },
      [](kernel::Joint& joint) { joint.friction = 0; },       [](kernel::Joint& joint) { joint.friction *= 0.9999; },
      [](kernel::Joint& joint) { joint.friction *= 1.0001; },  // Where it slides it acts in full.
      [](kernel::Joint& joint) { joint.damping = -0.5; },     [](kernel::Joint& joint) { joint.axis = {0, 0, -1}; },
  };
  for (const auto& alter : forgeries) {
    Made made = braked(0.5, 0.3);
    alter(made.run.model.robots[0].joints[0]);
    const bool same = made.run.model.robots[0].joints[0].axis[2] < 0;  // The other way round it is the same joint.
    EXPECT_EQ(reasons(kernel::made::proveAll(made)).find("joints") == std::string::npos, same);
    compareWithKernel(made, "braked by another");
  }
  // Friction that pushes.
  Made pushed = braked(0, -0.3);
  pushed.run.model.robots[0].joints[0].friction = 0.3;
  EXPECT_NE(reasons(kernel::made::proveAll(pushed)).find("joints"), std::string::npos);
  // A rotor that turns evenly needs nothing.
  Made even = braked(0.5, 0);
  even.run.model.robots[0].joints[0].armature = 3;
  EXPECT_EQ(reasons(kernel::made::proveAll(even)), "");
  even.run.model.robots[0].joints[0].damping = std::numeric_limits<double>::quiet_NaN();
  EXPECT_NE(reasons(kernel::made::proveAll(even)), "");
}

/// A rod turns evenly, as its actuator gives what its spring takes.
Made sprung(double stiffness, double rest) {
  Made made = braked(0, 0);
  kernel::Joint& joint = made.run.model.robots[0].joints[0];
  joint.stiffness = stiffness, joint.rest = rest;
  for (kernel::Action& action : made.rows[0].actions) {
    const double angle = made.rows[0].pieces[0].velocity[5] * (action.t0 + action.t1) / 2,
                 taken = stiffness * (angle - rest) * (action.t1 - action.t0);
    action.wrenches[0].impulses[0].moment[2] = -taken, action.wrenches[1].impulses[0].moment[2] = taken;
  }
  return made;
}

TEST(Physics, JointsDoWhatTheirSpringsDo) {
  for (const double rest : {-0.6, 40.0}) {  // Several turns away, too.
    ASSERT_EQ(reasons(kernel::made::proveAll(sprung(0.5, rest))), "") << rest;
    compareWithKernel(sprung(0.5, rest), "sprung");
  }
  const std::function<void(kernel::Joint&)> forgeries[] = {
      [](kernel::Joint& joint) { joint.stiffness = 0; },       [](kernel::Joint& joint) { joint.stiffness *= 1.0001; },
      [](kernel::Joint& joint) { joint.stiffness *= 0.9999; }, [](kernel::Joint& joint) { joint.stiffness *= -1; },
      [](kernel::Joint& joint) { joint.rest += 1e-4; },        [](kernel::Joint& joint) { joint.rest *= -1; },
      [](kernel::Joint& joint) { joint.axis[2] = -1; },        [](kernel::Joint& joint) { joint.damping = 1e-3; },
  };
  for (const auto& alter : forgeries) {
    Made made = sprung(0.5, -0.6);
    alter(made.run.model.robots[0].joints[0]);
    EXPECT_NE(reasons(kernel::made::proveAll(made)).find("joints"), std::string::npos) << &alter - forgeries;
    compareWithKernel(made, "another spring");
  }
}

TEST(Physics, JointsStayWithinTheirLimits) {
  const auto within = [](double lower, double upper) {
    Made made = kernel::made::pendulum();  // From 0 to 2^-7.
    made.run.model.robots[0].joints[0].lower = lower, made.run.model.robots[0].joints[0].upper = upper;
    compareWithKernel(made, "limits");
    return reasons(kernel::made::proveAll(made));
  };
  EXPECT_EQ(within(-1, 1), "");
  EXPECT_EQ(within(0, 0x1p-7), "");
  EXPECT_NE(within(-1, 0.0077).find("beyond its limits"), std::string::npos);
  EXPECT_NE(within(0.0001 + 0x1p-7, 1).find("beyond its limits"), std::string::npos);
}

TEST(Physics, JointsOfSeveralAxesDoNothingAlongThem) {
  const auto proved = [](kernel::JointType type, double damping, double claimed) {
    Made made = braked(damping, 0);
    kernel::Joint& joint = made.run.model.robots[0].joints[0];
    joint.type = type, joint.axis2 = {3, 0, 0}, joint.damping = claimed;
    compareWithKernel(made, "several axes");
    return reasons(kernel::made::proveAll(made));
  };
  using enum kernel::JointType;
  for (const auto type : {kSpherical, kUniversal}) {
    EXPECT_EQ(proved(type, 0, 0), "");
    EXPECT_EQ(proved(type, 0.5, 0.5), "");
    for (const double other : {0.0, 0.4999, 0.5001, -0.5})
      EXPECT_NE(proved(type, 0.5, other).find("joints"), std::string::npos) << other;
  }
  EXPECT_NE(proved(kPlanar, 0, 0).find("joints"), std::string::npos);  // Held in its plane.
  Made floating = kernel::made::pendulum();                            // Held by nothing.
  floating.run.model.robots[0].joints[0].type = kOther, floating.run.model.robots[0].joints[0].parent = -1;
  EXPECT_NE(reasons(kernel::made::proveAll(floating)).find("at no joint"), std::string::npos);
}

TEST(Physics, PiecesOfOneStepAreBalancedOneByOne) {
  // Thrown up, twice as heavy as it should be and then weightless: both together are as they should be.
  const auto thrown = [](double heavier) {
    Made made = kernel::made::onTable(kernel::made::cube("r/link", {0, 0, 4}, {0, 0, 4}), 0.25);
    body(made).robot = 0;
    kernel::Joint joint;
    joint.name = "root", joint.type = kernel::JointType::kOther, joint.parent = -1, joint.child = 1;
    made.run.model.robots = {{"r", {joint}}};
    kernel::BranchRows& rows = made.rows[0];
    const double g = kernel::made::kGravity, *at = body(made).position.data();
    rows.pieces.push_back(kernel::made::parabola(1, 0, 0.125, at, {0, 0, 4}, {0, 0, -heavier * g}));
    const kernel::Piece first = rows.pieces[0];
    rows.pieces.push_back(
        kernel::made::parabola(1, 0.125, 0.25, first.p[2], {0, 0, first.velocity[8]}, {0, 0, -(2 - heavier) * g}));
    rows.claims = {kernel::made::aboveTable(0, 0.25, 3)};
    kernel::made::number(made);
    for (kernel::Piece& piece : rows.pieces) piece.step = 1;
    return reasons(kernel::made::proveAll(made));
  };
  EXPECT_EQ(thrown(1), "");
  EXPECT_NE(thrown(2).find("momentum"), std::string::npos);
}

// -- True runs.

Report proveText(const std::string& text) {
  const TemporaryFolder folder;
  const std::string path = folder / "run.rigor";
  recordScene(scenes::parseScene(text, "physics.yaml"), 0, path);
  return verifyRecord(path, {.threads = 1});
}

TEST(Physics, FallsWithTheTolerance) {
  for (const bool two : {false, true})
    for (const double tolerance : {2e-3, 1e-6, two ? 1e-7 : 1e-9}) {
      const std::string solver = "solver: {velocity_tolerance: " + std::to_string(tolerance * 1e9) + "e-9}\n";
      const Report report = proveText(two ? cubesText(solver) : dieText(solver));
      ASSERT_TRUE(report.physics_known);
      EXPECT_TRUE(report.verified) << tolerance << ' ' << two << ' '
                                   << (report.failures.empty() ? "" : report.failures[0].reason);
      for (const LawReport& law : report.physics)
        EXPECT_TRUE(!law.name.ends_with("momentum") || law.worst <= 1.3 * tolerance + 1e-11)
            << law.name << ' ' << law.worst;
    }
}

TEST(Physics, ContactsOnASlopeActAtItsFeatures) {
  std::string text = dieText();
  const std::string level = "[0, 0, 1]";
  text.replace(text.find(level), level.size(), "[0.1, 0.2, 1]");
  const Report report = proveText(text);
  EXPECT_TRUE(report.physics_known);
  EXPECT_TRUE(report.verified) << (report.failures.empty() ? "" : report.failures[0].reason);
}

// -- The filter.

TEST(LawFilter, WhatItProvesTheKernelDoes) {
  int proved = 0;
  for (const std::string& text : {dieText(), cubesText(), slideText(0.4), bounceText()})
    proved += compareWithKernel(read(text), text);
  EXPECT_GT(proved, 100);
}

TEST(LawFilter, ProvesNothingOfAlteredRunsThatTheKernelDoesNot) {
  for (const Alteration& alteration : alterations()) {
    Made made = read(alteration.text);
    alteration.alter(made);
    compareWithKernel(made, alteration.name);
  }
}

/// An arm on a ball with a damper; its forearm swings to the end of its range and stays there for a while.
TEST(LawFilter, DecidesWhatBallsAndLimitsDo) {
  const TemporaryFolder folder;
  const std::string path = folder / "arm.xml";
  std::ofstream(path) << R"(<mujoco><compiler angle="radian"/><worldbody><body name="upper">
    <joint type="ball" damping="0.02"/><geom type="box" size="0.02 0.03 0.1" pos="0 0 -0.1" mass="0.3"/>
    <body name="lower" pos="0 0 -0.21"><joint name="elbow" type="hinge" axis="0 1 0" range="-2 0.1"/>
      <geom type="box" size="0.02 0.02 0.1" pos="0 0 -0.1" mass="0.2"/></body></body></worldbody></mujoco>)";
  const Made arm = read("gravity: [0, 0, -9.81]\nuntil: 0.5\nrobots:\n  - {name: r, mjcf: " + path +
                        ", position: [0, 0, 1], orientation: [0.7, 0.1, 0.7, 0], joint_velocities: {elbow: 20}}\n");
  const auto& joints = arm.run.model.robots[0].joints;
  const auto isBall = [](const kernel::Joint& joint) { return joint.type == kernel::JointType::kSpherical; };
  const auto ball = std::find_if(joints.begin(), joints.end(), isBall) - joints.begin(),
             elbow = std::find_if(joints.begin(), joints.end(), [](auto& j) { return std::isfinite(j.upper); }) -
                     joints.begin();
  ASSERT_LT(std::max(ball, elbow), static_cast<long>(joints.size()));
  const kernel::BranchProof proof(arm.run, arm.run.branches[0], arm.rows[0], kernel::Origin());
  const auto duties = kernel::Laws(proof).duties();
  using Kind = kernel::Laws::Duty::Kind;
  EXPECT_EQ(compareWithKernel(arm, "as it is"), std::count_if(duties.begin(), duties.end(), [](const auto& duty) {
              return duty.kind != Kind::kKinematics && duty.kind != Kind::kClosure;
            }));
  for (const double factor : {0.0, 0.5, 0.99, 1.01, 2.0}) {
    Made made = arm;
    made.run.model.robots[0].joints[ball].damping *= factor;
    made.run.bounds[kernel::Law::kJoints] = 1e-5;
    EXPECT_NE(reasons(kernel::made::proveAll(made)), "") << factor;
    compareWithKernel(made, "another damper");
  }
  for (const double away : {1e-9, 1e-7, 1e-5, 1e-3}) {
    Made made = arm;
    kernel::Joint& limited = made.run.model.robots[0].joints[elbow];
    limited.lower -= away, limited.upper += away;
    EXPECT_EQ(reasons(kernel::made::proveAll(made)).find("does not reach") == std::string::npos, away < 1e-4) << away;
    compareWithKernel(made, "another limit");
  }
}

}  // namespace
}  // namespace rigor::verify
