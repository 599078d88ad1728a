// SPDX-License-Identifier: MIT
#include "verify/kernel/branch_proof.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>
#include <tuple>

namespace rigor::verify::kernel {
namespace {

/// A start against the model, relative: a rotation and a sum, rounded.
constexpr double kStartRounding = 0x1p-48;
/// Velocities that no row explains, relative or in m/s: contacts at the start project them, impacts are written before
/// that. Where it is known what acted, momentum is balanced instead.
constexpr double kVelocityTolerance = 1e-6;

std::array<double, 7> poseAt(const Piece& piece, bool end) {
  std::array<double, 7> pose;
  std::copy_n(piece.p[end ? piece.p_degree : 0], 3, pose.data());
  std::copy_n(piece.q[end ? piece.q_degree : 0], 4, pose.data() + 3);
  return pose;
}

bool sameBits(const std::array<double, 7>& a, const std::array<double, 7>& b) {
  return std::memcmp(a.data(), b.data(), sizeof a) == 0;
}

std::string numbered(const char* what, std::int64_t id, const std::string& reason) {
  return std::string(what).append(std::to_string(id)).append(": ").append(reason);
}

Number magnitude(const Number& x) { return sgn(x) < 0 ? Number() - x : x; }

// |a - b| <= tolerance (1 + the largest |b|), a coordinate each.
bool agree(const double* a, const double* b, double tolerance) {
  Number size = 1;
  for (int k = 0; k < 3; ++k) size.add(magnitude(b[k]));
  for (int k = 0; k < 3; ++k)
    if (sgn(size * tolerance - magnitude(Number(a[k]) - b[k])) < 0) return false;
  return true;
}

std::string malformation(const Piece& piece, const std::vector<Body>& bodies) {
  if (piece.body < 0 || piece.body >= static_cast<int>(bodies.size())) return "it is of no body";
  if (bodies[piece.body].fixed) return "a fixed body moves";
  if (piece.p_degree < 0 || piece.p_degree > 3 || piece.q_degree < 0 || piece.q_degree > 3) return "it has no degrees";
  const auto count = [](int degree, int size) { return static_cast<std::size_t>(size) * (degree + 1); };
  if (!finite({piece.p[0], count(piece.p_degree, 3)}) || !finite({piece.q[0], count(piece.q_degree, 4)}) ||
      !finite(piece.velocity) || !std::isfinite(piece.t0))
    return "a number is not finite";
  if (!(piece.t0 < piece.t1 && std::isfinite(piece.t1))) return "it ends before it starts";
  return {};
}

}  // namespace

BranchProof::BranchProof(const Run& run, const Branch& branch, BranchRows rows, const std::optional<Origin>& origin)
    : run_(run), branch_(branch), rows_(std::move(rows)), origin_(origin), horizon_(branch.start()) {
  const auto bad = [&](const char* reason) { malformed_.push_back({true, -1, -1, -1, branch_.start(), reason}); };
  if (!origin_) bad("no piece of its parent ends at the fork, or it is not proved up to there");
  instant_ = branch.end_time == branch.start() && rows_.pieces.empty();
  const bool timely =
      std::isfinite(branch.start()) && std::isfinite(branch.end_time) && branch.end_time >= branch.start();
  if (!timely) bad("the branch ends before it starts");
  if (!sortPieces() || !timely) return;
  if (origin_) {
    rows_.impacts.insert(rows_.impacts.begin(), origin_->impacts.begin(), origin_->impacts.end());
    rows_.actions.insert(rows_.actions.begin(), origin_->actions.begin(), origin_->actions.end());
  }
  horizon_ = branch.end_time;
  for (std::size_t b = 0; b < motion_.size(); ++b) {
    if (run_.model.bodies[b].fixed) continue;
    horizon_ = std::min(horizon_, motion_[b].empty() ? branch.start() : motion_[b].back().t1);
    if (motion_[b].empty() && !instant_)
      malformed_.push_back({true, -1, static_cast<int>(b), -1, branch.start(), "a moving body has no pieces"});
  }
  sortClaims();
  const bool finite = std::isfinite(branch.min_gap) || pairs_.empty();  // Nothing that can collide has no gap.
  if (!instant_ && !(branch.min_gap > 0 && finite)) bad("the branch claims no positive gap");
  else
    derive();
}

// Pieces of each body together, in order of time and without holes.
bool BranchProof::sortPieces() {
  const std::vector<Body>& bodies = run_.model.bodies;
  bool sound = true;
  for (const Piece& piece : rows_.pieces)
    if (const std::string reason = malformation(piece, bodies); !reason.empty()) {
      const bool known = piece.body >= 0 && piece.body < static_cast<int>(bodies.size());
      malformed_.push_back({true, piece.id, known ? piece.body : -1, -1, piece.t0, reason});
      sound = false;
    }
  if (!sound) return false;
  const auto key = [](const Piece& piece) { return std::tie(piece.body, piece.t0, piece.id); };
  if (!std::ranges::is_sorted(rows_.pieces, {}, key)) std::ranges::sort(rows_.pieces, {}, key);
  fixed_.resize(bodies.size());
  motion_.resize(bodies.size());
  for (std::size_t b = 0; b < bodies.size(); ++b)
    if (bodies[b].fixed) fixed_[b] = fixedPose(bodies[b]), motion_[b] = {&fixed_[b], 1};
  for (std::size_t first = 0, last; first < rows_.pieces.size(); first = last) {
    for (last = first + 1; last < rows_.pieces.size() && rows_.pieces[last].body == rows_.pieces[first].body; ++last) {
      const Piece &before = rows_.pieces[last - 1], &piece = rows_.pieces[last];
      if (piece.t0 == before.t1) continue;
      sound = false;
      malformed_.push_back(about(piece, piece.t0,
                                 piece.t0 < before.t1 ? "it overlaps the piece before it"
                                                      : "it leaves a hole after the piece before it"));
    }
    motion_[rows_.pieces[first].body] = {&rows_.pieces[first], last - first};
  }
  return sound;
}

void BranchProof::sortClaims() {
  std::erase_if(rows_.claims, [&](const Claim& claim) {  // They have no order.
    const bool untimely = !std::isfinite(claim.t0) || !std::isfinite(claim.t1);
    if (untimely)
      malformed_.push_back({true, -1, -1, -1, claim.t0, numbered("claim ", claim.id, "its time is not finite")});
    return untimely;
  });
  const auto key = [](const auto& x) { return std::tie(x.body_a, x.part_a, x.body_b, x.part_b); };
  std::sort(rows_.claims.begin(), rows_.claims.end(), [&](const Claim& a, const Claim& b) {
    return std::tuple_cat(key(a), std::tie(a.t0, a.id)) < std::tuple_cat(key(b), std::tie(b.t0, b.id));
  });
  const std::vector<Body>& bodies = run_.model.bodies;
  std::set<std::pair<int, int>> exempt;
  for (const auto& pair : run_.model.ignored_pairs) exempt.insert(std::minmax(pair[0], pair[1]));
  for (int a = 0; a < static_cast<int>(bodies.size()); ++a)
    for (int b = a + 1; b < static_cast<int>(bodies.size()); ++b) {
      if ((bodies[a].fixed && bodies[b].fixed) || exempt.contains({a, b})) continue;
      for (int i = 0; i < static_cast<int>(bodies[a].parts.size()); ++i)
        for (int j = 0; j < static_cast<int>(bodies[b].parts.size()); ++j) {
          Pair pair{a, i, b, j, 0, 0};
          if (bodies[b].parts[j].half_space) pair = {b, j, a, i, 0, 0};
          const auto [first, last] = std::equal_range(rows_.claims.begin(), rows_.claims.end(), pair,
                                                      [&](const auto& x, const auto& y) { return key(x) < key(y); });
          pair.first = first - rows_.claims.begin();
          pair.last = last - rows_.claims.begin();
          pairs_.push_back(pair);
        }
    }
}

void BranchProof::derive() {
  const auto add = [&](Obligation::Kind kind, std::size_t i) { obligations_.push_back({kind, std::uint32_t(i)}); };
  for (std::size_t i = 0; i < rows_.pieces.size(); ++i) {
    add(Obligation::Kind::kOrientation, i);
    if (i > 0 && rows_.pieces[i - 1].body == rows_.pieces[i].body) add(Obligation::Kind::kJoin, i);
  }
  for (std::size_t b = 0; b < motion_.size(); ++b)
    if (!run_.model.bodies[b].fixed && !motion_[b].empty())
      add(Obligation::Kind::kStart, b), add(Obligation::Kind::kEnd, b);
  for (std::size_t i = 0; i < rows_.claims.size(); ++i) add(Obligation::Kind::kClaim, i);
  if (horizon_ > branch_.start())
    for (std::size_t i = 0; i < pairs_.size(); ++i) add(Obligation::Kind::kCoverage, i);
}

std::optional<Finding> BranchProof::discharge(const Obligation& obligation) const {
  const std::size_t i = obligation.number;
  switch (obligation.kind) {
    case Obligation::Kind::kOrientation: {
      const Piece& piece = rows_.pieces[i];
      const auto q = [&](int k) { return Polynomial::bezier(piece.q[0] + k, 4, piece.q_degree); };
      const Vector v(q(1), q(2), q(3));
      double where = 0;
      const Answer answer = isNonNegative(q(0) * q(0) + dot(v, v), where, true);
      if (answer == Answer::kYes) return {};
      const double time = piece.q_degree == 0 ? piece.t0 : piece.t0 + where * (piece.t1 - piece.t0);
      return about(piece, time, "the orientation quaternion vanishes", answer == Answer::kNo);
    }
    case Obligation::Kind::kJoin: return dischargeJoin(rows_.pieces[i]);
    case Obligation::Kind::kStart: return dischargeStart(static_cast<int>(i));
    case Obligation::Kind::kEnd: return dischargeEnd(static_cast<int>(i));
    case Obligation::Kind::kClaim: return dischargeClaim(rows_.claims[i]);
    case Obligation::Kind::kCoverage: return dischargeCoverage(pairs_[i]);
  }
  return Finding{false, -1, -1, -1, branch_.start(), "an obligation that nobody discharges"};
}

std::optional<Finding> BranchProof::dischargeJoin(const Piece& piece) const {
  if (sameBits(poseAt(piece, false), poseAt((&piece)[-1], true))) return {};
  return about(piece, piece.t0, "it does not start where the piece before it ends");
}

std::optional<Finding> BranchProof::dischargeStart(int body) const {
  const Piece& first = motion_[body].front();
  if (first.t0 != branch_.start())
    return about(first, first.t0, "the first piece does not start where the branch does");
  if (!origin_) return about(first, first.t0, "it is not known where the branch starts", false);
  if (origin_->of_model) return dischargeModelStart(body);
  if (!sameBits(poseAt(first, false), origin_->states[body].pose))
    return about(first, first.t0, "it does not start where the parent branch forks");
  return {};
}

// p = x + R c and v + w x R c of the model's origin, times |q|^2; the quaternion bit for bit.
std::optional<Finding> BranchProof::dischargeModelStart(int body) const {
  const Body& model = run_.model.bodies[body];
  const Piece &first = motion_[body].front(), pose = fixedPose(model);
  if (std::memcmp(first.q[0], pose.q[0], sizeof first.q[0]) != 0)
    return about(first, first.t0, "it does not start in the model's orientation");
  const Rotation<Number> R = rotationOf(pose.q[0]);
  const Number3 arm = R.turn(Number3(model.centre));
  Number far = 0;  // All sizes that were rounded, times |q|^2.
  for (int k = 0; k < 3; ++k) far.add((magnitude(model.position[k]) + magnitude(model.centre[k]) * 4) * R.norm);
  for (int k = 0; k < 3; ++k)
    if (sgn(far * kStartRounding - magnitude((Number(first.p[0][k]) - model.position[k]) * R.norm - arm[k])) < 0)
      return about(first, first.t0, "it does not start where the model puts it");
  if (run_.actions_known) return {};
  const Impact* impact = firstImpact(body, first.t0);
  const double* velocity = first.velocity;
  for (std::size_t i = 0; impact && i < impact->bodies.size(); ++i)
    if (impact->bodies[i] == body) velocity = &impact->before[6 * i];
  const Number3 spin = cross(Number3(model.angular_velocity), arm);
  Number fast = R.norm;
  for (int k = 0; k < 3; ++k) fast.add(R.norm * magnitude(model.velocity[k]) + magnitude(spin[k]));
  for (int k = 0; k < 3; ++k)
    if (sgn(fast * kVelocityTolerance - magnitude((Number(velocity[k]) - model.velocity[k]) * R.norm - spin[k])) < 0 ||
        !agree(velocity + 3, model.angular_velocity.data(), kVelocityTolerance))
      return about(first, first.t0, "it does not start with the model's velocity");
  return {};
}

std::optional<Finding> BranchProof::dischargeEnd(int body) const {
  const Piece& last = motion_[body].back();
  if (branch_.running ? last.t1 >= branch_.end_time : last.t1 == branch_.end_time) return {};
  return about(last, last.t1, "its last piece does not end where the branch does");
}

const Impact* BranchProof::firstImpact(int body, double time) const {
  const Impact* first = nullptr;
  for (const Impact& impact : rows_.impacts)
    if (impact.time == time && std::find(impact.bodies.begin(), impact.bodies.end(), body) != impact.bodies.end() &&
        impact.before.size() == 6 * impact.bodies.size() && (!first || impact.id < first->id))
      first = &impact;
  return first;
}

std::optional<Finding> BranchProof::dischargeClaim(const Claim& claim) const {
  const auto bad = [&](const std::string& reason) {
    return Finding{true, -1, claim.body_a, claim.body_b, claim.t0, numbered("claim ", claim.id, reason)};
  };
  if (const std::string fault = findFault(claim, run_.model.bodies); !fault.empty()) {
    Finding finding = bad(fault);
    if (fault == "it names no pair of parts") finding.body_a = finding.body_b = -1;
    return finding;
  }
  if (!(claim.gap >= branch_.min_gap)) return bad("its gap is smaller than the branch claims");
  if (!(claim.gap >= run_.gap_floor)) return bad("its gap is below the floor");
  const Body &A = run_.model.bodies[claim.body_a], &B = run_.model.bodies[claim.body_b];
  const Part& plane = A.parts[claim.part_a];
  const Number apart = plane.half_space ? radiusOf(B, B.parts[claim.part_b]) + claim.gap : Number();
  PieceRange a = piecesIn(claim.body_a, claim.t0, claim.t1), b = piecesIn(claim.body_b, claim.t0, claim.t1);
  while (a.first != a.last && b.first != b.last) {
    const double from = std::max({claim.t0, a.first->t0, b.first->t0});
    const double to = std::min({claim.t1, a.first->t1, b.first->t1});
    if (from < to && !(plane.half_space && aboveHalfSpace(A, plane, *a.first, {b.first, b.first + 1}, apart))) {
      const Verdict verdict = proveClaim(claim, run_.model.bodies, *a.first, *b.first, from, to);
      if (verdict.answer != Answer::kYes)
        return Finding{verdict.answer == Answer::kNo, B.fixed ? a.first->id : b.first->id,
                       claim.body_a, claim.body_b, verdict.time, numbered("claim ", claim.id, verdict.reason)};
    }
    a.first->t1 < b.first->t1 ? ++a.first : ++b.first;
  }
  return {};
}

PieceRange BranchProof::piecesIn(int body, double from, double to) const {
  const std::span<const Piece> all = motion_[body];
  const auto first = std::upper_bound(all.begin(), all.end(), from, [](double t, const Piece& p) { return t < p.t1; });
  const auto last = std::lower_bound(first, all.end(), to, [](const Piece& p, double t) { return p.t0 < t; });
  return {all.data() + (first - all.begin()), all.data() + (last - all.begin())};
}

std::vector<std::pair<double, double>> BranchProof::holesOf(const Pair& pair) const {
  std::vector<std::pair<double, double>> holes;
  double covered = branch_.start();
  for (std::size_t i = pair.first; i < pair.last && covered < horizon_; ++i) {
    const Claim& claim = rows_.claims[i];
    if (!(claim.t0 < claim.t1)) continue;
    if (claim.t0 > covered) holes.emplace_back(covered, std::min(claim.t0, horizon_));
    covered = std::max(covered, claim.t1);
  }
  if (covered < horizon_) holes.emplace_back(covered, horizon_);
  return holes;
}

std::optional<Finding> BranchProof::dischargeCoverage(const Pair& pair) const {
  const Body &A = run_.model.bodies[pair.body_a], &B = run_.model.bodies[pair.body_b];
  for (const auto& [from, to] : holesOf(pair)) {
    double where = from;
    if (boxesApart(A, A.parts[pair.part_a], piecesIn(pair.body_a, from, to), B, B.parts[pair.part_b],
                   piecesIn(pair.body_b, from, to), branch_.min_gap, where))
      continue;
    const int moving = B.fixed ? pair.body_a : pair.body_b;
    const PieceRange piece = piecesIn(moving, where, to);
    return Finding{false, piece.first == piece.last ? -1 : piece.first->id, pair.body_a, pair.body_b, where,
                   "no claim here, and the boxes are not apart"};
  }
  return {};
}

Finding BranchProof::about(const Piece& piece, double time, std::string reason, bool refuted) const {
  return {refuted, piece.id, piece.body, -1, time, std::move(reason)};
}

std::optional<Origin> BranchProof::originOf(const Branch& child) const {
  // What was not looked at up to the fork is not proved there, whatever the branch's status says.
  const bool within = child.fork_time >= branch_.start() && child.fork_time <= horizon_;
  if (!origin_ || !malformed_.empty() || !within) return {};
  if (instant_) {
    Origin origin = *origin_;
    origin.impacts = rows_.impacts;
    origin.actions = rows_.actions;
    return origin;
  }
  Origin origin;
  origin.of_model = false;
  origin.states.resize(motion_.size());
  for (std::size_t b = 0; b < motion_.size(); ++b) {
    if (run_.model.bodies[b].fixed) continue;
    const auto found = std::lower_bound(motion_[b].begin(), motion_[b].end(), child.fork_time,
                                        [](const Piece& piece, double t) { return piece.t1 < t; });
    if (found == motion_[b].end() || (found->t1 != child.fork_time && found->t0 != child.fork_time)) return {};
    const bool end = found->t1 == child.fork_time;
    origin.states[b].pose = poseAt(*found, end);
    std::copy_n(found->velocity + (end ? 6 : 0), 6, origin.states[b].velocity.data());
  }
  return origin;
}

}  // namespace rigor::verify::kernel
