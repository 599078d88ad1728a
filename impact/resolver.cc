// SPDX-License-Identifier: MIT
#include "impact/resolver.h"

#include "impact/model_registry.h"

namespace rigor::impact {

ImpactStatus Resolver::resolveAll(const ImpactProblem& problem, const ImpactOptions& options,
                                  std::vector<ImpactOutcome>& outcomes) {
  outcomes.assign(1, {});
  return resolve(problem, options, {}, outcomes[0]);
}

std::unique_ptr<Resolver> makeResolver(std::string_view name) {
  const Model* const model = findModel(name);
  return model ? model->make() : nullptr;
}

std::vector<std::string> resolverNames() {
  std::vector<std::string> names;
  for (const Model* model : models()) names.push_back(model->name);
  return names;
}

std::vector<std::string> runResolverNames() {
  std::vector<std::string> names;
  for (const Model* model : models()) {
    if (!model->needs.problems_only) names.push_back(model->name);
  }
  return names;
}

}  // namespace rigor::impact
