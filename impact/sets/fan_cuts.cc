// SPDX-License-Identifier: MIT
#include "impact/sets/fan_cuts.h"

#include <algorithm>
#include <array>

namespace rigor::impact {
namespace {

using Eigen::Index;
using Eigen::VectorXd;

// Multipliers of the largest one that are noise.
constexpr double kNoise = 1e-6;
// Edges are divided at one of these parts: 1/6, ... 5/6.
constexpr int kCutParts = 5;
// Length of edges that are not divided any more: thin cones make rounding large.
constexpr double kShortest = 0.05;
// Cosine of the angle between two rays that is a little less than a right one.
constexpr double kAcute = 0.02;

/// What the multipliers say of the division of each edge at one part.
class Worth {
 public:
  Worth(const Fan& fan, const FanGrowth& growth, const VectorXd& multipliers, double part)
      : fan_(fan), growth_(growth), part_(part), edges_(growth.columns().size()) {
    const double least = kNoise * multipliers.maxCoeff();
    size_t place = 0;
    for (size_t row = 0; row < growth.rowsOfGrowth(); ++row) {
      while (place + 1 < growth.places().size() && growth.places()[place + 1].first <= row) ++place;
      const double multiplier = multipliers[static_cast<Index>(row)];
      if (multiplier > least) add(growth.places()[place], growth.state(row), multiplier);
    }
  }

  double of(size_t edge) const {
    const Edge& known = edges_[edge];
    double sum = (std::abs(known.at_a) + std::abs(known.at_b)) / 2;
    for (const Range& range : known.ranges) sum += std::max({range.least, -range.most, 0.0});
    return sum;
  }

 private:
  struct Range {
    int ray = 0;
    double least = 0, most = 0;
  };
  struct Edge {
    double at_a = 0, at_b = 0;
    std::vector<Range> ranges;   // of the reduced cost of W_wk, for the rays k beside the edge
  };

  void add(const FanGrowth::Place& place, const VectorXd& state, double multiplier) {
    const Fan::Cone& cone = fan_.cones()[static_cast<size_t>(place.cone)];
    for (size_t i = 0; i < cone.size(); ++i) {
      for (size_t j = 0; j < cone.size(); ++j) {
        if (cone[i] >= cone[j]) continue;
        Edge& edge = edges_[static_cast<size_t>(growth_.column(cone[i], cone[j]))];
        const auto a = static_cast<Index>(i), b = static_cast<Index>(j);
        const double to_a = part_ * place.along[a], to_b = (1 - part_) * place.along[b];
        edge.at_a += multiplier * state[a] * to_b;
        edge.at_b += multiplier * state[b] * to_a;
        for (size_t k = 0; k < cone.size(); ++k) {
          const double share = multiplier * state[static_cast<Index>(k)];
          if (k == i || k == j || share <= 0) continue;
          auto range = std::find_if(edge.ranges.begin(), edge.ranges.end(),
                                    [&](const Range& other) { return other.ray == cone[k]; });
          if (range == edge.ranges.end()) range = edge.ranges.insert(range, {cone[k], 0, 0});
          range->least += share * std::min(to_a, to_b);
          range->most += share * std::max(to_a, to_b);
        }
      }
    }
  }

  const Fan& fan_;
  const FanGrowth& growth_;
  double part_;
  std::vector<Edge> edges_;
};

struct Candidate {
  double worth = 0;
  EdgeCut cut;
};

/// The cuts of the largest worth.
std::vector<EdgeCut> best(std::vector<Candidate> candidates, size_t count) {
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.worth > b.worth; });
  std::vector<EdgeCut> out;
  for (const Candidate& candidate : candidates) {
    if (out.size() < count && candidate.worth > 0) out.push_back(candidate.cut);
  }
  return out;
}

}  // namespace

std::vector<EdgeCut> chooseCuts(const Fan& fan, const FanGrowth& growth, const VectorXd& multipliers, size_t count) {
  std::vector<Candidate> candidates(growth.columns().size());
  for (int k = 1; k <= kCutParts; ++k) {
    const double part = static_cast<double>(k) / (kCutParts + 1);
    const Worth worth(fan, growth, multipliers, part);
    for (const auto& [rays, column] : growth.columns()) {
      const auto edge = static_cast<size_t>(column);
      const double length = (fan.ray(rays.first) - fan.ray(rays.second)).norm();
      if (length < kShortest) continue;
      const double here = worth.of(edge) * length * length;
      if (here > candidates[edge].worth) candidates[edge] = {here, {rays.first, rays.second, part}};
    }
  }
  return best(std::move(candidates), count);
}

std::vector<EdgeCut> obtuseEdges(const Fan& fan, size_t count) {
  std::map<std::pair<int, int>, double> edges;
  for (const Fan::Cone& cone : fan.cones()) {
    bool ended = true;
    for (int i = 0; i < fan.numContacts(); ++i) ended = ended && fan.separates(cone, i);
    if (!ended) continue;
    for (int a : cone) {
      for (int b : cone) {
        if (a < b) edges[{a, b}] = kAcute - fan.ray(a).dot(fan.ray(b));
      }
    }
  }
  std::vector<Candidate> candidates;
  for (const auto& [rays, worth] : edges) candidates.push_back({worth, {rays.first, rays.second, 0.5}});
  return best(std::move(candidates), count);
}

}  // namespace rigor::impact
