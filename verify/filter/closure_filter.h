// SPDX-License-Identifier: MIT
#pragma once
#include "verify/filter/ball_motion.h"

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
  bool isWithin(const BallPolynomial& f, const BallPolynomial& scale, double most, double& largest);
  double turnedApart(const kernel::Joint& joint, const kernel::Piece& child, const kernel::Piece& parent);
  bool staysUnturned(const JointOfLinks& links, const kernel::Piece& child, const kernel::Piece& parent, double most,
                     double& apart);
  bool meets(const Ball (&offset)[3], double most, double& open);
  bool slides(const kernel::Joint& joint, const Ball (&offset)[3], double most, double& open);
  bool pointsMeet(const JointOfLinks& links, double most, double& apart);
  bool axesMeet(const JointOfLinks& links, const kernel::Vector3& unit, double most, double& apart);

  BallMotion child_, parent_;
  BallPolynomial norms_, scale_, f_, test_, work_, turned_[3];
};

}  // namespace rigor::verify::filter
