// SPDX-License-Identifier: MIT
#include "impact/resolver.h"

#include "impact/anitescu_potra.h"
#include "impact/routh.h"

namespace rigor::impact {
namespace {

constexpr std::string_view kNames[] = {"routh", "anitescu-potra"};

}  // namespace

std::unique_ptr<Resolver> makeResolver(std::string_view name) {
  if (name == "routh") return std::make_unique<Routh>();
  if (name == "anitescu-potra") return std::make_unique<AnitescuPotra>();
  return nullptr;
}

std::span<const std::string_view> resolverNames() { return kNames; }

}  // namespace rigor::impact
