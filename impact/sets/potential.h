// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <string>
#include <vector>

#include "impact/sets/certificate.h"

namespace rigor::impact {

/// What every proof of one outer bound by a potential has: a function W of the state that hardly grows along any
/// motion. Plain data, rational numbers throughout. docs/impact-sets.md, "Potentials".
struct BoundProof {
  using Rationals = SetCertificate::Rationals;

  SetCertificate::Problem problem;
  std::vector<int> coordinates;
  std::string quantity;              ///< As in SetCertificate::Bound.
  int side = 1;                      ///< 1: the quantity is at most `bound`; -1: at least.
  mpq_class bound;
  /// p.g <= -1 for each force of weight 1, so that the sum of weights is limited, by `weights`.
  Rationals pointing;
  mpq_class weights, growth;         ///< growth: what the energy allows of each rest, for a weight of 1.
};

/// A potential that is quadratic between planes.
///
/// The state c is that of the `coordinates`; f_a are the normal velocities of all contacts, then `features`.
/// W(c) = c'Sc + sum_a |f_a.c| (w_a.c) + sum_a<b k_ab |f_a.c| |f_b.c|: continuous, and quadratic, c'S_s c, where the
/// f_a.c have the signs s. Wherever W has the signs s and a force g can push, its growth 2 g'S_s c is a sum of what is
/// known to be <= 0 there, and of a rest that is tiny. At outcomes W >= (q.c)^2.
struct PotentialProof : BoundProof {
  /// 2 S_s g = - sum planes_a s_a f_a + sum borders_b (what the slip bounds) + a rest.
  struct Slope {
    int contact = 0, slip = 0;       ///< As in SetCertificate::Force.
    Rationals planes, borders;       ///< Factors >= 0.
  };
  struct Part {
    SetCertificate::Signs signs;     ///< -1 or 1 for each f_a: "not above" or "not below" 0.
    /// Given where no state needs this part: factors >= 0 with sum_a s_a f_a = 0, one of them > 0 where states
    /// with f_a.c = 0 belong to the other sign (a normal with sign 1, a feature with sign -1).
    Rationals needless;
    std::vector<Slope> slopes;       ///< Else, while a contact approaches: of every force of contacts with sign -1.
    /// Without contacts that approach: factors >= 0 of (p_a.c)(p_b.c), a <= b, with p = (s_a f_a, q); W_s - (q.c)^2
    /// less their sum is positive definite.
    std::vector<Rationals> products;
  };

  std::vector<Rationals> features;
  std::vector<Rationals> square;     ///< S, symmetric.
  std::vector<Rationals> linear;     ///< w_a.
  std::vector<Rationals> cross;      ///< k_ab in row a, from b = a + 1 on.
  std::vector<Part> parts;           ///< For all signs, in any order.
};

/// Checks the proof with sums and products of rational numbers alone, as checkCertificate() does.
/// @returns whether it holds. `failure`: the first thing that was not so.
[[nodiscard]] bool checkPotential(const PotentialProof& proof, std::string& failure);

}  // namespace rigor::impact
