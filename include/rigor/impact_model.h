// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "rigor/impact.h"

namespace rigor {

/// One simultaneous impact in generalized coordinates: n velocities, m contacts.
struct ImpactProblem {
  Matrix mass_matrix;           ///< n x n, symmetric positive definite.
  Matrix normal;                ///< m x n: maps velocities to normal velocities, positive separates [m/s].
  std::vector<Matrix> tangent;  ///< Of each contact: 0, 1 or 2 rows x n.
  std::vector<double> friction, restitution;  ///< m; friction may be infinite.
  std::vector<double> velocity;               ///< n, before the impact.
  std::uint64_t seed = 0, path = 0;  ///< For random models: the same numbers must give the same outcome. `path` differs
                                     ///< from impact to impact.
  std::map<std::string, double> options;  ///< ImpactModel::options() by name, with the values of the scene or problem.
};

/// A number that a model reads: scenes and problems set `NAME: VALUE` in `impact:` or in the problem, the command line
/// `--option NAME=VALUE`.
struct ImpactOption {
  std::string name;     ///< Such as `mine.share`: share in the map mine.
  std::string meaning;  ///< A clause, for help and messages.
  std::string unit;     ///< Empty: none.
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  double standard = 0;  ///< Without it.
};

/// A model of simultaneous impact of one's own.
///
/// Contract: the outcome depends on the problem alone; calls may come from several threads.
class ImpactModel {
 public:
  virtual ~ImpactModel() = default;
  virtual std::string name() const = 0;        ///< Letters, digits and hyphens.
  virtual std::string assumption() const = 0;  ///< What it assumes of the colliding bodies, one clause.
  virtual bool isRandom() const { return false; }
  /// Where several contacts are hit, the impulses of each obey Coulomb's law and its restitution. If not: records of
  /// runs are proved without the laws of motion.
  virtual bool isByContact() const { return true; }
  virtual std::vector<ImpactOption> options() const { return {}; }
  /// Impulses of the contacts [N s]: of each its normal one, then one a row of `tangent`. Empty: the model has no
  /// answer.
  virtual std::vector<std::vector<double>> impulses(const ImpactProblem& problem) const = 0;
};

/// Makes a model known, for the life of the program: to scenes (`impact: {model: NAME}`), Scene::withImpactModel() and
/// impactSet().
///
/// Velocities after an impact follow from the impulses, v + M^-1 J' p. An answer after which a contact still
/// approaches, or with more kinetic energy than before, is none: runs then take the plastic impact and count it
/// (Summary::plastic_impacts). Records of such runs embed no scene text, which other programs would not understand:
/// they are proved about their model. @throws InputError for names that are taken.
void registerImpactModel(std::shared_ptr<const ImpactModel> model);

}  // namespace rigor
