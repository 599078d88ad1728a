// SPDX-License-Identifier: MIT
#include "verify/witness_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "verify/vector_checks.h"

namespace rigor::verify {

std::string WitnessCheck::findFault(const Witness& w) const {
  const auto part = [&](int body, int number) -> const Part* {
    if (!record_.hasBody(body)) return nullptr;
    return number >= 0 && number < static_cast<int>(record_.bodies[body].parts.size())
               ? &record_.bodies[body].parts[number]
               : nullptr;
  };
  const Part *a = part(w.body_a, w.part_a), *b = part(w.body_b, w.part_b);
  if (!a || !b || w.body_a == w.body_b) return "it names no pair of parts";
  if (b->half_space || (!a->half_space && w.body_a > w.body_b) ||
      (record_.bodies[w.body_a].fixed && record_.bodies[w.body_b].fixed))
    return "its pair is in the wrong order or both fixed";
  if (!(w.t0 < w.t1) || !std::isfinite(w.t0) || !std::isfinite(w.t1)) return "its interval is empty";
  if (!(w.gap > 0) || !std::isfinite(w.gap)) return "its gap is not positive";
  if (!(w.gap >= branch_.min_gap)) return "its gap is smaller than the branch claims";
  if (!(w.gap >= record_.header.gap_floor)) return "its gap is below the floor";
  if (w.kind == 2) {
    const auto edge = [](std::int64_t i, std::int64_t j, const Part& p) {
      const auto n = static_cast<std::int64_t>(p.vertices.size());
      return i >= 0 && j >= 0 && i < n && j < n && i != j;
    };
    if (a->half_space || !edge(w.a0, w.a1, *a) || !edge(w.b0, w.b1, *b)) return "its edges do not exist";
    if (!(w.cross > 0 && w.cosine >= 0) || !std::isfinite(w.cross) || !std::isfinite(w.cosine))
      return "its bounds are not positive";
    return {};
  }
  if (w.kind != 0 && w.kind != 1) return "its kind does not exist";
  if (!allFinite(w.axis.data(), 3) || largest(w.axis.data(), 3) == 0) return "its axis is no direction";
  if (a->half_space && (w.kind != 0 || w.axis != a->normal)) return "its axis is not the half-space's normal";
  return {};
}

void WitnessCheck::check(std::vector<Witness>& witnesses, double start, double horizon) const {
  const auto pair = [](const Witness& w) { return std::tie(w.body_a, w.part_a, w.body_b, w.part_b); };
  // Sorted by time, neighbours share pieces, which the provers keep.
  std::sort(witnesses.begin(), witnesses.end(), [](const Witness& a, const Witness& b) {
    return std::tie(a.t0, a.body_b, a.id) < std::tie(b.t0, b.body_b, b.id);
  });
  record_.parallel(witnesses.size(), 64, [&](WitnessProver& prover, std::size_t i) { checkOne(witnesses[i], prover); });

  std::stable_sort(witnesses.begin(), witnesses.end(),
                   [&](const Witness& a, const Witness& b) { return pair(a) < pair(b); });
  std::vector<Witness> keys;
  for (int a = 0; a < static_cast<int>(record_.bodies.size()); ++a)
    for (int b = a + 1; b < static_cast<int>(record_.bodies.size()); ++b) {
      if ((record_.bodies[a].fixed && record_.bodies[b].fixed) || ignored_.contains({a, b})) continue;
      for (int i = 0; i < static_cast<int>(record_.bodies[a].parts.size()); ++i)
        for (int j = 0; j < static_cast<int>(record_.bodies[b].parts.size()); ++j) {
          Witness& key = keys.emplace_back();
          std::tie(key.body_a, key.part_a, key.body_b, key.part_b) = std::tuple(a, i, b, j);
          if (record_.bodies[b].parts[j].half_space)
            std::swap(key.body_a, key.body_b), std::swap(key.part_a, key.part_b);
        }
    }
  record_.report.pairs = std::max(record_.report.pairs, static_cast<long>(keys.size()));
  const BoxProver boxes(record_.bodies, motion_.trajectories());
  record_.parallel(keys.size(), 8, [&](WitnessProver&, std::size_t i) {
    const auto [first, last] = std::equal_range(witnesses.begin(), witnesses.end(), keys[i],
                                                [&](const Witness& a, const Witness& b) { return pair(a) < pair(b); });
    checkCoverage(keys[i], {first, last}, start, horizon, boxes);
  });
}

void WitnessCheck::checkOne(const Witness& w, WitnessProver& prover) const {
  if (const std::string fault = findFault(w); !fault.empty()) {
    const bool named = record_.hasBody(w.body_a) && record_.hasBody(w.body_b);
    record_.fail({true, branch_.id, named ? motion_.pieceAt(w.body_b, w.t0) : -1,
                  named ? record_.pairName(w.body_a, w.body_b) : std::array<std::string, 2>{}, w.t0,
                  fmt::format("witness {}: {}", w.id, fault)});
    return;
  }
  const Trajectory &a = motion_.trajectories()[w.body_a], &b = motion_.trajectories()[w.body_b];
  std::size_t i, last_i, j, last_j;
  a.range(w.t0, w.t1, i, last_i);
  b.range(w.t0, w.t1, j, last_j);
  while (i < last_i && j < last_j) {
    const Piece &piece_a = a.pieces()[i], &piece_b = b.pieces()[j];
    const double from = std::max({w.t0, piece_a.t0, piece_b.t0}), to = std::min({w.t1, piece_a.t1, piece_b.t1});
    if (from < to) {
      const Verdict verdict = prover.prove(w, solids_[w.body_a], piece_a, solids_[w.body_b], piece_b, from, to);
      if (verdict.proof != Proof::kProved) {
        record_.fail({verdict.proof == Proof::kRefuted, branch_.id,
                      record_.bodies[w.body_b].fixed ? piece_a.id : piece_b.id, record_.pairName(w.body_a, w.body_b),
                      verdict.time, fmt::format("witness {}: {}", w.id, verdict.reason)});
        return;
      }
    }
    piece_a.t1 < piece_b.t1 ? ++i : ++j;
  }
}

void WitnessCheck::checkCoverage(const Witness& key, std::span<const Witness> witnesses, double start, double horizon,
                                 const BoxProver& boxes) const {
  double covered = start;
  const auto hole = [&](double to) {
    double where;
    if (boxes.apart(key.body_a, key.part_a, key.body_b, key.part_b, covered, to, branch_.min_gap, where)) return;
    const int moving = record_.bodies[key.body_b].fixed ? key.body_a : key.body_b;
    record_.fail({false, branch_.id, motion_.pieceAt(moving, where), record_.pairName(key.body_a, key.body_b), where,
                  fmt::format("no witness between {} and {}, and the boxes are not apart", covered, to)});
  };
  for (const Witness& w : witnesses) {  // In order of t0.
    if (!(w.t0 < w.t1)) continue;
    if (w.t0 > covered) hole(std::min(w.t0, horizon));
    covered = std::max(covered, w.t1);
    if (covered >= horizon) return;
  }
  if (covered < horizon) hole(horizon);
}

}  // namespace rigor::verify
