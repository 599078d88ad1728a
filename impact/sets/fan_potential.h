// SPDX-License-Identifier: MIT
#pragma once
#include "impact/sets/potential.h"

namespace rigor::impact {

/// A potential on a simplicial fan: cones of `rank` rays that fill the space of states, face to face.
///
/// On the cone of the rays r_k a state is c = sum l_k r_k, l >= 0, and W(c) = sum_jk W_jk l_j l_k: quadratic there, and
/// continuous, as W_jk belongs to the pair of rays. Along a force g = sum m_j r_j it grows by 2 sum_jk W_jk m_j l_k,
/// which is at most 0 on the cone if it is at the rays.
struct FanProof : BoundProof {
  struct Value {
    int first = 0, second = 0;
    mpq_class value;
  };
  /// Where a force's friction is against the slips of a part of the cone alone: factors >= 0 of the borders, which are
  /// <= 0 there; its growth less their sum is at most 0 at the rays, up to a rest.
  struct Share {
    std::vector<int> cone;           ///< Its rays, ascending.
    int contact = 0, slip = 0;       ///< As in SetCertificate::Force.
    Rationals borders;
  };

  std::vector<Rationals> rays;
  std::vector<std::vector<int>> cones;  ///< The numbers of their rays.
  std::vector<Value> values;         ///< W_jk of all rays and pairs of rays that meet; first <= second.
  std::vector<Share> shares;
};

/// Checks the proof with sums and products of rational numbers alone, as checkCertificate() does. Cost: some us for
/// every cone and force. @returns whether it holds. `failure`: the first thing that was not so.
[[nodiscard]] bool checkFan(const FanProof& proof, std::string& failure);

}  // namespace rigor::impact
