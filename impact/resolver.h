// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "impact/option_value.h"
#include "impact/problem/impact_problem.h"

namespace rigor::impact {

/// Parameters of PLUS.
struct PlusOptions {
  double theta_max = 0.01;   ///< Largest change of a sliding direction within one interval [rad].
  double rolling_speed = 0;  ///< Slip slower than this [m/s] counts as rolling; 0: derived from the problem's speeds.
  double plastic_speed = 0;  ///< Below it [m/s] restitution grows, to 1 for the slowest impacts; 0: it is constant.
};

/// Parameters of the compliant reference model.
struct CompliantOptions {
  std::vector<double> stiffness;  ///< m, relative to each other [-]; empty: all equal.
};

/// Parameters shared by the models; each names those it reads.
struct ImpactOptions {
  double step = 0.3;  ///< routh: h relative to the impulse scale of the problem (see models/routh.h) [-], or, with
  bool step_is_impulse = false;  ///< this set, h itself [N s], as the published problems give it.
  int cone_edges = 8;            ///< Directions of the polygonal cone of a spatial contact, even, >= 4.
  int max_steps = 200;           ///< routh: steps of one sample before it counts as unfinished.
  int max_modes = 400;           ///< routh: all solutions of a step are found where contact modes combine in at most so
                                 ///< many ways (3 planar contacts: 343), else those that paths meet.
  double tolerance = 1e-10;      ///< Normal velocity regarded as not approaching, relative to the speed before [-].
  double capture_speed = 0;      ///< Contacts that hit slower than this [m/s] do not rebound.
  bool smooth_cone = false;      ///< routh: Coulomb's round cone instead of the polygon with cone_edges.
  std::vector<int> order = {};   ///< sequential: the contacts' order; empty: 0, 1, ...
  PlusOptions plus = {};
  CompliantOptions compliant = {};
  NamedOptions own = {};         ///< Those of models that were registered (model_registry.h), by name.
};

struct ImpactOutcome {
  Eigen::VectorXd velocity;               ///< n, after.
  std::vector<Eigen::VectorXd> impulses;  ///< m: normal, then tangential components [N s]. Not unique in general.
  int lcps = 0;                           ///< Linear complementarity problems solved.
  double residual = 0;                    ///< Worst LCP residual, against the original matrices, scaled.
  std::string_view note = {};  ///< What a reader should know of this outcome ("stopped after ..."); static text.
};

enum class ImpactStatus {
  kResolved,    ///< No contact approaches, energy did not grow.
  kUnfinished,  ///< max_steps reached: the outcome still approaches; never to be used as an answer.
  kFailed,      ///< The solver found no valid answer; the outcome is not set.
};

/// Counter-based random stream (Philox) keyed by (seed, path): the same numbers for any thread and order.
struct RandomKey {
  std::uint64_t seed = 0;
  std::uint64_t path = 0;  ///< Hash of the place in the tree, e.g. of (branch, impact number).
};

/// A model of simultaneous impact. Thread-safe per object: each thread makes its own.
class Resolver {
 public:
  virtual ~Resolver() = default;
  /// One outcome. Deterministic models ignore `key`.
  [[nodiscard]] virtual ImpactStatus resolve(const ImpactProblem& problem, const ImpactOptions& options, RandomKey key,
                                             ImpactOutcome& outcome) = 0;
  /// All distinct outcomes of a deterministic model, the one of resolve() first; of a random model, that of key 0.
  /// On kUnfinished or kFailed `outcomes` holds what was found up to there, for a report only.
  [[nodiscard]] virtual ImpactStatus resolveAll(const ImpactProblem& problem, const ImpactOptions& options,
                                                std::vector<ImpactOutcome>& outcomes);
  /// True where resolve() draws one outcome of a set at random.
  virtual bool isRandom() const { return false; }
  /// Whether samples mix laws of the rates at which contacts act (models/routh.h); not at first. Others have one law.
  virtual void mixRates(bool /*mixed*/) {}
  /// What the model assumes of the colliding bodies, one clause.
  virtual std::string_view assumption() const = 0;
};

/// A new one of the model of that name (model_registry.h): "routh", "anitescu-potra". @returns null for a name that is
/// no model.
[[nodiscard]] std::unique_ptr<Resolver> makeResolver(std::string_view name);
/// The names that makeResolver knows.
[[nodiscard]] std::vector<std::string> resolverNames();
/// Those that may resolve the impacts of a run; the others are for impact problems only.
[[nodiscard]] std::vector<std::string> runResolverNames();

}  // namespace rigor::impact
