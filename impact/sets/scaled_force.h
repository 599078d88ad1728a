// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

namespace rigor::impact {

/// A force of an impact in coordinates scaled by the kinetic energy (KineticScale).
struct ScaledForce {
  int contact = 0, slip = 0;          ///< As in SetCertificate::Force.
  Eigen::VectorXd effect;             ///< Of length one,
  double effect_length = 0;           ///< which it had.
  Eigen::MatrixXd borders;            ///< Rows of length one that are <= 0 where it acts,
  std::vector<double> border_lengths; ///< which they had.
  std::vector<int> again;             ///< Contacts that are listed again, with the same force.
};

}  // namespace rigor::impact
