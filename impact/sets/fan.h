// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "impact/sets/fan_potential.h"
#include "impact/sets/kinetic_scale.h"

namespace rigor::impact {

/// A simplicial fan of the states of an impact (FanProof), the start among its rays, with every normal velocity of one
/// sign on every cone. Rays are rational, of few digits but for the start; ray() gives them scaled, of length about
/// one, in doubles.
class Fan {
 public:
  using Cone = std::vector<int>;
  using Rationals = FanProof::Rationals;

  /// whole() is false where it would have more cones than `most`. `scale` outlives the fan.
  Fan(const ExactProblem& exact, const KineticScale& scale, size_t most);

  bool whole() const { return whole_; }
  const std::vector<Cone>& cones() const { return cones_; }
  const Eigen::VectorXd& ray(int number) const { return rays_[static_cast<size_t>(number)]; }
  int numRays() const { return static_cast<int>(rays_.size()); }
  int numContacts() const { return static_cast<int>(normals_.size()); }
  int start() const { return start_; }  ///< The ray of the start.
  /// Does no state within the cone let the contact push?
  bool separates(const Cone& cone, int contact) const;
  bool approaches(const Cone& cone, int contact) const;
  /// Divides an edge at about (1 - part) a + part b. @returns the new ray, and about its multiples of a and b.
  struct Cut {
    int ray = 0;
    double of_a = 0, of_b = 0;
  };
  Cut cut(int a, int b, double part);
  /// Orthonormal directions into which a ray may move: across it, along the planes of normal velocities that vanish at
  /// it. None for the start.
  Eigen::MatrixXd directions(int number) const;
  /// Moves the rays by these, or by parts of these where a cone would become flat or a normal velocity change its sign.
  /// @returns false where even small parts do; then nothing has moved.
  bool move(std::vector<Eigen::VectorXd> ways);
  /// Rays and cones.
  void write(FanProof& proof) const;

 private:
  /// @returns its number. Normal velocities of 0 stay so where the ray is rounded.
  int addRay(Rationals state, bool round);
  Rationals rounded(Rationals state, const std::vector<int>& signs) const;
  std::vector<int> signsOf(const Rationals& state) const;
  int divide(const std::vector<int>& at, const Rationals& factors, bool round);
  bool chooseAxes(const ExactProblem& exact);
  bool addStart(const ExactProblem& exact);
  void align(size_t contact, size_t most);
  bool shift(size_t ray, const Eigen::VectorXd& way);
  std::vector<double> volumes() const;

  const KineticScale* scale_;
  std::vector<Rationals> normals_;          // forms
  std::vector<Eigen::VectorXd> rays_;
  std::vector<Rationals> states_;           // the rays in coordinates
  std::vector<std::vector<int>> signs_;     // of normal velocities at each ray
  std::vector<Cone> cones_;
  int start_ = 0;
  bool whole_ = false;
};

}  // namespace rigor::impact
