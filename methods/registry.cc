// SPDX-License-Identifier: MIT
#include "methods/registry.h"

#include <algorithm>

#include "methods/event_based.h"
#include "methods/published.h"
#include "methods/time_stepping.h"

namespace rigor::methods {

namespace {

using Ahead = TimeStepping::Ahead;

const MethodOption kStepOption{"step", "s", "fixed step", "0.01"};

std::string takesAll(const sim::Scene&) { return {}; }

MethodInfo timeStepping(const char* name, const char* what, const char* source, Ahead ahead, FrictionLaw law) {
  MethodInfo info{name, what, source, {kStepOption}};
  info.refuses = takesAll;
  info.make = [ahead, law](const Choice& choice) {
    return std::make_unique<TimeStepping>(choice.step > 0 ? choice.step : kStep, ahead, law);
  };
  return info;
}

MethodInfo published() {
  MethodInfo info{"published",
                  "conservative advancement by first-order bounds, contact impulses at velocity level",
                  "Drumwright 2016, Algorithm 1",
                  {{"step", "s", "longest step", "0.01"},
                   {"distance", "", "whence distances of polytopes come", "rigor", {"rigor", "libccd"}}}};
  info.proves = true;
  info.refuses = takesAll;
  info.make = [](const Choice& choice) {
    return std::make_unique<Published>(choice.step > 0 ? choice.step : kStep,
                                       choice.distance == "libccd" ? DistanceSource::kLibccd : DistanceSource::kRigor);
  };
  return info;
}

template <typename Motion>
MethodInfo eventBased(const char* name, const char* what, const char* source) {
  MethodInfo info{name, what, source, {kStepOption}};
  info.cubic = true;
  info.refuses = takesAll;
  info.make = [](const Choice& choice) {
    return std::make_unique<EventBased>(choice.step > 0 ? choice.step : kStep, std::make_unique<Motion>());
  };
  return info;
}

std::vector<MethodInfo> makeAll() {
  std::vector<MethodInfo> all;
  all.push_back(published());
  all.push_back(timeStepping("stewart-trinkle", "time stepping, contacts that may close within the step",
                             "Stewart and Trinkle 1996, 2000", Ahead::kYes, FrictionLaw::kCoulomb));
  all.push_back(timeStepping("anitescu-potra", "time stepping, contacts that touch at its start",
                             "Anitescu and Potra 1997, Anitescu and Hart 2004", Ahead::kNo, FrictionLaw::kCoulomb));
  all.push_back(timeStepping("convex", "time stepping, convex relaxation of friction", "Anitescu 2006", Ahead::kYes,
                             FrictionLaw::kConvex));
  all.push_back(eventBased<RungeKutta4>(
      "runge-kutta", "events bisected at a fixed step of the classical Runge-Kutta method", "Boussema, III"));
  all.push_back(eventBased<VariationalMidpoint>("variational",
                                                "events bisected at a fixed step of the variational midpoint rule",
                                                "Seghete and Murphey, Eq. (28)-(30); Boussema, III"));
  all.back().refuses = VariationalMidpoint::refuses;
  return all;
}

const std::vector<MethodInfo>& all() {
  static const std::vector<MethodInfo> list = makeAll();
  return list;
}

}  // namespace

std::span<const MethodInfo> methods() { return all(); }

const MethodInfo* findMethod(std::string_view name) {
  const auto found = std::find_if(all().begin(), all().end(), [&](const MethodInfo& m) { return m.name == name; });
  return found == all().end() ? nullptr : &*found;
}

const MethodOption* findOption(const MethodInfo& method, std::string_view name) {
  const auto found =
      std::find_if(method.options.begin(), method.options.end(), [&](const MethodOption& o) { return o.name == name; });
  return found == method.options.end() ? nullptr : &*found;
}

}  // namespace rigor::methods
