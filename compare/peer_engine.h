// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "geom/polytope.h"
#include "geom/pose.h"
#include "geom/shape.h"
#include "sim/world.h"

namespace rigor::compare {

/// A convex part of a scene as the other engines get it: fixed compounds are taken apart, a moving body has one part.
struct Part {
  std::string name;
  std::optional<geom::Polytope> solid;  ///< About `centre`, the body's axes; none: a half-space.
  bool is_box = false;                  ///< Its `size` says all.
  geom::HalfSpace plane;                ///< World.
  bool fixed = false;
  Eigen::Vector3d size{0, 0, 0};  ///< Of the solid's bounding box [m].
  geom::Pose start;               ///< Of the centre: the centre of mass; of a fixed part that of its bounding box.
  Eigen::Vector3d v{0, 0, 0}, w{0, 0, 0};  ///< Of the centre, world.
  double mass = 0;
  Eigen::Matrix3d inertia = Eigen::Matrix3d::Zero();  ///< About the centre, the body's axes.
  double friction = 0, restitution = 0;
};

std::vector<Part> partsOf(const sim::Scene& scene);

/// Another engine with a scene's parts in it, with its own defaults and in double precision.
///
/// Bullet: sequential impulses, 10 iterations, sleeping. ODE: quick step, 20 iterations, no sleeping. Boxes are boxes,
/// other solids convex hulls (in Bullet without its collision margin). Friction and restitution of a pair are as in
/// rigor: the geometric mean, the larger; Bullet, which multiplies both, gets square roots, so its restitution is that
/// of equal bodies. MuJoCo: its soft contacts with their defaults, elliptic cones, three dimensions; no restitution,
/// and the larger friction of a pair.
class PeerEngine {
 public:
  virtual ~PeerEngine() = default;
  virtual void step(double h) = 0;
  virtual geom::Pose pose(std::size_t part) const = 0;  ///< Of the part's centre.
  virtual void velocity(std::size_t part, Eigen::Vector3d& v,
                        Eigen::Vector3d& w) const = 0;  ///< World; 0 for fixed parts.
};

/// "bullet", "ode" and "mujoco", as far as they were found when this was built.
std::vector<std::string> peerNames();
/// @param order  Of the parts in which they are handed to the engine; empty: as they are. @returns null for another
/// name.
std::unique_ptr<PeerEngine> makePeer(const std::string& name, const std::vector<Part>& parts,
                                     const Eigen::Vector3d& gravity, const std::vector<std::size_t>& order = {});

}  // namespace rigor::compare
