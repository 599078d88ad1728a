// SPDX-License-Identifier: MIT
#include "simulated_run.h"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cstring>
#include <map>
#include <stdexcept>

#include "record/writer.h"
#include "scenes/loader.h"
#include "sim/law_bounds.h"
#include "tests/temporary_folder.h"

namespace rigor::sim::test {

using Eigen::Matrix3d;
using Eigen::Vector3d;

namespace {

std::string list(const Eigen::VectorXd& v) {
  std::string text = "[";
  for (int i = 0; i < v.size(); ++i) text += fmt::format("{}{:.17g}", i ? ", " : "", v[i]);
  return text + "]";
}

/// Records and remembers.
class Tee : public Sink {
 public:
  Tee(ProvedRun& run, record::Writer& writer) : run_(run), writer_(writer) {}
  void piece(const PieceRecord& r) override { run_.pieces.push_back(r), writer_.piece(r); }
  void witness(const WitnessRecord& r) override { run_.witnesses.push_back(r), writer_.witness(r); }
  void event(const EventRecord& r) override {
    run_.events.push_back({r.time, std::string(r.kind), r.body_a, r.body_b});
    writer_.event(r);
  }
  void impact(const ImpactRecord& r) override { run_.impacts.push_back(r), writer_.impact(r); }
  void impulses(const ImpulseRecord& r) override { writer_.impulses(r); }
  void joints(const JointRecord& r) override { writer_.joints(r); }
  void checkpoint(double time, long step, const std::vector<unsigned char>& state) override {
    writer_.checkpoint(time, step, state);
  }

 private:
  ProvedRun& run_;
  record::Writer& writer_;
};

double kineticEnergy(const Body& body, const Matrix3d& R, const Vector3d& v, const Vector3d& w) {
  const Vector3d w_B = R.transpose() * w;
  return 0.5 * (body.mass * v.squaredNorm() + w_B.dot(body.inertia * w_B));
}

double potentialEnergy(const Scene& scene, const Body& body, const Vector3d& centre) {
  return -body.mass * scene.gravity.dot(centre);
}

}  // namespace

std::string box(const Vector3d& size) { return fmt::format("{{box: {{size: {}}}}}", list(size)); }

std::string hull(const std::vector<Vector3d>& vertices) {
  std::string text = "{hull: {vertices: [";
  for (size_t i = 0; i < vertices.size(); ++i) text += (i ? ", " : "") + list(vertices[i]);
  return text + "]}}";
}

BodyText ground(const Vector3d& normal) {
  return {"ground", fmt::format("{{halfspace: {{normal: {}, offset: 0}}}}", list(normal)), 0};
}

Scene bundledScene(const std::string& name) {
  return scenes::loadScene(std::string(RIGOR_SOURCE_DIR) + "/scenes/" + name + ".yaml");
}

int bodyNamed(const Scene& scene, const std::string& name) {
  for (size_t i = 0; i < scene.bodies.size(); ++i)
    if (scene.bodies[i].name == name) return static_cast<int>(i);
  throw std::logic_error("no body " + name);
}

Scene SceneText::parse() const {
  std::string text =
      fmt::format("name: test\nuntil: {:.17g}\ngravity: {}\ncontact: {{friction: {}, restitution: {:.17g}}}\n", until,
                  list(gravity), friction, restitution);
  if (!solver.empty()) text += fmt::format("solver: {{{}}}\n", solver);
  text += "bodies:\n";
  for (const BodyText& b : bodies) {
    text += fmt::format("  - {{name: {}, shape: {}, position: {}, orientation: {}", b.name, b.shape, list(b.position),
                        list(b.orientation));
    if (b.mass == 0)
      text += ", fixed: true";
    else
      text += fmt::format(", mass: {:.17g}, velocity: {}, angular_velocity: {}", b.mass, list(b.velocity),
                          list(b.angular_velocity));
    text += (b.more.empty() ? "" : ", " + b.more) + "}\n";
  }
  return scenes::parseScene(text, "test.yaml");
}

const PieceRecord& ProvedRun::last(int body) const {
  for (size_t i = pieces.size(); i-- > 0;)
    if (pieces[i].body == body) return pieces[i];
  throw std::logic_error("the body has no piece");
}

Vector3d ProvedRun::positionAt(int body, double time) const {
  for (const PieceRecord& r : pieces)
    if (r.body == body && r.piece.t0 <= time && time <= r.piece.t1) {
      const geom::Pose pose = r.piece.at(time);
      return pose.p - pose.rotation() * scene.bodies[body].centre;
    }
  throw std::logic_error(fmt::format("no piece of body {} covers {} s", body, time));
}

Eigen::Matrix3d ProvedRun::orientationAt(int body, double time) const {
  for (const PieceRecord& r : pieces)
    if (r.body == body && r.piece.t0 <= time && time <= r.piece.t1) return r.piece.at(time).rotation();
  throw std::logic_error(fmt::format("no piece of body {} covers {} s", body, time));
}

std::uint64_t ProvedRun::hash() const {
  std::uint64_t hash = 1469598103934665603ull;
  auto add = [&](double x) {
    std::uint64_t bits;
    std::memcpy(&bits, &x, sizeof bits);
    for (int i = 0; i < 8; ++i) hash = (hash ^ (bits >> (8 * i) & 255)) * 1099511628211ull;
  };
  for (const PieceRecord& r : pieces) {
    add(r.body), add(static_cast<double>(r.step)), add(r.piece.t0), add(r.piece.t1);
    for (int i = 0; i <= r.piece.p_degree; ++i)
      for (double x : r.piece.p[i]) add(x);
    for (int i = 0; i <= r.piece.q_degree; ++i)
      for (double x : r.piece.q[i]) add(x);
    for (const Vector3d& v : {r.v_start, r.w_start, r.v_end, r.w_end})
      for (double x : v) add(x);
  }
  for (const WitnessRecord& r : witnesses) add(r.witness.t0), add(r.witness.t1), add(r.witness.gap);
  for (const ImpactRecord& r : impacts) {
    add(r.time);
    for (const auto& c : r.contacts)
      for (double x : c.impulse) add(x);
  }
  return hash;
}

ProvedRun simulate(const Scene& scene, const RunOptions& options) {
  const TemporaryFolder folder;
  const std::string path = (folder / "run.rigor").string();
  ProvedRun run;
  run.scene = scene;
  const double until = options.until > 0 ? options.until : scene.until;
  {
    Simulation simulation(scene, options.seed);
    // Where its robots start: they may have been moved off what they touched, by their joints.
    for (size_t i = 0; i < scene.bodies.size(); ++i)
      if (scene.bodies[i].robot >= 0) run.scene.bodies[i] = simulation.scene().bodies[i];
    run.warnings = simulation.warnings();
    run.gap = simulation.gapNominal(), run.floor = simulation.gapFloor();
    record::RunInfo info;
    info.seed = options.seed, info.build = "test";
    info.gap_nominal = run.gap, info.gap_floor = run.floor, info.until = until;
    info.bounds = lawBounds(simulation.scene());
    record::Writer writer(path, simulation.scene(), info);
    Tee tee(run, writer);
    run.summary = simulation.run(until, tee, options.interrupt, options.progress);
    writer.finish(run.summary, "{}");
  }
  verify::Options verify_options;
  verify_options.threads = 1;
  run.report = verify::verifyRecord(path, verify_options);
  for (const Body& body : scene.bodies) {
    if (body.fixed) continue;
    const Matrix3d R = body.pose.rotation();
    const Vector3d arm = R * body.centre;
    run.energy_scale +=
        kineticEnergy(body, R, body.velocity + body.angular_velocity.cross(arm), body.angular_velocity) +
        (body.robot < 0 ? std::abs(potentialEnergy(scene, body, body.pose.p + arm))
                        : body.mass * scene.gravity.norm() * (body.pose.p + arm).norm());  // A chain starts at zero.
  }
  return run;
}

Momenta momentumAt(const ProvedRun& run, const std::vector<int>& bodies, bool end) {
  Momenta sum;
  for (const int body : bodies) {
    const Body& b = run.scene.bodies[body];
    const PieceRecord& piece =
        end ? run.last(body)
            : *std::find_if(run.pieces.begin(), run.pieces.end(), [&](const PieceRecord& p) { return p.body == body; });
    const Eigen::Vector3d &v = end ? piece.v_end : piece.v_start, &w = end ? piece.w_end : piece.w_start;
    const double t = end ? run.summary.time : 0;
    const Eigen::Matrix3d R = run.orientationAt(body, t);
    sum.linear += b.mass * v;
    sum.angular += (run.positionAt(body, t) + R * b.centre).cross(b.mass * v) + R * b.inertia * R.transpose() * w;
  }
  return sum;
}

double largestEnergyRise(const ProvedRun& run) {
  struct State {
    double kinetic, potential;
  };
  std::vector<State> before(run.scene.bodies.size(), {0, 0});
  for (size_t i = 0; i < before.size(); ++i) {
    const Body& b = run.scene.bodies[i];
    const Matrix3d R = b.pose.rotation();
    const Vector3d arm = R * b.centre;
    before[i].kinetic =
        b.fixed ? 0 : kineticEnergy(b, R, b.velocity + b.angular_velocity.cross(arm), b.angular_velocity);
  }
  std::map<long, std::vector<const PieceRecord*>> steps;
  for (const PieceRecord& r : run.pieces) steps[r.step].push_back(&r);
  double rise = 0;
  for (const auto& [step, group] : steps) {
    double arriving = 0, starting = 0;
    for (const PieceRecord* r : group) {
      const Body& b = run.scene.bodies[r->body];
      const geom::Pose start = r->piece.start(), end = r->piece.end();
      arriving += before[r->body].kinetic;
      starting += kineticEnergy(b, start.rotation(), r->v_start, r->w_start);
      before[r->body].kinetic = kineticEnergy(b, end.rotation(), r->v_end, r->w_end);
    }
    rise = std::max(rise, starting - arriving);
  }
  return rise;
}

double largestStepGain(const ProvedRun& run, int body) {
  const Body& b = run.scene.bodies[body];
  double gain = 0;
  for (const PieceRecord& r : run.pieces) {
    if (r.body != body) continue;
    const geom::Pose start = r.piece.start(), end = r.piece.end();
    gain = std::max(gain, kineticEnergy(b, end.rotation(), r.v_end, r.w_end) + potentialEnergy(run.scene, b, end.p) -
                              kineticEnergy(b, start.rotation(), r.v_start, r.w_start) -
                              potentialEnergy(run.scene, b, start.p));
  }
  return gain;
}

std::string wrong(const ProvedRun& run, RunStatus status, double energy_share) {
  const Summary& s = run.summary;
  std::string text;
  if (s.status != status) text += fmt::format("status {} at {} s: {}. ", static_cast<int>(s.status), s.time, s.message);
  if (!run.report.verified) {
    text += fmt::format("record {}: {} failures", run.report.status(), run.report.failure_count);
    for (size_t i = 0; i < std::min<size_t>(run.report.failures.size(), 3); ++i) {
      const auto& f = run.report.failures[i];
      text += fmt::format("; piece {} ({}, {}) at {} s: {}", f.piece, f.pair[0], f.pair[1], f.time, f.reason);
    }
    text += ". ";
  } else {
    // A scene that a test changed after it was read has no text that the loader could read again.
    for (const std::string& note : run.report.notes)
      if (!(run.scene.text.empty() && note.find("about its model alone") != std::string::npos)) text += note + ". ";
    if (run.report.run_status != record::statusName(status))
      text += "status in the record: " + run.report.run_status + ". ";
    if (!(run.report.horizon == s.time)) text += fmt::format("verified up to {} of {} s. ", run.report.horizon, s.time);
    if (run.report.pairs > 0 && !(run.report.min_gap >= run.floor))
      text += fmt::format("proved gap {} is below the floor {}. ", run.report.min_gap, run.floor);
  }
  if (!(s.max_energy_increase <= energy_share * run.energy_scale))
    text += fmt::format("a step gained {} J of {} J. ", s.max_energy_increase, run.energy_scale);
  if (const double rise = largestEnergyRise(run); !(rise <= energy_share * run.energy_scale))
    text += fmt::format("recorded states gained {} J of {} J. ", rise, run.energy_scale);
  return text;
}

std::vector<int> lowVertices(const ProvedRun& run, int body, double band) {
  const auto& shape = std::get<geom::Polytope>(run.scene.bodies[body].parts[0]);
  const Matrix3d R = run.endRotation(body);
  const Vector3d p = run.endPosition(body);
  std::vector<int> low;
  for (int v = 0; v < shape.numVertices(); ++v)
    if ((p + R * shape.vertex(v)).z() <= band) low.push_back(v);
  return low;
}

bool restsOnFace(const ProvedRun& run, int body) {
  const auto& shape = std::get<geom::Polytope>(run.scene.bodies[body].parts[0]);
  const std::vector<int> low = lowVertices(run, body, 4 * run.gap);
  for (int f = 0; f < shape.numFaces(); ++f) {
    std::vector<int> face(shape.faceVertices(f).begin(), shape.faceVertices(f).end());
    std::sort(face.begin(), face.end());
    if (face == low) return true;
  }
  return false;
}

double endSpeed(const ProvedRun& run, int body) {
  const PieceRecord& r = run.last(body);
  return r.v_end.norm() + r.w_end.norm() * std::get<geom::Polytope>(run.scene.bodies[body].parts[0]).size();
}

}  // namespace rigor::sim::test
