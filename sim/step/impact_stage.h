// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "impact/resolver.h"
#include "sim/step/joint_impact.h"
#include "sim/step/step_context.h"

namespace rigor::sim {

/// Samplers' steps grow with the cube of all contacts. With friction, impacts of more contacts than these are taken all
/// at once (JointImpact).
inline constexpr int kMaxSampled = 12;

enum class ImpactResult {
  kResolved,  ///< The velocities are those after it, and it is recorded.
  kFork,      ///< It is ambiguous: ForkFinder::fork() says how. Nothing changed.
  kFailed,    ///< Not even the joint impact could be solved.
};

/// Impacts at the start of a step, by the model of the scene.
class ImpactStage {
 public:
  explicit ImpactStage(StepContext& context);

  /// One impact of all contacts that are `in_patch`. @param path  Keys its random stream.
  [[nodiscard]] ImpactResult resolve(std::uint64_t path, StepResult& result);
  /// Ends a cluster of impacts: takes the plastic impact of all contacts together, and records it.
  [[nodiscard]] ImpactResult close(StepResult& result);

 private:
  struct Space {
    impact::ImpactProblem problem;
    impact::ImpactOutcome outcome;
    Eigen::MatrixXd rows;
    std::unique_ptr<impact::Resolver> resolver;
  };
  int layOut();
  int sizeOf(int robot) const;
  void reduce(int robot, const Eigen::VectorXd& v, Eigen::VectorXd& coordinates) const;
  void writeBodies(int n, impact::ImpactProblem& problem);
  void writeContacts(int n, Space& space);
  impact::ImpactStatus apply(const impact::RandomKey& key, Space& space);
  bool forksHere(const impact::RandomKey& key, const Space& space);
  [[nodiscard]] bool resolveTogether(Space& space);
  [[nodiscard]] bool solvePlastic();
  void record(const impact::ImpactOutcome& outcome, bool by_model, StepResult& result);

  StepContext& x_;
  impact::ImpactOptions options_;
  std::map<std::pair<int, int>, Space> spaces_;  // By numbers of velocities and contacts: matrices keep their sizes.
  JointImpact joint_;
  std::vector<ImpactBlock> blocks_;
  // The contacts of the problem; where the coordinates of each slot and robot start.
  std::vector<int> involved_, column_, robot_column_;
  // Of each robot with loops: the velocities that keep them closed, which the problem's coordinates are, no columns
  // where nothing moves; of others no rows.
  std::vector<Eigen::MatrixXd> closed_;
  Eigen::MatrixXd robot_mass_, robot_rows_;
};

}  // namespace rigor::sim
