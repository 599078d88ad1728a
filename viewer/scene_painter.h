// SPDX-License-Identifier: MIT
#pragma once
#include <deque>
#include <vector>

#include "viewer/contact_finder.h"
#include "viewer/draw_list.h"
#include "viewer/run_model.h"
#include "viewer/view.h"

namespace rigor::viewer {

/// A recorded impact near the shown time, for the impulse overlay.
struct ShownImpulse {
  Eigen::Vector3d point, impulse;     ///< World [m], normal part [N s]; on the second body of the pair.
  float age;                          ///< 0: now, 1: about to vanish.
  Eigen::Vector3d friction{0, 0, 0};  ///< Tangential part [N s].
};

/// A separating plane at the shown time.
struct ShownWitness {
  sim::PairKey pair;
  advance::Witness witness;
};

/// What the record's tables add to the geometry of an instant (viewer/run_index.h reads it).
struct Annotations {
  std::vector<ShownImpulse> impulses;
  std::vector<ShownWitness> witnesses;
};

/// Turns an instant of a run into a draw list. Holds the meshes and buffers; no simulation, no drawing.
/// Cost: O(bodies + near pairs); no allocation in the steady state but for labels.
class ScenePainter {
 public:
  explicit ScenePainter(RunModel& model);

  const std::vector<Mesh>& meshes() const { return meshes_; }
  /// Fills `list` with what `view` shows. @throws record::RecordError.
  void paint(RunModel& model, const View& view, const Annotations& annotations, DrawList& list);

  /// Box around the moving bodies, with fixed bodies of about their size; a cube of the model's size if there are none.
  Eigen::AlignedBox3d box(const RunModel& model, const std::vector<Placement>& placements) const;
  /// The sphere around it.
  void bounds(const RunModel& model, const std::vector<Placement>& placements, Eigen::Vector3d& centre,
              double& radius) const;
  /// The nearest body hit by a ray, -1 for none; half-spaces are not hit. `distance` along the ray [m].
  static int pick(const RunModel& model, const std::vector<Placement>& placements, const Ray& ray, double* distance);

  const std::vector<Placement>& placements() const { return placements_; }
  const ContactFinder& contacts() const { return finder_; }
  /// Whether a moving body was known at the last painted time.
  bool anyMoving() const;
  Color colorOf(int body) const { return bodyColor(color_index_[body], fixed_[body]); }

 private:
  void paintBodies(const RunModel& model, const std::vector<Placement>& placements, const View& view, bool ghost,
                   const std::vector<bool>& only, DrawList& list);
  void paintGrounds(const RunModel& model, const View& view, DrawList& list);
  void paintContacts(const RunModel& model, const View& view, DrawList& list);
  void paintWitnesses(const RunModel& model, const Annotations& annotations, DrawList& list);
  void paintMotion(RunModel& model, const View& view, DrawList& list);
  void paintGhosts(RunModel& model, const View& view, DrawList& list);
  void paintJoints(const RunModel& model, DrawList& list);
  void addPips(int body, const ModelBody& shape);

  // A moving body is one mesh; a fixed one a mesh a part, so that the wall in front can be seen through.
  struct MeshOwner {
    int body;
    Eigen::Vector3d centre;  // Of the mesh, body frame [m].
    double radius;           // About it [m].
    bool pips = false;
  };
  std::vector<Mesh> meshes_;
  std::vector<MeshOwner> owners_;
  std::vector<int> color_index_;
  std::vector<bool> fixed_;
  std::vector<std::string> names_;  // As labels: of the links of the only robot, without its name.
  ContactFinder finder_;
  std::vector<Placement> placements_, ghost_placements_;
  std::vector<bool> all_, differing_;
  // Trail samples on a fixed grid of times, kept while one plays.
  struct TrailColumn {
    long slot;
    std::vector<Eigen::Vector3d> points;
  };
  std::deque<TrailColumn> trail_;
  int trail_branch_ = -1;
  double trail_step_ = 0;
};

/// "12.3 nm", "4.56 mm", "1.2 m".
std::string lengthText(double metres);

}  // namespace rigor::viewer
