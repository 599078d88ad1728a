// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Geometry>
#include <optional>
#include <string>

#include "verify/kernel/branch_proof.h"
#include "verify/record/joint_position.h"

namespace rigor::verify::tables {

inline Eigen::Vector3d vectorOf(const kernel::Vector3& v) { return Eigen::Vector3d(v.data()); }

/// A body at an instant, in doubles: its centre's place and velocity.
struct BodyAt {
  Eigen::Vector3d p{0, 0, 0}, v{0, 0, 0}, w{0, 0, 0};
  Eigen::Quaterniond q{1, 0, 0, 0};
  Eigen::Vector3d centre{0, 0, 0};  ///< Body frame.

  Eigen::Vector3d place(const kernel::Vector3& x) const { return p + q * (vectorOf(x) - centre); }
  Eigen::Vector3d velocityAt(const Eigen::Vector3d& x) const { return v + w.cross(x - p); }
};

/// A link's origin, of which its joint speaks.
recorded::LinkState linkOf(const BodyAt& at);
/// The unit axis of a joint where its child is, world.
Eigen::Vector3d axisOf(const kernel::Joint& joint, const BodyAt& child);
/// The joint `ROBOT/JOINT` of body_b, a link, whose limit body_a is the other side of: its parent, or itself where the
/// joint hangs in the world. Null: there is none.
const kernel::Joint* jointOfLimit(const kernel::Model& model, const std::string& name, int body_a, int body_b);

/// Units of the laws of motion (docs/proof.md), of a body alone, in doubles.
struct Scale {
  double length = 0, speed = 0;  ///< l [m], V [m/s]
};
Scale scaleOf(const kernel::Model& model, int body);

/// What a branch's proved motion shows where pieces meet: tables say their things of such instants.
class ShownMotion {
 public:
  explicit ShownMotion(const kernel::BranchProof& proof) : proof_(proof) {}

  const kernel::BranchProof& proof() const { return proof_; }
  const kernel::Model& model() const { return proof_.run().model; }
  bool fixed(int body) const { return model().bodies[static_cast<std::size_t>(body)].fixed; }
  /// The piece of a moving body that starts (ends) at a time; null if none does.
  const kernel::Piece* starting(int body, double time) const;
  const kernel::Piece* ending(int body, double time) const;
  /// Where the body is when a step starts: with the velocity from there on. Nothing where none of its pieces starts
  /// then. Fixed bodies are where they are.
  std::optional<BodyAt> atStart(int body, double time) const;
  /// With the velocity up to there, where a piece ends.
  std::optional<BodyAt> atEnd(int body, double time) const;
  /// How far apart two bodies may be where something acts between them [m]: what the record's bound of `support` says;
  /// where it declares no laws a tenth of the smaller one, as ticks of crowds hit.
  double reach(int body_a, int body_b) const;

 private:
  std::optional<BodyAt> at(int body, const kernel::Piece* piece, bool end) const;
  const kernel::BranchProof& proof_;
};

/// Two parts are at least this far apart [m], and hardly farther than twice that; 0 where they may be nearer than
/// `enough`.
double apartAtLeast(const kernel::Part& a, const BodyAt& of_a, const kernel::Part& b, const BodyAt& of_b,
                    double enough);
/// The same of a point and a part.
double apartAtLeast(const Eigen::Vector3d& x, const kernel::Part& b, const BodyAt& of_b, double enough);

}  // namespace rigor::verify::tables
