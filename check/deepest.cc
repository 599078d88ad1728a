// SPDX-License-Identifier: MIT
#include "check/deepest.h"

#include <algorithm>
#include <cmath>
#include <variant>

namespace rigor::check {
namespace {

constexpr int kSamples = 8;        ///< Intervals of the first look at the depth over time.
constexpr int kGoldenSteps = 26;   ///< .618^26 = 4e-6 of two sample intervals.
constexpr int kBisections = 40;    ///< 1e-12 of an interval.
constexpr double kGolden = 0.6180339887498949;

/// Depth of a pair over the time of its motions.
class DepthCurve {
 public:
  DepthCurve(const advance::MovingPart& A, const advance::MovingPart& B, PairMemory& memory)
      : A_(A), B_(B), memory_(memory) {}
  double operator()(double t) { return std::max(0.0, -distanceAt(A_, B_, t, memory_)); }

 private:
  const advance::MovingPart &A_, &B_;
  PairMemory& memory_;
};

/// The largest depth in [low, high] around a sample that is deeper than both.
DepthPoint refine(DepthCurve& depth, double low, double high, DepthPoint best) {
  double a = high - kGolden * (high - low), b = low + kGolden * (high - low);
  double depth_a = depth(a), depth_b = depth(b);
  for (int i = 0; i < kGoldenSteps; ++i) {
    if (depth_a > best.depth) best = {a, depth_a};
    if (depth_b > best.depth) best = {b, depth_b};
    if (depth_a >= depth_b) {
      high = b, b = a, depth_b = depth_a;
      a = high - kGolden * (high - low), depth_a = depth(a);
    } else {
      low = a, a = b, depth_a = depth_b;
      b = low + kGolden * (high - low), depth_b = depth(b);
    }
  }
  return best;
}

/// Between `apart` and `deep`, the instant next to `deep` at which the depth passes `allow`.
double crossing(DepthCurve& depth, double apart, double deep, double allow) {
  for (int i = 0; i < kBisections; ++i) {
    const double middle = apart + 0.5 * (deep - apart);
    (depth(middle) > allow ? deep : apart) = middle;
  }
  return deep;
}

/// overlap.first and .last, from samples and the deepest instant.
void locateEnds(DepthCurve& depth, const DepthPoint (&samples)[kSamples + 1], double allow, Overlap& overlap) {
  overlap.first = overlap.last = overlap.deepest.time;
  for (const DepthPoint& sample : samples) {
    if (!(sample.depth > allow)) continue;
    overlap.first = std::min(overlap.first, sample.time), overlap.last = std::max(overlap.last, sample.time);
  }
  // Nearest samples outside.
  double before = samples[0].time, after = samples[kSamples].time;
  for (const DepthPoint& sample : samples) {
    if (sample.time < overlap.first) before = std::max(before, sample.time);
    if (sample.time > overlap.last) after = std::min(after, sample.time);
  }
  if (overlap.first > samples[0].time) overlap.first = crossing(depth, before, overlap.first, allow);
  if (overlap.last < samples[kSamples].time) overlap.last = crossing(depth, after, overlap.last, allow);
}

/// About how far any point of a part gets within its piece [m].
double pathLength(const advance::MovingPart& part) {
  const advance::MotionPiece& piece = *part.motion->piece;
  double length = 0, turn = 0;
  for (int i = 0; i < piece.p_degree; ++i) length += (piece.p[i + 1] - piece.p[i]).norm();
  for (int i = 0; i < piece.q_degree; ++i) turn += 2 * (piece.q[i + 1] - piece.q[i]).norm() / piece.q[i].norm();
  const auto* polytope = std::get_if<geom::Polytope>(part.shape);
  if (turn > 0) length += polytope ? turn * polytope->vertices().colwise().norm().maxCoeff() : HUGE_VAL;
  return length;
}

}  // namespace

Overlap measureOverlap(const advance::MovingPart& A, const advance::MovingPart& B, double allow,
                       const IntervalResult& found, double deepest_so_far, PairMemory& memory) {
  DepthCurve depth(A, B, memory);
  const double ta = A.motion->ta, tb = A.motion->tb;
  DepthPoint samples[kSamples + 1];
  samples[0] = {ta, depth(ta)}, samples[kSamples] = {tb, depth(tb)};
  Overlap overlap;
  overlap.start_depth = samples[0].depth, overlap.end_depth = samples[kSamples].depth;
  overlap.deepest = overlap.start_depth >= overlap.end_depth ? samples[0] : samples[kSamples];
  const bool deep_at_ends = overlap.start_depth > allow && overlap.end_depth > allow;
  if (deep_at_ends && overlap.deepest.depth + 0.5 * (pathLength(A) + pathLength(B)) <= deepest_so_far) {
    overlap.first = ta, overlap.last = tb;
    return overlap;
  }
  int deepest = overlap.start_depth >= overlap.end_depth ? 0 : kSamples;
  for (int i = 1; i < kSamples; ++i) {
    samples[i].time = ta + (tb - ta) * i / kSamples;
    samples[i].depth = depth(samples[i].time);
    if (samples[i].depth > samples[deepest].depth) deepest = i;
  }
  overlap.deepest = samples[deepest];
  double low = samples[std::max(0, deepest - 1)].time, high = samples[std::min(kSamples, deepest + 1)].time;
  if (found.depth > overlap.deepest.depth) {  // Between two samples.
    overlap.deepest = {found.time, found.depth};
    const double width = (tb - ta) / kSamples;
    low = std::max(ta, found.time - width), high = std::min(tb, found.time + width);
  }
  overlap.deepest = refine(depth, low, high, overlap.deepest);
  locateEnds(depth, samples, allow, overlap);
  return overlap;
}

}  // namespace rigor::check
