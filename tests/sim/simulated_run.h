// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <atomic>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "sim/simulation.h"
#include "verify/verify.h"

/// Scenes written as text, so that the verifier checks them too, and runs that are recorded and proved.
namespace rigor::sim::test {

struct BodyText {
  std::string name;
  std::string shape;  ///< YAML, see box(), hull(), ground().
  double mass = 1;    ///< 0: fixed.
  Eigen::Vector3d position{0, 0, 0};
  Eigen::Vector4d orientation{1, 0, 0, 0};
  Eigen::Vector3d velocity{0, 0, 0}, angular_velocity{0, 0, 0};
  std::string more = "";  ///< Further fields: "friction: no-slip, inertia: [...]".
};

struct SceneText {
  std::vector<BodyText> bodies;
  std::string friction = "0.3";
  double restitution = 0;
  Eigen::Vector3d gravity{0, 0, -9.81};
  std::string solver = "";  ///< "max_step: 0.01".
  double until = 3;

  Scene parse() const;
};

std::string box(const Eigen::Vector3d& size);
std::string hull(const std::vector<Eigen::Vector3d>& vertices);
/// A cube of .1 m.
inline const std::string kCube = "{box: {size: [0.1, 0.1, 0.1]}}";
/// Solid below normal.x = 0; fixed.
BodyText ground(const Eigen::Vector3d& normal = {0, 0, 1});

/// A scene of the project's own folder, by its name.
Scene bundledScene(const std::string& name);
/// Index of the body of that name; throws std::logic_error where there is none.
int bodyNamed(const Scene& scene, const std::string& name);

/// An impact or event with its text kept alive.
struct Event {
  double time;
  std::string kind;
  int body_a, body_b;
};

struct ProvedRun {
  Scene scene;
  Summary summary;
  verify::Report report;
  std::vector<std::string> warnings;
  double gap = 0, floor = 0;
  std::vector<PieceRecord> pieces;
  std::vector<WitnessRecord> witnesses;
  std::vector<ImpactRecord> impacts;
  std::vector<Event> events;
  double energy_scale = 0;  ///< Kinetic and |potential| energy of the start [J].

  /// Last piece of a body.
  const PieceRecord& last(int body) const;
  /// Body origin at its end, and at any time of its pieces.
  Eigen::Vector3d endPosition(int body) const { return positionAt(body, summary.time); }
  Eigen::Vector3d positionAt(int body, double time) const;
  Eigen::Matrix3d orientationAt(int body, double time) const;
  Eigen::Matrix3d endRotation(int body) const { return last(body).piece.end().rotation(); }
  /// FNV-1a over the bits of all pieces and impacts.
  std::uint64_t hash() const;
};

struct RunOptions {
  std::uint64_t seed = 0;
  double until = 0;  ///< 0: the scene's.
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(double, long)> progress = nullptr;
};

/// Simulates, records into a temporary folder, closes the record and verifies it.
ProvedRun simulate(const Scene& scene, const RunOptions& options = {});

/// "" if the run ended as `status`, its record is proved, every gap is at least the floor, and no step, impact or
/// projection raised the energy by more than `energy_share` of the scene's; else what is wrong.
std::string wrong(const ProvedRun& run, RunStatus status = RunStatus::kDone, double energy_share = 1e-12);

struct Momenta {
  Eigen::Vector3d linear{0, 0, 0}, angular{0, 0, 0};  ///< [N s]; about the origin [N m s].
};
/// Of these bodies, at the start of the run or at its end; computed from the recorded states alone.
Momenta momentumAt(const ProvedRun& run, const std::vector<int>& bodies, bool end);
/// The largest rise of the kinetic energy of bodies that step together, between what arrived at a step's start and what
/// left it (impacts, projections) [J]; computed from the recorded states alone.
double largestEnergyRise(const ProvedRun& run);
/// The largest rise of the energy of a body over one of its pieces [J]; meaningful where no other body cuts them.
double largestStepGain(const ProvedRun& run, int body);

/// Vertices of a body that end within `band` [m] of the plane z = 0.
std::vector<int> lowVertices(const ProvedRun& run, int body, double band);
/// True if those are all vertices of one face.
bool restsOnFace(const ProvedRun& run, int body);
/// Speed of the body's centre and its rotation times its size at the end [m/s].
double endSpeed(const ProvedRun& run, int body);

}  // namespace rigor::sim::test
