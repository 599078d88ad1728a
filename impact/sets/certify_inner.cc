// SPDX-License-Identifier: MIT
#include <algorithm>

#include "impact/sets/certify.h"
#include "impact/sets/exact_program.h"

namespace rigor::impact {
namespace {

using Rationals = std::vector<mpq_class>;

/// How fast a face's approaching contacts approach, summed, up to a positive factor: a row of homogeneous coordinates.
ExactVector approachOf(const ExactFaces& faces, int face) {
  const ExactProblem& problem = faces.problem();
  Rationals sum(static_cast<size_t>(problem.rank()) + 1, 0);
  for (int i = 0; i < problem.numContacts(); ++i) {
    const ExactProblem::Row& row = problem.rows()[static_cast<size_t>(problem.normalRow(i))];
    if (faces.rowSign(problem.normalRow(i), faces.signs(face)) >= 0) continue;
    for (size_t k = 0; k < row.of.size(); ++k) sum[k + 1] -= row.of[k];
  }
  return ExactVector::ofRationals(sum);
}

}  // namespace

SetCertificate::Problem certifiedProblem(const ImpactProblem& problem, const ExactFriction& friction) {
  const auto decimals = [](const Eigen::Ref<const Eigen::RowVectorXd>& row) {
    Rationals out;
    for (double entry : row) out.push_back(decimalOf(entry));
    return out;
  };
  SetCertificate::Problem out;
  for (int i = 0; i < problem.numVelocities(); ++i) out.mass_matrix.push_back(decimals(problem.mass_matrix.row(i)));
  for (int i = 0; i < problem.numContacts(); ++i) {
    out.normal.push_back(decimals(problem.normal.row(i)));
    out.friction.push_back(decimalOf(problem.friction[static_cast<size_t>(i)]));
    std::vector<Rationals>& tangents = out.tangent.emplace_back();
    if (sgn(out.friction.back()) <= 0) continue;
    for (const auto& row : problem.tangent[static_cast<size_t>(i)].rowwise()) tangents.push_back(decimals(row));
    if (tangents.size() == 2 && out.polygon.empty()) {
      for (const auto& [x, y] : frictionPolygon(friction.cone_edges)) out.polygon.push_back({x, y});
    }
  }
  out.velocity = decimals(problem.velocity.transpose());
  for (const bool any : friction.any_direction) out.any_direction.push_back(any ? 1 : 0);
  return out;
}

SetCertificate::Signs rowSigns(const ExactFaces& faces, const ExactFaces::Signs& signs) {
  SetCertificate::Signs out;
  for (size_t row = 0; row < faces.problem().rows().size(); ++row)
    out.push_back(faces.rowSign(static_cast<int>(row), signs));
  return out;
}

bool ChainFinder::approaches(const ExactVector& point, int face) const {
  return approachOf(set_->faces(), face).signOfDot(point) > 0;
}

/// point = convex combination of the sources + forces of the face; of all, one that starts as far from finished as can
/// be. In homogeneous coordinates, all of them times the point's: integers.
bool ChainFinder::decompose(const ExactVector& point, const std::vector<ExactVector>& sources, int face,
                            Move& move) const {
  const std::vector<const ExactForce*>& forces = set_->faces().forces(face);
  const size_t rows = static_cast<size_t>(point.size()), columns = sources.size() + forces.size();
  std::vector<Rationals> A(rows, Rationals(columns, 0));
  Rationals c(columns, 0), x;
  const ExactVector approach = approachOf(set_->faces(), face);
  for (size_t j = 0; j < sources.size(); ++j) {
    for (size_t i = 0; i < rows; ++i) A[i][j] = sources[j][static_cast<int>(i)];
    c[j] = -approach.dot(sources[j]);
  }
  for (size_t j = 0; j < forces.size(); ++j) {
    for (size_t i = 1; i < rows; ++i) A[i][sources.size() + j] = forces[j]->effect[i - 1];
  }
  if (!solveNonnegative(A, point.rationals(), c, x)) return false;
  Rationals from(rows, 0);
  for (size_t j = 0; j < sources.size(); ++j) {
    if (sgn(x[j]) == 0) continue;
    for (size_t i = 0; i < rows; ++i) from[i] += x[j] * A[i][j];
  }
  move.from = ExactVector::ofRationals(from);
  move.weights.assign(x.begin() + static_cast<std::ptrdiff_t>(sources.size()), x.end());
  for (mpq_class& weight : move.weights) weight /= point[0];
  return true;
}

/// The earliest step that reached the point, of those that the pieces consist of.
int ChainFinder::stepOf(const ExactVector& point, const std::vector<int>& pieces) const {
  int best = -1;
  for (int piece : pieces) {
    for (int step : set_->pieces()[static_cast<size_t>(piece)].steps) {
      if (best >= 0 && step >= best) continue;
      if (set_->steps()[static_cast<size_t>(step)].reached.contains(point)) best = step;
    }
  }
  return best;
}

std::vector<SetCertificate::Force> ChainFinder::forcesOf(int face, const std::vector<mpq_class>& weights) const {
  std::vector<SetCertificate::Force> out;
  const std::vector<const ExactForce*>& forces = set_->faces().forces(face);
  for (size_t j = 0; j < forces.size(); ++j) {
    if (sgn(weights[j]) > 0) out.push_back({forces[j]->contact, forces[j]->slip, weights[j]});
  }
  return out;
}

bool ChainFinder::find(const ExactVector& point, const std::vector<int>& pieces, SetCertificate::Chain& chain) const {
  chain = {};
  chain.end = point.point();
  std::vector<Move> moves;
  ExactVector at = point;
  bool strict = true;
  for (std::vector<int> from = pieces; !from.empty();) {
    Move move;
    move.step = stepOf(at, from);
    if (move.step < 0)
      return from.size() == 1 && set_->pieces()[static_cast<size_t>(from[0])].steps.empty();  // the start itself
    const ExactSet::Step& step = set_->steps()[static_cast<size_t>(move.step)];
    const std::vector<ExactVector> sources =
        step.source < 0 ? std::vector<ExactVector>{set_->start()} : set_->pointsOf(step.source, step.plane);
    if (!decompose(at, sources, step.face, move)) return false;
    at = move.from;
    const bool rests =
        std::all_of(move.weights.begin(), move.weights.end(), [](const mpq_class& w) { return sgn(w) == 0; });
    strict = strict && (rests || approaches(at, step.face));
    moves.push_back(std::move(move));
    from = step.source < 0 ? std::vector<int>() : std::vector<int>{step.source};
  }
  std::reverse(moves.begin(), moves.end());
  if (!strict && !findBeside(moves, chain)) return false;
  for (const Move& move : moves) {
    const int face = set_->steps()[static_cast<size_t>(move.step)].face;
    SetCertificate::Segment segment{rowSigns(set_->faces(), set_->faces().signs(face)), forcesOf(face, move.weights)};
    if (!segment.forces.empty() || !strict) chain.segments.push_back(std::move(segment));
  }
  return true;
}

/// The same steps again, alone: what they reach from what they reached, and from the inside of that back to the start.
bool ChainFinder::findBeside(const std::vector<Move>& moves, SetCertificate::Chain& chain) const {
  std::vector<std::vector<ExactVector>> sources;
  std::vector<ExactVector> reached{set_->start()};
  for (const Move& move : moves) {
    const ExactSet::Step& step = set_->steps()[static_cast<size_t>(move.step)];
    if (step.plane >= 0) {
      std::erase_if(reached, [&](const ExactVector& x) { return set_->faces().plane(step.plane).signOfDot(x) != 0; });
    }
    if (reached.empty()) return false;
    sources.push_back(reached);
    reached = set_->faces().post(reached, step.face).rays();
  }
  Rationals middle(static_cast<size_t>(set_->problem().rank()) + 1, 0);
  middle[0] = 1;
  for (const ExactVector& x : reached) {
    const Rationals point = x.point();
    for (size_t i = 0; i < point.size(); ++i) middle[i + 1] += point[i] / static_cast<unsigned long>(reached.size());
  }
  ExactVector at = ExactVector::ofRationals(middle);
  for (size_t k = moves.size(); k-- > 0;) {
    const int face = set_->steps()[static_cast<size_t>(moves[k].step)].face;
    Move move;
    if (!decompose(at, sources[k], face, move) || !approaches(move.from, face)) return false;
    chain.beside.push_back(forcesOf(face, move.weights));
    at = move.from;
  }
  std::reverse(chain.beside.begin(), chain.beside.end());
  return true;
}

SetCertificate certify(const ExactSet& set, const ImpactProblem& problem) {
  SetCertificate certificate;
  certificate.problem = certifiedProblem(problem, set.problem().toldApart());
  certificate.coordinates = set.problem().coordinates();
  const ChainFinder finder(set);
  for (const ExactSet::Final& final : set.final()) {
    std::vector<int> corners;
    for (const ExactVector& vertex : final.polytope.rays()) {
      SetCertificate::Chain chain;
      if (!finder.find(vertex, final.pieces, chain)) continue;
      corners.push_back(static_cast<int>(certificate.chains.size()));
      certificate.chains.push_back(std::move(chain));
    }
    certificate.pieces.push_back(std::move(corners));
  }
  for (const ExactQuantity& quantity : quantitiesOf(set.problem())) {
    SetCertificate::Bound bound;
    bound.name = quantity.name;
    for (size_t k = 0; k < certificate.chains.size(); ++k) {
      const mpq_class value = quantity.at(certificate.chains[k].end);
      if (k == 0 || value < bound.inner_low) bound.inner_low = value, bound.low_chain = static_cast<int>(k);
      if (k == 0 || value > bound.inner_high) bound.inner_high = value, bound.high_chain = static_cast<int>(k);
    }
    certificate.bounds.push_back(std::move(bound));
  }
  certificate.complete = set.complete() && certifyFromOutside(set, certificate);
  return certificate;
}

SetCertificate certifyOutside(const ExactSet& set, const ImpactProblem& problem) {
  SetCertificate certificate;
  certificate.problem = certifiedProblem(problem, set.problem().toldApart());
  certificate.coordinates = set.problem().coordinates();
  for (const ExactQuantity& quantity : quantitiesOf(set.problem())) {
    certificate.bounds.emplace_back().name = quantity.name;
  }
  certificate.complete = set.complete() && certifyFromOutside(set, certificate);
  return certificate;
}

}  // namespace rigor::impact
