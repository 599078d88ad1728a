// SPDX-License-Identifier: MIT
#pragma once
#include <algorithm>
#include <functional>
#include <random>
#include <utility>
#include <vector>

#include "impact/sets/certificate.h"

/// Certificates that prove nothing any more.
namespace rigor::impact::test {

using Random = std::mt19937_64;

template <typename List>
auto& anyOf(List& list, Random& random) {
  return list[std::uniform_int_distribution<size_t>(0, list.size() - 1)(random)];
}

/// Changes a number by a little, relative to its size.
inline void nudge(mpq_class& value, Random& random) {
  const mpq_class little(random() % 2 ? 1 : -1, 1'000'000'000);
  if (sgn(value) == 0) {
    value = little;
  } else {
    value *= 1 + little;
  }
}

/// Changes a factor of a reason: a little, or to one of the other sign.
inline bool alterReason(std::vector<SetCertificate::Reason>& reasons, Random& random) {
  if (reasons.empty()) return false;
  SetCertificate::Reason& reason = anyOf(reasons, random);
  std::vector<SetCertificate::Term>& terms = reason.target.empty() || random() % 2 ? reason.source : reason.target;
  if (terms.empty()) return false;
  mpq_class& factor = anyOf(terms, random).factor;
  if (random() % 2) nudge(factor, random);
  else factor = -abs(factor) - 1;
  return true;
}

/// Alters one thing that the proof needs; false where the certificate has none of its kind.
using Alteration = std::pair<const char*, std::function<bool(SetCertificate&, Random&)>>;

inline std::vector<Alteration> alterationsOfChainsAndBounds() {
  return {
      {"force",
       [](SetCertificate& c, Random& random) {
         SetCertificate::Chain& chain = anyOf(c.chains, random);
         if (chain.segments.empty() || chain.segments.back().forces.empty()) return false;
         nudge(anyOf(chain.segments.back().forces, random).weight, random);
         return true;
       }},
      {"pulling force",
       [](SetCertificate& c, Random& random) {
         SetCertificate::Chain& chain = anyOf(c.chains, random);
         if (chain.segments.empty() || chain.segments[0].forces.empty()) return false;
         mpq_class& weight = anyOf(chain.segments[0].forces, random).weight;
         weight = -weight;
         return true;
       }},
      {"end",
       [](SetCertificate& c, Random& random) {
         nudge(anyOf(anyOf(c.chains, random).end, random), random);
         return true;
       }},
      {"segment left out",
       [](SetCertificate& c, Random& random) {
         SetCertificate::Chain& chain = anyOf(c.chains, random);
         if (chain.segments.empty() || chain.segments.back().forces.empty() || !chain.beside.empty()) return false;
         chain.segments.pop_back();
         return true;
       }},
      {"wider inner bound",
       [](SetCertificate& c, Random& random) {
         anyOf(c.bounds, random).inner_high += mpq_class(1, 1'000'000'000);
         return true;
       }},
      {"narrower outer bound",
       [](SetCertificate& c, Random& random) {
         anyOf(c.bounds, random).outer_low += mpq_class(1, 1'000'000'000);
         return true;
       }},
      {"smaller element",
       [](SetCertificate& c, Random& random) {
         for (SetCertificate::Rationals& halfspace : anyOf(c.elements, random).halfspaces) {
           bool plane = false;
           for (size_t i = 1; i < halfspace.size(); ++i) plane = plane || sgn(halfspace[i]) != 0;
           if (!plane) continue;
           mpq_class size = abs(halfspace[0]);
           for (const mpq_class& entry : halfspace) size = std::max<mpq_class>(size, abs(entry));
           halfspace[0] -= size / 1'000'000;
           return true;
         }
         return false;
       }}};
}

inline std::vector<Alteration> alterationsOfReasons() {
  return {
      {"reason of a step",
       [](SetCertificate& c, Random& random) { return alterReason(anyOf(c.steps, random).reasons, random); }},
      {"reason of a zero",
       [](SetCertificate& c, Random& random) { return alterReason(anyOf(c.steps, random).zeros, random); }},
      {"reason of an outer bound",
       [](SetCertificate& c, Random& random) {
         SetCertificate::Bound& bound = anyOf(c.bounds, random);
         return alterReason(random() % 2 ? bound.low : bound.high, random);
       }},
      {"reason why nothing ends",
       [](SetCertificate& c, Random& random) { return alterReason(c.why_unfinished, random); }},
      {"reason of a barrier",
       [](SetCertificate& c, Random& random) {
         if (c.barriers.empty()) return false;
         SetCertificate::Barrier& barrier = anyOf(c.barriers, random);
         // A barrier is an inequality: other factors may prove it too, a negative one nothing.
         for (SetCertificate::Term& term : barrier.reason.target) {
           if (barrier.target[static_cast<size_t>(term.index)] == 0) continue;
           term.factor = -abs(term.factor) - 1;
           return true;
         }
         return false;
       }},
      {"reason for what needs none",
       [](SetCertificate& c, Random& random) {
         SetCertificate::Step& step = anyOf(c.steps, random);
         step.reasons.push_back(step.reasons.empty() ? SetCertificate::Reason{} : step.reasons[0]);
         return true;
       }}};
}

inline std::vector<Alteration> alterationsOfStepsAndProblem() {
  return {
      {"step left out",
       [](SetCertificate& c, Random& random) {
         const size_t k = random() % c.steps.size();
         c.steps.erase(c.steps.begin() + static_cast<std::ptrdiff_t>(k));
         return true;
       }},
      {"barrier left out",
       [](SetCertificate& c, Random& random) {
         if (c.barriers.empty()) return false;
         c.barriers.erase(c.barriers.begin() + static_cast<std::ptrdiff_t>(random() % c.barriers.size()));
         return true;
       }},
      {"step elsewhere",
       [](SetCertificate& c, Random& random) {
         SetCertificate::Step& step = anyOf(c.steps, random);
         if (step.into < 0 || c.elements.size() < 2) return false;
         step.into = (step.into + 1) % static_cast<int>(c.elements.size());
         return true;
       }},
      {"velocity",
       [](SetCertificate& c, Random& random) {
         nudge(anyOf(c.problem.velocity, random), random);
         return true;
       }},
      {"mass",
       [](SetCertificate& c, Random& random) {
         const size_t i = random() % c.problem.mass_matrix.size();
         nudge(c.problem.mass_matrix[i][i], random);
         return true;
       }},
      {"bounds left out",
       [](SetCertificate& c, Random&) {
         c.bounds.pop_back();
         return true;
       }},
      {"element called unfinished", [](SetCertificate& c, Random&) {
         if (c.unfinished.size() == c.elements.size()) return false;
         for (int e = 0; e < static_cast<int>(c.elements.size()); ++e) {
           if (std::find(c.unfinished.begin(), c.unfinished.end(), e) != c.unfinished.end()) continue;
           c.unfinished.push_back(e);
           c.why_unfinished.emplace_back();
           for (SetCertificate::Bound& bound : c.bounds) bound.low.clear(), bound.high.clear();
           return true;
         }
         return false;
       }}};
}

inline const std::vector<Alteration>& alterations() {
  static const std::vector<Alteration> all = [] {
    std::vector<Alteration> found;
    for (const auto& some : {alterationsOfChainsAndBounds(), alterationsOfReasons(), alterationsOfStepsAndProblem()})
      found.insert(found.end(), some.begin(), some.end());
    return found;
  }();
  return all;
}

/// Alters one thing that the proof needs. @returns its name; null where the certificate has none of the kind drawn.
inline const char* alterOneThing(SetCertificate& certificate, Random& random) {
  const auto& [name, alter] = anyOf(alterations(), random);
  return alter(certificate, random) ? name : nullptr;
}

}  // namespace rigor::impact::test
