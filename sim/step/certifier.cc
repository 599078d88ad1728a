// SPDX-License-Identifier: MIT
#include "sim/step/certifier.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <limits>
#include <utility>

#include "advance/candidate_axes.h"
#include "advance/far_parts.h"
#include "geom/separation.h"
#include "sim/trace.h"

namespace rigor::sim {

using advance::AxisKind;
using advance::FirstRoot;
using Eigen::Vector3d;

namespace {

constexpr double kReachMargin = 1.001;
/// Where the normal turns over a ball, which a claim's axis does not: each claim holds for an angle of some
/// sqrt(8 (delta - floor) / radius), a thousandth.
constexpr int kTurningIntervals = 1024;

/// advance::certify, and how long it took for those who listen.
bool certifiedAloud(const NearPair& pair, std::span<const advance::SeparatingAxis> axes, double floor,
                    std::vector<advance::Witness>& out, const advance::CertifyOptions& options) {
  const auto certify = [&] {
    return advance::certify(pair.A, pair.B, axes, floor, out, options) == advance::CertifyStatus::kCertified;
  };
  if (!active_trace) return certify();
  const auto begin = std::chrono::steady_clock::now();
  const bool proved = certify();
  active_trace->certificate(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(), proved);
  return proved;
}

}  // namespace

Certified Certifier::certify(double reach, StepResult& result) {
  failed_pair_ = -1;
  result.witnesses.clear();
  result.min_gap = std::numeric_limits<double>::infinity();
  if (!keepsLimits()) return Certified::kUnproved;
  of_pair_.sortByPair(x_.contacts);
  boxes_.resize(x_.island.size());
  for (size_t s = 0; s < boxes_.size(); ++s)
    pieceBox(x_.pieces[s], x_.bodies[x_.island[s]].radius, boxes_[s].lower, boxes_[s].upper);
  // The verifier repeats this test; the margin keeps rounding from deciding it.
  const double margin = std::max(x_.scales.floor, kReachMargin * reach);
  bool proved = true;
  for (const auto& [a, b] : near_.find(x_, boxes_, margin)) {
    const bool of_a = x_.bodies[a].part_tree != nullptr;
    if (of_a || x_.bodies[b].part_tree) {
      if (!certifyField(of_a ? b : a, of_a ? a : b, margin, result)) return Certified::kUnproved;
      continue;
    }
    eachNearPart(x_, boxes_, a, b, margin, found_, [&](int i, int j) {
      if (!proved) return;
      int p = x_.pairs.find(i, j);
      if (p < 0) p = x_.pairs.add(i, j);
      proved = certifyPair(x_.pairs[p], result);
    });
    if (!proved) return Certified::kUnproved;
  }
  return Certified::kProved;
}

/// A body over a fixed one of many parts: by planes for many of them at once, and one by one.
bool Certifier::certifyField(int body, int still, double margin, StepResult& result) {
  const bool first = still < body;  // The fixed one is A.
  for (int k = x_.bodies[body].first_part; k < x_.bodies[body].first_part + x_.bodies[body].num_parts; ++k) {
    TreeField& field = x_.pairs.fieldOf(k, still);
    cover_.prove(field, x_.pairs.boxOver(field, x_.pieces[x_.slot_of[body]], margin), kCutMargin * x_.scales.floor);
    advance::Witness witness;
    witness.t0 = x_.t0, witness.t1 = x_.pieces[0].t1;
    for (const PlaneCover::Covered& covered : cover_.covered()) {
      const int part = x_.parts[covered.part].part, own = x_.parts[k].part;
      witness.axis.kind = first == covered.moves ? AxisKind::kFixedInB : AxisKind::kFixedInA;
      const Vector3d& normal = (covered.moves ? field.own : field.planes)[covered.plane];
      witness.axis.axis = first ? normal : Vector3d(-normal);
      witness.gap = covered.gap;
      result.witnesses.push_back({first ? PairKey{still, part, body, own} : PairKey{body, own, still, part}, witness});
      result.min_gap = std::min(result.min_gap, covered.gap);
    }
    for (const int part : cover_.left()) {
      int p = x_.pairs.find(part, k);
      if (p < 0) p = x_.pairs.add(part, k);
      if (!certifyPair(x_.pairs[p], result)) return false;
    }
  }
  return true;
}

/// Whether all joints stay inside their limits over the step, by the floor that holds for gaps.
bool Certifier::keepsLimits() {
  for (size_t r = 0; r < x_.start.robots.size(); ++r) {
    const SystemRobot &from = x_.start.robots[r], &to = x_.trial.ends.robots[r];
    for (const RobotLimit& limit : from.limits) {
      advance::BernsteinPolynomial f = gapOver(limit, from.state, to.state, x_.trial.h);
      for (int i = 0; i <= f.degree; ++i) f.c[i] -= kCutMargin * x_.scales.floor;
      if (f.minCoefficient() >= 0 || advance::firstRoot(f, 0).status == FirstRoot::Status::kNone) continue;
      x_.reason = fmt::format("joint '{}' cannot be kept inside its {} limit at t = {:.9g} s", limit.joint,
                              limit.isUpper() ? "upper" : "lower", x_.t0);
      return false;
    }
  }
  return true;
}

/// Axes from the closest features at time t.
void Certifier::addCandidates(NearPair& pair, double t, advance::Which which) {
  const geom::Shape &A = *x_.parts[pair.part_a].shape, &B = *x_.parts[pair.part_b].shape;
  const geom::Pose X_WA = x_.originPose(pair.part_a, pair.slot_a, t), X_WB = x_.originPose(pair.part_b, pair.slot_b, t);
  const geom::Separation sep =
      geom::separation(std::get<geom::Polytope>(A), X_WA, std::get<geom::Polytope>(B), X_WB, pair.cache);
  const advance::CandidateAxes candidates = advance::candidateAxes(A, X_WA, B, X_WB, sep, which);
  axes_.insert(axes_.end(), candidates.span().begin(), candidates.span().end());
}

/// Of parts of compounds, most of which are far from each other: a face that keeps them apart at time t, without their
/// closest features. @returns whether there is one.
bool Certifier::addFarFace(const NearPair& pair, double t) {
  if (x_.bodies[x_.parts[pair.part_a].body].num_parts == 1 || x_.bodies[x_.parts[pair.part_b].body].num_parts == 1)
    return false;
  advance::SeparatingAxis axis;
  if (!advance::farFace(*x_.parts[pair.part_a].shape, x_.originPose(pair.part_a, pair.slot_a, t),
                        *x_.parts[pair.part_b].shape, x_.originPose(pair.part_b, pair.slot_b, t), axis))
    return false;
  axes_.push_back(axis);
  return true;
}

/// The axes of events and contacts, then those of the closest features in the middle and at the ends, each asked for
/// where those before do not hold over the whole step.
bool Certifier::proves(NearPair& pair) {
  const auto certify = [&](size_t first, const advance::CertifyOptions& options) {
    return certifiedAloud(pair, std::span(axes_).subspan(first), kCutMargin * x_.scales.floor, witnesses_, options);
  };
  if (const auto* half_space = std::get_if<geom::HalfSpace>(x_.parts[pair.part_a].shape)) {
    axes_.assign(1, {AxisKind::kFixedInA, half_space->normal});
    return certify(0, {});
  }
  advance::CertifyOptions whole;
  whole.max_splits = 0, whole.propose = false, whole.max_exact = 0;
  axes_ = pair.axes;
  advance::CertifyOptions split;
  for (const int k : of_pair_.of(x_.pairs.indexOf(pair))) {
    const Contact& c = x_.contacts[k];
    if (c.feature.kind == AxisKind::kNearest) split.max_intervals = kTurningIntervals;
    if (advance::SeparatingAxis axis; hasAxis(c.feature, axis)) axes_.push_back(axis);
  }
  if (certify(0, whole)) return true;
  const size_t known = axes_.size();
  const double middle = 0.5 * (x_.t0 + pair.tb);
  if (known == 0 && addFarFace(pair, middle)) {
    if (certify(0, whole)) return true;
    axes_.clear();
  }
  addCandidates(pair, middle, advance::Which::kPreferredFaces);
  if (axes_.size() > known && certify(known, whole)) return true;
  axes_.resize(known);
  addCandidates(pair, middle);
  if (certify(known, whole)) return true;
  for (const double t : {x_.t0, pair.tb}) addCandidates(pair, t);
  return certify(0, split);
}

bool Certifier::certifyPair(NearPair& pair, StepResult& result) {
  if (!x_.pairs.prepare(pair)) return true;
  const PartRuntime& A = x_.parts[pair.part_a];
  const PartRuntime& B = x_.parts[pair.part_b];
  witnesses_.clear();
  const bool proved = proves(pair);
  // The next trial of the step most probably holds by the same axis.
  if (proved && pair.axes.empty() && witnesses_.size() == 1) pair.axes.push_back(witnesses_[0].axis);
  if (!proved) {
    failed_pair_ = x_.pairs.indexOf(pair);
    x_.reason.clear();
    fmt::format_to(
        std::back_inserter(x_.reason),
        "no certificate for '{}' and '{}' at t = {:.9g} s: the gap of {:.3g} m could not be proved over the step",
        x_.scene.bodies[A.body].name, x_.scene.bodies[B.body].name, x_.t0, x_.scales.floor);
    return false;
  }
  for (const advance::Witness& w : witnesses_) {
    result.witnesses.push_back({{A.body, A.part, B.body, B.part}, w});
    result.min_gap = std::min(result.min_gap, w.gap);
  }
  return true;
}

}  // namespace rigor::sim
