// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <utility>
#include <vector>

#include "impact/sets/fan_potential.h"
#include "impact/sets/kinetic_scale.h"

namespace rigor::impact {

/// A simplicial fan of the states of an impact (FanProof), the start among its rays, with every normal velocity of one
/// sign on every cone. Rays are scaled ones of length about one, in doubles; how they were made is exact.
class Fan {
 public:
  using Cone = std::vector<int>;

  /// whole() is false where it would have more cones than `most`.
  Fan(const ExactProblem& exact, const KineticScale& scale, size_t most);

  bool whole() const { return whole_; }
  const std::vector<Cone>& cones() const { return cones_; }
  const Eigen::VectorXd& ray(int number) const { return rays_[static_cast<size_t>(number)]; }
  int numRays() const { return static_cast<int>(rays_.size()); }
  int numContacts() const { return static_cast<int>(heights_[0].size()); }
  int start() const { return start_; }  ///< The ray of the start.
  /// Does no state within the cone let the contact push?
  bool separates(const Cone& cone, int contact) const;
  bool approaches(const Cone& cone, int contact) const;
  /// Divides an edge at about (1 - part) a + part b. @returns the new ray, and its double multiples of a and b.
  struct Cut {
    int ray = 0;
    double of_a = 0, of_b = 0;
  };
  Cut cut(int a, int b, double part);
  /// Where the edges were divided, in the order of cut().
  const std::vector<double>& parts() const { return parts_; }
  /// Divides the same edges elsewhere: the cones keep their rays, which move. 0 < parts < 1.
  void move(const std::vector<double>& parts);
  /// Axes and divisions.
  void write(FanProof& proof) const;

 private:
  int divide(const std::vector<int>& at, std::vector<mpq_class> factors);
  Eigen::VectorXd raySum(const std::vector<int>& at, std::vector<mpq_class>& factors) const;
  bool chooseAxes(const ExactProblem& exact, const KineticScale& scale);
  bool addStart(const ExactProblem& exact);
  void align(size_t contact, size_t most);

  std::vector<Eigen::VectorXd> rays_;
  std::vector<std::vector<mpq_class>> heights_;  // normal velocities at each ray, times a factor > 0
  std::vector<Cone> cones_;
  std::vector<std::vector<mpq_class>> axes_;
  std::vector<FanProof::Division> divisions_;  // the last ones are those of cut()
  std::vector<double> parts_;
  int start_ = 0;
  bool whole_ = false;
};

}  // namespace rigor::impact
