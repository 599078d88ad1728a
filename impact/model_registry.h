// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "impact/model_option.h"
#include "impact/resolver.h"

namespace rigor::impact {

/// What a model needs of a scene or problem; who loads one asks for it.
struct ModelNeeds {
  bool problems_only = false;  ///< For `rigor impact` alone, not for runs.
  /// With these options, the same restitution of all contacts? Null: never.
  std::function<bool(const ImpactOptions&)> one_restitution = {};
};

/// What records call impacts that no model resolved: one contact problem with Coulomb's law; a velocity from outside.
inline constexpr std::string_view kCoulombImpact = "coulomb", kVelocitySet = "velocity-set";

/// Everything that the program knows of an impact model: a new one is one of these, registered.
struct Model {
  std::string name;   ///< Letters, digits and hyphens; `--model NAME`, `impact: {model: NAME}`.
  std::string gives;  ///< What its outcomes are, one clause; Resolver::assumption() says what it assumes.
  std::function<std::unique_ptr<Resolver>()> make;    ///< A new one for each thread.
  std::vector<ModelOption> options = {};  ///< All that it reads, those that other models read too among them.
  ModelNeeds needs = {};
  /// Where several contacts are hit, the impulses of each obey Coulomb's law and its restitution: the laws of motion
  /// are proved of runs with such a model alone (sim/law_bounds.h).
  bool by_contact = true;
  /// Its outcomes are those of the set that impact/sets computes: corners of the exact set are outcomes of it, too.
  bool draws_the_set = false;
  /// With these options, contacts that hit slower than this [m/s] may return more than their restitution. Null: none.
  std::function<double(const ImpactOptions&)> plastic_speed = {};

  /// That which says in which order contacts act (ModelOption::Kind::kOrder); null where the model has none.
  [[nodiscard]] const ModelOption* orderOption() const;
};

/// Makes a model known to files, the command line, runs, trees and the viewer, for the life of the program.
///
/// Safe from any thread; those that run already do not see it. An option that other models have keeps their
/// description.
/// @throws std::invalid_argument for a name that is taken or no name, a missing `make`, an option that means another
/// kind of value
///     than one of the same name, a standard that its own option does not allow.
void registerModel(Model model);

/// The model of that name; null for a name that is none. Valid for the life of the program.
[[nodiscard]] const Model* findModel(std::string_view name);

/// All models, those of the library first.
[[nodiscard]] std::vector<const Model*> models();

/// The options of all models that may stand there, each once, in the order in which they are to be applied.
[[nodiscard]] std::vector<const ModelOption*> modelOptions(ModelOption::Place place);

/// Of all options, those of that name that may stand there; null where none may.
[[nodiscard]] const ModelOption* findOption(std::string_view name, ModelOption::Place place);

/// For people: each model with what it assumes, gives, needs and reads; the tables of docs/impact-problems.md with
/// `markdown`.
[[nodiscard]] std::string describeModels(bool markdown);

}  // namespace rigor::impact
