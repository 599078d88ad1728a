// SPDX-License-Identifier: MIT
#include "verify/record/motions.h"

#include <algorithm>
#include <cmath>

namespace rigor::verify::recorded {
namespace {

// A head is a uint32: the body's number, and above it these bits.
constexpr int kBodyBits = 24;
constexpr std::uint32_t kBodyMask = (1u << kBodyBits) - 1;
constexpr std::uint32_t kFollowsPose = 1u << 28, kFollowsVelocity = 1u << 29;
constexpr std::uint32_t kHermitePosition = 1u << 30, kHermiteOrientation = 1u << 31;
// Flags of degrees 3 that a head of degrees 0 has for a body that is carried; kFollowsVelocity as elsewhere.
constexpr std::uint32_t kCarried = kFollowsPose | kHermitePosition | kHermiteOrientation;
// Of a body that turns: q_degree 1 as well.
constexpr std::uint32_t kTurns = 1u << (kBodyBits + 2);
// Beside the number of heads: bodies that fixed joints hold on others of the row, and that it does not name, follow.
constexpr std::uint32_t kHeldFollow = 1u << 31;

bool same(const double* a, const double* b, int count) {
  return std::memcmp(a, b, static_cast<std::size_t>(count) * sizeof(double)) == 0;
}

void rateOf(const double* q, const double* w, double* rate) {
  rate[0] = -0.5 * (w[0] * q[1] + (w[1] * q[2] + w[2] * q[3]));
  rate[1] = 0.5 * (q[0] * w[0] + (w[1] * q[3] - w[2] * q[2]));
  rate[2] = 0.5 * (q[0] * w[1] + (w[2] * q[1] - w[0] * q[3]));
  rate[3] = 0.5 * (q[0] * w[2] + (w[0] * q[2] - w[1] * q[1]));
}

}  // namespace

void hermitePosition(double h, int degree, const double* v0, const double* v1, double (*p)[3]) {
  if (degree == 2) {
    const double half = h / 2;
    for (int k = 0; k < 3; ++k) p[1][k] = p[0][k] + half * v0[k];
  } else if (degree == 3) {
    const double third = h / 3;
    for (int k = 0; k < 3; ++k) {
      p[1][k] = p[0][k] + third * v0[k];
      p[2][k] = p[3][k] - third * v1[k];
    }
  }
}

void hermiteOrientation(double h, int degree, const double* w0, const double* w1, double (*q)[4]) {
  double rate[4];
  if (degree == 2) {
    rateOf(q[0], w0, rate);
    const double half = h / 2;
    for (int k = 0; k < 4; ++k) q[1][k] = q[0][k] + half * rate[k];
  } else if (degree == 3) {
    const double third = h / 3;
    rateOf(q[0], w0, rate);
    for (int k = 0; k < 4; ++k) q[1][k] = q[0][k] + third * rate[k];
    rateOf(q[3], w1, rate);
    for (int k = 0; k < 4; ++k) q[2][k] = q[3][k] - third * rate[k];
  }
}

void MotionPacker::carry(std::vector<Carriage> carriages) {
  carriages_ = std::move(carriages);
  held_.assign(carriages_.size(), {});
  ends_.assign(carriages_.size(), {});
  for (std::size_t i = 0; i < carriages_.size(); ++i)
    if (carriages_[i].carrier >= 0 && !carriages_[i].turns)
      held_[static_cast<std::size_t>(carriages_[i].carrier)].push_back(static_cast<int>(i));
}

/// Whether the end of a piece is that which its carrier's gives it, and the rest follows.
bool MotionPacker::isCarried(const kernel::Piece& m, std::uint32_t flags, const Turning& turning) const {
  const auto body = static_cast<std::size_t>(m.body);
  if ((flags & kCarried) != kCarried || m.p_degree != 3 || m.q_degree != 3 || body >= carriages_.size() ||
      carriages_[body].carrier < 0)
    return false;
  const Carriage& carriage = carriages_[body];
  const BodyEnd& carrier = ends_[static_cast<std::size_t>(carriage.carrier)];
  if (!carrier.known) return false;
  double p[3], q[4], velocity[6];
  recorded::carry(carriage, turning, carrier.p, carrier.q, carrier.velocity, p, q, velocity);
  return same(p, m.p[3], 3) && same(q, m.q[3], 4) && same(velocity, m.velocity + 6, 6);
}

void MotionPacker::add(const kernel::Piece& m, BodyEnd& end, const Turning& turning) {
  if (finished_) {
    heads_.clear(), numbers_.clear(), blob_.clear();
    for (BodyEnd& other : ends_) other.known = false;
    finished_ = false;
  }
  const std::size_t before = numbers_.size();
  std::uint32_t head = static_cast<std::uint32_t>(m.body) | static_cast<std::uint32_t>(m.p_degree) << kBodyBits |
                       static_cast<std::uint32_t>(m.q_degree) << (kBodyBits + 2);
  const auto put = [&](const double* x, int count) { numbers_.insert(numbers_.end(), x, x + count); };
  // A pose that does not move is written out: the piece after it leans on its own row alone.
  const bool moves = m.p_degree > 0 && m.q_degree > 0;
  if (moves && end.known && same(m.p[0], end.p, 3) && same(m.q[0], end.q, 4)) head |= kFollowsPose;
  else put(m.p[0], 3), put(m.q[0], 4);
  if (end.known && same(m.velocity, end.velocity, 6)) head |= kFollowsVelocity;
  else put(m.velocity, 6);
  kernel::Piece guess = m;
  const double h = m.t1 - m.t0;
  if (m.p_degree > 1) {
    hermitePosition(h, m.p_degree, m.velocity, m.velocity + 6, guess.p);
    if (same(guess.p[1], m.p[1], 3 * (m.p_degree - 1))) head |= kHermitePosition;
    else put(m.p[1], 3 * (m.p_degree - 1));
  }
  if (m.p_degree > 0) put(m.p[m.p_degree], 3);
  if (m.q_degree > 1) {
    hermiteOrientation(h, m.q_degree, m.velocity + 3, m.velocity + 9, guess.q);
    if (same(guess.q[1], m.q[1], 4 * (m.q_degree - 1))) head |= kHermiteOrientation;
    else put(m.q[1], 4 * (m.q_degree - 1));
  }
  if (m.q_degree > 0) put(m.q[m.q_degree], 4);
  put(m.velocity + 6, 6);
  const auto body = static_cast<std::size_t>(m.body);
  const bool turns = body < carriages_.size() && carriages_[body].turns;
  // Curves of quaternions keep to one side: theirs may be the opposite of the joint's.
  for (const double sign : {1.0, -1.0}) {
    const Turning as{sign * turning.cosine, sign * turning.sine, turning.rate};
    if (!isCarried(m, head, as)) continue;
    numbers_.resize(before);
    if (!(head & kFollowsVelocity)) put(m.velocity, 6);
    head = static_cast<std::uint32_t>(m.body) | kCarried | (head & kFollowsVelocity);
    if (turns) head |= kTurns, put(&as.cosine, 1), put(&as.sine, 1), put(&as.rate, 1);
    break;
  }
  heads_.push_back(head);
  end.known = true;
  std::memcpy(end.p, m.p[m.p_degree], sizeof end.p);
  std::memcpy(end.q, m.q[m.q_degree], sizeof end.q);
  std::memcpy(end.velocity, m.velocity + 6, sizeof end.velocity);
  if (body < ends_.size()) ends_[body] = end;
}

/// Bodies of which nothing is left but that fixed joints hold them need no head, where none is missing.
void MotionPacker::leaveOutHeld() {
  constexpr std::uint32_t kBare = kCarried | kFollowsVelocity;
  const auto bodyOf = [](std::uint32_t head) { return static_cast<std::size_t>(head & kBodyMask); };
  const auto bare = [](std::uint32_t head) { return (head & ~kBodyMask) == kBare; };
  if (std::none_of(heads_.begin(), heads_.end(), bare)) return;
  for (const std::uint32_t head : heads_)
    if (bodyOf(head) < held_.size())
      for (const int held : held_[bodyOf(head)])
        if (!ends_[static_cast<std::size_t>(held)].known) return;
  std::erase_if(heads_, bare);
  held_follow_ = true;
}

const Bytes& MotionPacker::finish() {
  if (finished_) return blob_;
  held_follow_ = false;
  leaveOutHeld();
  BlobWriter out(blob_);
  out.add(static_cast<std::uint32_t>(heads_.size()) | (held_follow_ ? kHeldFollow : 0));
  for (const std::uint32_t head : heads_) out.add(head);
  out.align();
  out.add(numbers_.data(), static_cast<int>(numbers_.size()));
  finished_ = true;
  return blob_;
}

namespace {

constexpr const char* kNoBody = "names a body that the model does not have";

/// Fixed joints hold it on another of the row, and that does not name it.
bool isHeld(std::span<const Carriage> bodies, const std::vector<char>& named, std::size_t i) {
  const Carriage& c = bodies[i];
  return !named[i] && c.carrier >= 0 && !c.turns && named[static_cast<std::size_t>(c.carrier)];
}

/// What a head says; the numbers are still to be read.
void begin(std::uint32_t head, double t0, double t1, std::span<const Carriage> bodies, PackedMotion& motion) {
  kernel::Piece& m = motion.piece;
  motion.body = m.body = static_cast<int>(head & kBodyMask);
  if (static_cast<std::size_t>(m.body) >= bodies.size()) throw BlobError{kNoBody};
  const Carriage& carriage = bodies[static_cast<std::size_t>(m.body)];
  m.p_degree = static_cast<int>(head >> kBodyBits & 3), m.q_degree = static_cast<int>(head >> (kBodyBits + 2) & 3);
  motion.follows_pose = head & kFollowsPose, motion.follows_velocity = head & kFollowsVelocity;
  motion.hermite_position = head & kHermitePosition, motion.hermite_orientation = head & kHermiteOrientation;
  motion.carried = (head & kCarried) == kCarried && m.p_degree == 0 && m.q_degree == (carriage.turns ? 1 : 0) &&
                   carriage.carrier >= 0;
  if (motion.carried) m.p_degree = m.q_degree = 3;
  if ((motion.follows_pose && (m.p_degree == 0 || m.q_degree == 0)) || (motion.hermite_position && m.p_degree < 2) ||
      (motion.hermite_orientation && m.q_degree < 2))
    throw BlobError{"leaves out what its degrees do not have"};
  m.t0 = t0, m.t1 = t1;
}

/// Adds the bodies that fixed joints hold on others of the row, and that it does not name.
void addHeld(double t0, double t1, std::span<const Carriage> bodies, std::vector<PackedMotion>& row) {
  std::vector<char> named(bodies.size(), 0);
  for (const PackedMotion& motion : row) named[static_cast<std::size_t>(motion.body)] = 1;
  for (std::size_t i = 0; i < bodies.size(); ++i)
    if (isHeld(bodies, named, i))
      begin(static_cast<std::uint32_t>(i) | kCarried | kFollowsVelocity, t0, t1, bodies, row.emplace_back());
}

/// Gives those that are carried their ends, carriers first.
class EndCarrier {
 public:
  EndCarrier(std::span<const Carriage> bodies, std::vector<PackedMotion>& row)
      : bodies_(bodies), row_(row), place_(bodies.size(), -1), state_(row.size(), kUntouched) {
    for (std::size_t i = row.size(); i-- > 0;) place_[static_cast<std::size_t>(row[i].body)] = static_cast<int>(i);
  }
  /// @throws BlobError where a carrier is not there.
  void carryAll() {
    for (std::size_t i = 0; i < row_.size(); ++i) carryTo(i);
  }

 private:
  void carryTo(std::size_t i) {
    PackedMotion& motion = row_[i];
    if (!motion.carried || state_[i] == kDone) return;
    const Carriage& carriage = bodies_[static_cast<std::size_t>(motion.body)];
    const int on = place_[static_cast<std::size_t>(carriage.carrier)];
    if (on < 0 || state_[i] == kBegun) throw BlobError{"carries a body that hangs on nothing"};
    state_[i] = kBegun;
    carryTo(static_cast<std::size_t>(on));
    state_[i] = kDone;
    const kernel::Piece& from = row_[static_cast<std::size_t>(on)].piece;
    kernel::Piece& m = motion.piece;
    carry(carriage, motion.turning, from.p[from.p_degree], from.q[from.q_degree], from.velocity + 6, m.p[3], m.q[3],
          m.velocity + 6);
  }

  enum State : char { kUntouched, kBegun, kDone };
  std::span<const Carriage> bodies_;
  std::vector<PackedMotion>& row_;
  std::vector<int> place_;  // In the row, of each body; -1: not there.
  std::vector<State> state_;
};

}  // namespace

void unpackMotions(std::span<const unsigned char> blob, double t0, double t1, std::span<const Carriage> bodies,
                   std::vector<PackedMotion>& out) {
  BlobReader in(blob);
  const std::uint32_t counted = in.u32(), count = counted & ~kHeldFollow;
  in.need(std::size_t{count} * 4);
  if (count == 0) throw BlobError{"holds no piece"};
  out.resize(count);
  for (PackedMotion& motion : out) begin(in.u32(), t0, t1, bodies, motion);
  in.align();
  for (PackedMotion& motion : out) {
    kernel::Piece& m = motion.piece;
    if (!motion.follows_pose) in.reals(m.p[0], 3), in.reals(m.q[0], 4);
    if (!motion.follows_velocity) in.reals(m.velocity, 6);
    if (motion.carried) {
      Turning& turning = motion.turning;
      if (bodies[static_cast<std::size_t>(motion.body)].turns)
        turning.cosine = in.real(), turning.sine = in.real(), turning.rate = in.real();
      continue;
    }
    if (m.p_degree > 1 && !motion.hermite_position) in.reals(m.p[1], 3 * (m.p_degree - 1));
    if (m.p_degree > 0) in.reals(m.p[m.p_degree], 3);
    if (m.q_degree > 1 && !motion.hermite_orientation) in.reals(m.q[1], 4 * (m.q_degree - 1));
    if (m.q_degree > 0) in.reals(m.q[m.q_degree], 4);
    in.reals(m.velocity + 6, 6);
  }
  in.requireEnd();
  if (counted & kHeldFollow) addHeld(t0, t1, bodies, out);
  if (std::any_of(out.begin(), out.end(), [](const PackedMotion& motion) { return motion.carried; }))
    EndCarrier(bodies, out).carryAll();
}

void countMotions(std::span<const unsigned char> blob, std::span<const Carriage> bodies,
                  std::span<std::size_t> counts) {
  BlobReader in(blob);
  const std::uint32_t counted = in.u32(), count = counted & ~kHeldFollow;
  in.need(std::size_t{count} * 4);
  std::vector<char> named(bodies.size(), 0);
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::size_t body = in.u32() & kBodyMask;
    if (body >= bodies.size()) throw BlobError{kNoBody};
    ++counts[body], named[body] = 1;
  }
  for (std::size_t i = 0; (counted & kHeldFollow) && i < bodies.size(); ++i) counts[i] += isHeld(bodies, named, i);
}

void complete(PackedMotion& motion, BodyEnd& end) {
  kernel::Piece& m = motion.piece;
  if ((motion.follows_pose || motion.follows_velocity) && !end.known)
    throw BlobError{"follows a piece that is not there"};
  if (motion.follows_pose) std::memcpy(m.p[0], end.p, sizeof end.p), std::memcpy(m.q[0], end.q, sizeof end.q);
  if (motion.follows_velocity) std::memcpy(m.velocity, end.velocity, sizeof end.velocity);
  const double h = m.t1 - m.t0;
  if (motion.hermite_position) hermitePosition(h, m.p_degree, m.velocity, m.velocity + 6, m.p);
  if (motion.hermite_orientation) hermiteOrientation(h, m.q_degree, m.velocity + 3, m.velocity + 9, m.q);
  bool finite = true;  // The formulas may overflow.
  for (int i = 0; i <= m.p_degree; ++i)
    for (const double x : m.p[i]) finite &= std::isfinite(x);
  for (int i = 0; i <= m.q_degree; ++i)
    for (const double x : m.q[i]) finite &= std::isfinite(x);
  for (const double x : m.velocity) finite &= std::isfinite(x);
  if (!finite) throw BlobError{"gives a motion that is not finite"};
  end.known = true;
  std::memcpy(end.p, m.p[m.p_degree], sizeof end.p);
  std::memcpy(end.q, m.q[m.q_degree], sizeof end.q);
  std::memcpy(end.velocity, m.velocity + 6, sizeof end.velocity);
}

}  // namespace rigor::verify::recorded
