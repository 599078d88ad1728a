// SPDX-License-Identifier: MIT
#pragma once
#include <optional>
#include <vector>

#include "verify/filter/fixed_joint.h"
#include "verify/filter/rounded_polynomial.h"
#include "verify/kernel/run.h"

namespace rigor::verify::filter {

/// A joint between two links and what its proof needs of them.
struct JointOfLinks {
  const kernel::Joint* joint;
  kernel::Vector3 child_centre, parent_centre;
  double length;  ///< l, that turns angles into lengths [m]: kernel::Laws::lengthOf() of the child.
};

/// The closure of joints (kernel::Laws) in doubles that carry a bound of all roundings. The object is the workspace;
/// one thread per object.
class ClosureFilter {
 public:
  /// Whether the joint is open by no more than `most` [m] all over both pieces, which have the same interval, or stand
  /// still (degrees 0) over the child's. "True" is a proof, and `apart` [m] is then no less than how far it is open;
  /// "false" says nothing: so it is of universal and planar joints.
  bool proves(const JointOfLinks& links, const kernel::Piece& child, const kernel::Piece& parent, double most,
              double& apart);

 private:
  struct Link {
    kernel::Piece piece{};
    bool known = false;
    RoundedPolynomial p[3], q[4], norm, square;
    void set(const kernel::Piece& piece);
    bool isOf(const kernel::Piece& other) const;
  };
  static void frame(const Link& link, const kernel::Quaternion& frame, RoundedPolynomial (&framed)[4]);
  void turn(const Link& link, const Ball (&x)[3], RoundedPolynomial (&out)[3]);
  void setApart(int k, int degree);
  bool isWithin(const RoundedPolynomial& f, double most, double& largest) const;
  double turnedApart(const kernel::Joint& joint, bool about_axis);
  double turnedAtMost(const kernel::Joint& joint);
  bool staysFixed(const JointOfLinks& links, const kernel::Piece& child, const kernel::Piece& parent, double most,
                  double& apart);
  bool staysUnturned(const JointOfLinks& links, double most, double& apart);
  bool meets(double most, double& open);
  bool slides(const kernel::Joint& joint, double most, double& open);
  bool pointsMeet(const JointOfLinks& links, double most, double& apart);

  std::vector<Link> links_;  // By body + 1, as they were last: several joints ask for one.
  std::vector<std::optional<FixedJoint>> fixed_;  // By child.
  const Link *child_ = nullptr, *parent_ = nullptr;
  RoundedPolynomial child_framed_[4], parent_framed_[4];
  RoundedPolynomial norms_, scale_, f_, along_, across_, apart_, turned_[3], moved_[3];
};

}  // namespace rigor::verify::filter
