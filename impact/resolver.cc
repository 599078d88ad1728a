// SPDX-License-Identifier: MIT
#include "impact/resolver.h"

#include "impact/anitescu_potra.h"
#include "impact/compliant.h"
#include "impact/plus.h"
#include "impact/propagative.h"
#include "impact/routh.h"
#include "impact/sequential.h"

namespace rigor::impact {
namespace {

// Models for impact problems only come last.
constexpr std::string_view kNames[] = {"routh", "anitescu-potra", "sequential", "propagative", "plus", "compliant"};
constexpr size_t kForProblemsOnly = 1;

}  // namespace

ImpactStatus Resolver::resolveAll(const ImpactProblem& problem, const ImpactOptions& options,
                                  std::vector<ImpactOutcome>& outcomes) {
  outcomes.assign(1, {});
  return resolve(problem, options, {}, outcomes[0]);
}

std::unique_ptr<Resolver> makeResolver(std::string_view name) {
  if (name == "routh") return std::make_unique<Routh>();
  if (name == "anitescu-potra") return std::make_unique<AnitescuPotra>();
  if (name == "sequential") return std::make_unique<Sequential>();
  if (name == "compliant") return std::make_unique<Compliant>();
  if (name == "propagative") return std::make_unique<Propagative>();
  if (name == "plus") return std::make_unique<Plus>();
  return nullptr;
}

std::span<const std::string_view> resolverNames() { return kNames; }

std::span<const std::string_view> runResolverNames() {
  return resolverNames().first(std::size(kNames) - kForProblemsOnly);
}

}  // namespace rigor::impact
