// SPDX-License-Identifier: MIT
#include "impact/models/step_path.h"

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <numbers>

#include "elementary/elementary.h"

namespace rigor::impact {
namespace {

// Rates below this, of the largest along the path, are rounding and block nothing.
constexpr double kRateTolerance = 1e-11;
// Blocks this close together, of order-one quantities, are ties: the fastest is the best pivot.
constexpr double kPathTie = 1e-13;
// Velocities that are zero in a mode are so up to this, of order-one quantities, or refined.
constexpr double kResting = 1e-13;
// Pivots of a path, per row.
constexpr int kPivotsPerRow = 40;

/// Exchanges the basic variable of row r with the nonbasic one of column e in a tableau of `count` rows; r may be
/// another row behind them. A width known to the compiler makes straight code of the inner loops.
template <int kWidth>
inline void exchangeRows(double* T, int width, int count, int r, int e) {
  if constexpr (kWidth > 0) width = kWidth;
  double* __restrict pivot_row = T + static_cast<long>(r) * width;
  const double inverse = 1 / pivot_row[e];
  for (int j = 0; j < width; ++j) pivot_row[j] *= -inverse;
  pivot_row[e] = inverse;
  for (int i = 0; i < count; ++i) {
    if (i == r) continue;
    double* __restrict other = T + static_cast<long>(i) * width;
    const double factor = other[e];
    if (factor == 0) continue;
    other[e] = 0;
    for (int j = 0; j < width; ++j) other[j] += factor * pivot_row[j];
  }
}

// As in lemke.cc: wider registers where the processor has them, the same bits.
#if defined(__x86_64__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
__attribute__((target_clones("avx2", "default")))
#endif
void exchangeLongRows(double* T, int width, int count, int r, int e) {
  exchangeRows<0>(T, width, count, r, e);
}

}  // namespace

void StepPath::prepare(const ImpactProblem& problem, const std::vector<double>& friction, int cone_edges) {
  rows_.prepare(problem, friction);
  const int m = problem.numContacts();
  edges_ = cone_edges;
  size_ = rows_.numRows();
  // Even, so that rows start on 16 bytes.
  stride_ = (size_ + 2) & ~1;
  for (auto* t : {&cos_, &sin_, &cos_half_, &sin_half_}) t->resize(edges_);
  for (int k = 0; k < edges_; ++k) {
    const double angle = 2 * std::numbers::pi / edges_;
    cos_[k] = elementary::cos(angle * k), sin_[k] = elementary::sin(angle * k);
    cos_half_[k] = elementary::cos(angle * (k + 0.5)), sin_half_[k] = elementary::sin(angle * (k + 0.5));
  }
  start_.resize(m);
  // v = P A Q (lambda_n, h): P turns tangential velocities into the first frame, Q takes the slacks to impulses.
  Eigen::MatrixXd P = Eigen::MatrixXd::Identity(size_, size_), Q = P;
  for (int i = 0; i < m; ++i) {
    Contact& c = start_[i];
    const double mu = friction[i];
    const int r = rows_.row[i], k = rows_.tangents[i];
    c = {r, k, mu, 1 / std::max(1.0, mu), 0, 0, 0, Normal::kSeparated, Friction::kVertex, 0, 0, 0, 0, {}};
    if (k == 1) {
      // h_0 = scale (mu lambda_n - lambda_t), h_1 = scale (mu lambda_n + lambda_t)
      c.reach = mu * c.scale;
      Q(r + 1, r) = mu, Q(r + 1, r + 1) = -1 / c.scale;
    } else if (k == 2) {
      c.reach = mu * c.scale * elementary::cos(std::numbers::pi / edges_);
      setSides(c, edges_ - 1, 0);
      Eigen::Matrix2d sides;
      sides << cos_half_[c.first], sin_half_[c.first], cos_half_[c.second], sin_half_[c.second];
      const Eigen::Matrix2d inverse = sides.inverse();
      Q.block<2, 1>(r + 1, r) = inverse * Eigen::Vector2d::Constant(c.reach / c.scale);
      Q.block<2, 2>(r + 1, r + 1) = -inverse / c.scale;
      P.block<2, 2>(r + 1, r + 1) << cos_half_[0], sin_half_[0], -sin_half_[0], cos_half_[0];
    }
  }
  const Eigen::MatrixXd A = P * rows_.A * Q;
  start_table_.assign(static_cast<std::size_t>(size_) * static_cast<std::size_t>(stride_), 0.0);
  for (int r = 0; r < size_; ++r)
    for (int c = 0; c < size_; ++c) start_table_[static_cast<std::size_t>(r * stride_ + c)] = A(r, c);
  table_.resize(static_cast<std::size_t>(size_ + 1) * static_cast<std::size_t>(stride_));
  in_row_.resize(size_);
  change_.resize(size_);
  at_.resize(2 * size_ + 1);
  value_.resize(2 * size_ + 1);
  rate_.resize(2 * size_ + 1);
  impulse_.reserve(8 * static_cast<std::size_t>(size_));
  velocity_.reserve(8 * static_cast<std::size_t>(size_));
}

void StepPath::setSides(Contact& c, int first, int second) const {
  c.first = first, c.second = second;
  if (c.tangents < 2) return;
  const double inverse = 1 / sin_[wrap(second - first)];
  c.inverse[0] = sin_half_[second] * inverse, c.inverse[1] = -sin_half_[first] * inverse;
  c.inverse[2] = -cos_half_[second] * inverse, c.inverse[3] = cos_half_[first] * inverse;
}

// h_side as a combination of the contact's impulse coordinates.
void StepPath::sideShares(const Contact& c, int side, double& on_normal, double& on_first, double& on_second) const {
  if (c.tangents == 1) {
    on_first = side == c.first ? 1 : -1;
    on_second = 0;
  } else {
    on_first = cos_half_[side] * c.inverse[0] + sin_half_[side] * c.inverse[2];
    on_second = cos_half_[side] * c.inverse[1] + sin_half_[side] * c.inverse[3];
  }
  on_normal = c.reach * (1 - on_first - on_second);
}

// The first condition of the present modes that the path meets; event kNone where it goes on for ever.
template <class Meet>
void StepPath::meetFriction(const Contact& c, const Meet& meet) {
  const double* const value = value_.data();
  const double* const rate = rate_.data();
  const int n = c.row, v = size_ + c.row;
  if (c.tangents == 0) return;
  if (c.tangents == 1) {
    if (c.friction == Friction::kVertex) {
      const double sign = c.k == 0 ? -1 : 1;
      meet(sign * value[v + 1], sign * rate[v + 1], Event::kMean, c.k);
    } else {
      meet(value[n + 1], rate[n + 1], Event::kSide, c.first);
      meet(2 * c.reach * value[n] - value[n + 1], 2 * c.reach * rate[n] - rate[n + 1], Event::kSide, 1 - c.first);
    }
    return;
  }
  if (c.friction == Friction::kVertex) {
    // The velocity along the sides k and k - 1 points away from their other ends.
    for (const int back : {0, 1}) {
      const int side = wrap(c.k - back), turn = wrap(side - c.frame);
      const double sign = back ? -1 : 1;
      meet(sign * (cos_[turn] * value[v + 2] - sin_[turn] * value[v + 1]),
           sign * (cos_[turn] * rate[v + 2] - sin_[turn] * rate[v + 1]), Event::kAlong, side);
    }
    return;
  }
  // The slacks of the other sides from the tangential impulse.
  const double reach = c.reach * value[n], d_reach = c.reach * rate[n];
  const double p = reach - value[n + 1], q = reach - value[n + 2], dp = d_reach - rate[n + 1],
               dq = d_reach - rate[n + 2];
  const double x = c.inverse[0] * p + c.inverse[1] * q, y = c.inverse[2] * p + c.inverse[3] * q;
  const double dx = c.inverse[0] * dp + c.inverse[1] * dq, dy = c.inverse[2] * dp + c.inverse[3] * dq;
  const auto meetSide = [&](int side) {
    if (side == c.first) {
      meet(value[n + 1], rate[n + 1], Event::kSide, side);
    } else if (side == c.second) {
      meet(value[n + 2], rate[n + 2], Event::kSide, side);
    } else {
      meet(reach - cos_half_[side] * x - sin_half_[side] * y, d_reach - cos_half_[side] * dx - sin_half_[side] * dy,
           Event::kSide, side);
    }
  };
  if (c.friction == Friction::kBetween) {
    meet(-value[v + 1], -rate[v + 1], Event::kMean, c.k);
    meetSide(wrap(c.k - 1));
    meetSide(wrap(c.k + 1));
  } else {
    for (int side = 0; side < edges_; ++side) meetSide(side);
  }
}

StepPath::Block StepPath::findBlock() {
  const double* const value = value_.data();
  double* const rate = rate_.data();
  double largest = 1;  // the driver's
  const double* entry = table_.data() + column_;
  for (int r = 0; r < size_; ++r, entry += stride_) {
    const double x = *entry * direction_;
    rate[in_row_[r]] = x;
    largest = std::max(largest, std::abs(x));
  }
  rate[driver_] = direction_;
  const double least = kRateTolerance * largest;
  Block block{HUGE_VAL, 0, -1, Event::kNone, 0};
  const double tie = kPathTie * scale_ / largest;
  // A quantity that stays >= 0, now x, changing by dx.
  const auto meet = [&](double x, double dx, int contact, Event event, int side) {
    if (!(dx < -least)) return;
    const double t = x > 0 ? x / -dx : 0;
    if (!(t < HUGE_VAL)) return;  // No limit.
    if (t > block.t + tie || (t >= block.t - tie && dx >= block.rate)) return;
    block = {t, dx, contact, event, side};
  };
  for (int i = 0; i < static_cast<int>(contacts_.size()); ++i) {
    const Contact& c = contacts_[i];
    const int n = c.row, v = size_ + c.row;
    if (c.normal == Normal::kSeparated) {
      meet(value[v], rate[v], i, Event::kNormalVelocity, 0);
      continue;
    }
    if (c.normal == Normal::kGiven) {
      meet(value[v], rate[v], i, Event::kNormalVelocity, 0);
    } else if (c.normal == Normal::kSaturated) {
      meet(-value[v], -rate[v], i, Event::kNormalVelocity, 0);
    } else {
      // Without a given impulse the cone ends there, and its sides say so.
      if (c.least > 0 || c.tangents == 0 || c.friction == Friction::kVertex)
        meet(value[n] - c.least, rate[n], i, Event::kNormalLeast, 0);
      meet(c.most - value[n], -rate[n], i, Event::kLimit, 0);
    }
    meetFriction(c, [&](double x, double dx, Event event, int side) { meet(x, dx, i, event, side); });
  }
  return block;
}

void StepPath::move(double t) {
  for (int r = 0; r < size_; ++r) value_[in_row_[r]] += t * rate_[in_row_[r]];
  value_[driver_] += t * direction_;
}

// Exchanges the basic coordinate of row r with the nonbasic one of column e; values are the caller's.
void StepPath::exchange(int r, int e) {
  ++stats_.pivots;
  double* const T = table_.data();
  switch (stride_) {
    case 4: return exchangeRows<4>(T, 4, size_, r, e);
    case 6: return exchangeRows<6>(T, 6, size_, r, e);
    case 8: return exchangeRows<8>(T, 8, size_, r, e);
    case 10: return exchangeRows<10>(T, 10, size_, r, e);
    case 12: return exchangeRows<12>(T, 12, size_, r, e);
    case 14: return exchangeRows<14>(T, 14, size_, r, e);
    default: return exchangeLongRows(T, stride_, size_, r, e);
  }
}

// Adds a multiple of a coordinate to a row.
void StepPath::addTo(double* target, double factor, int coordinate) {
  if (at_[coordinate] < 0) {
    target[-1 - at_[coordinate]] += factor;
    return;
  }
  const double* source = row(at_[coordinate]);
  for (int j = 0; j < stride_; ++j) target[j] += factor * source[j];
}

// A coordinate becomes fixed at `bound`, the driver takes its row.
void StepPath::leave(int coordinate, double bound) {
  value_[coordinate] = bound;
  rate_[coordinate] = 0;
  if (coordinate == driver_) return;  // Its own bound.
  const int r = at_[coordinate];
  exchange(r, column_);
  at_[coordinate] = -1 - column_;
  at_[driver_] = r;
  in_row_[r] = driver_;
}

// h_side becomes fixed at 0: made a coordinate if it is none, in the place of the one that it depends on most.
void StepPath::leaveSide(Contact& c, int side) {
  const int n = c.row;
  if (side == c.first) return leave(n + 1, 0);
  if (c.tangents == 2 && side == c.second) return leave(n + 2, 0);
  double f, g, h;
  sideShares(c, side, f, g, h);
  int place = n + 1;
  if (c.tangents == 2) {
    // Which of the two goes: never one that is fixed, nor so that two opposite sides are left.
    const auto movable = [&](int coordinate) { return at_[coordinate] >= 0 || coordinate == driver_; };
    const auto opposite = [&](int other) { return 2 * wrap(side - other) == edges_; };
    const bool first = movable(n + 1) && !opposite(c.second), second = movable(n + 2) && !opposite(c.first);
    if (second && (!first || std::abs(h) > std::abs(g))) place = n + 2;
  }
  double* const scratch = row(size_);
  std::fill_n(scratch, stride_, 0.0);
  addTo(scratch, f, n);
  addTo(scratch, g, n + 1);
  if (c.tangents == 2) addTo(scratch, h, n + 2);
  setSides(c, place == n + 1 ? side : c.first, place == n + 1 ? c.second : side);
  if (place == driver_) {
    exchange(size_, column_);  // The scratch row is then the old coordinate's, which is not needed any more.
    value_[place] = rate_[place] = 0;
    return;
  }
  std::copy_n(scratch, stride_, row(at_[place]));
  leave(place, 0);
}

// The velocity along `side` becomes fixed at 0; the contact's tangential velocities are measured in that frame from
// then on.
void StepPath::leaveAlong(Contact& c, int side) {
  const int across = size_ + c.row + 1, along = across + 1, turn = wrap(side - c.frame);
  c.frame = side;
  const double cosine = cos_[turn], sine = sin_[turn];
  value_[across] = cosine * value_[across] + sine * value_[along];
  double* const scratch = row(size_);
  if (along != driver_) {
    double *a = row(at_[across]), *b = row(at_[along]);
    for (int j = 0; j < stride_; ++j) {
      const double x = a[j], y = b[j];
      a[j] = cosine * x + sine * y;
      b[j] = cosine * y - sine * x;
    }
    leave(along, 0);
    return;
  }
  std::fill_n(scratch, stride_, 0.0);
  addTo(scratch, cosine, along);
  addTo(scratch, -sine, across);
  exchange(size_, column_);
  double* a = row(at_[across]);
  for (int j = 0; j < stride_; ++j) a[j] = cosine * a[j] + sine * scratch[j];
  value_[along] = rate_[along] = 0;
}

// Impulse coordinates for the cone's edge against which the contact would slip; all of them are nonbasic and zero.
void StepPath::enterCone(Contact& c) {
  if (c.tangents == 0) return;
  const int n = c.row, v = size_ + c.row;
  c.friction = Friction::kVertex;
  int first = c.first, second = c.second;
  if (c.tangents == 1) {
    c.k = value_[v + 1] <= 0 ? 0 : 1;
    first = c.k;
    if (first == c.first) return;
  } else {
    double least = HUGE_VAL;
    for (int k = 0; k < edges_; ++k) {
      // d_k in the frame of side `frame`: half a side before it.
      const int turn = wrap(wrap(k - c.frame) - 1);
      const double along = cos_half_[turn] * value_[v + 1] + sin_half_[turn] * value_[v + 2];
      if (along < least) least = along, c.k = k;
    }
    first = wrap(c.k - 1), second = c.k;
    if (first == c.first && second == c.second) return;
  }
  // Old coordinates as combinations of the new ones.
  Contact now = c;
  setSides(now, first, second);
  double f1, g1, h1, f2 = 0, g2 = 0, h2 = 0;
  sideShares(now, c.first, f1, g1, h1);
  if (c.tangents == 2) sideShares(now, c.second, f2, g2, h2);
  const int at_n = -1 - at_[n], at_1 = -1 - at_[n + 1], at_2 = c.tangents == 2 ? -1 - at_[n + 2] : 0;
  for (int r = 0; r < size_; ++r) {
    double* const T = row(r);
    const double a = T[at_1], b = c.tangents == 2 ? T[at_2] : 0;
    T[at_n] += f1 * a + f2 * b;
    T[at_1] = g1 * a + g2 * b;
    if (c.tangents == 2) T[at_2] = h1 * a + h2 * b;
  }
  setSides(c, first, second);
}

// Tangential velocities, both fixed at zero, in the frame of `side`.
void StepPath::turnColumns(Contact& c, int side) {
  const int turn = wrap(side - c.frame);
  c.frame = side;
  if (turn == 0) return;
  const int across = -1 - at_[size_ + c.row + 1], along = -1 - at_[size_ + c.row + 2];
  for (int r = 0; r < size_; ++r) {
    double* const T = row(r);
    const double x = T[across], y = T[along];
    T[across] = cos_[turn] * x + sin_[turn] * y;
    T[along] = cos_[turn] * y - sin_[turn] * x;
  }
}

void StepPath::release(int coordinate, double direction) {
  driver_ = coordinate;
  column_ = -1 - at_[coordinate];
  direction_ = direction;
}

// The contact that blocks changes its mode: what it met is fixed, what the new mode leaves free drives the path.
void StepPath::change(const Block& block) {
  Contact& c = contacts_[block.contact];
  const int n = c.row, v = size_ + c.row;
  switch (block.event) {
    case Event::kNone: break;
    case Event::kNormalVelocity:
      leave(v, 0);
      if (c.normal == Normal::kSeparated) enterCone(c);
      release(n, c.normal == Normal::kSaturated ? -1 : 1);
      c.normal = Normal::kCompressing;
      break;
    case Event::kNormalLeast:
      leave(n, c.least);
      c.normal = c.least > 0 ? Normal::kGiven : Normal::kSeparated;
      release(v, 1);
      break;
    case Event::kLimit:
      leave(n, c.most);
      c.normal = Normal::kSaturated;
      release(v, -1);
      break;
    case Event::kMean:  // Slip ends: side k is left (planar: the edge k, whose slack is h_k).
      leave(v + 1, 0);
      c.friction = Friction::kStick;
      release(c.first == c.k ? n + 1 : n + 2, 1);
      break;
    case Event::kAlong:
      leaveAlong(c, block.side);
      c.friction = Friction::kBetween;
      // At the edge k the slacks of the sides k - 1 and k vanish; the one that is left grows.
      release((block.side == c.k) == (c.first == c.k) ? n + 2 : n + 1, 1);
      c.k = block.side;
      break;
    case Event::kSide:
      leaveSide(c, block.side);
      if (c.tangents == 1) {
        c.friction = Friction::kVertex;
        c.k = block.side;
        release(v + 1, c.k == 0 ? -1 : 1);
      } else if (c.friction == Friction::kStick) {
        c.friction = Friction::kBetween;
        c.k = block.side;
        turnColumns(c, block.side);
        release(v + 1, -1);
      } else {
        // Along side k to its end: the edge k or k + 1.
        c.friction = Friction::kVertex;
        const bool forward = block.side == wrap(c.k + 1);
        if (forward) c.k = block.side;
        release(v + 2, forward ? -1 : 1);
      }
      break;
  }
}

// Impulses from a contact's coordinates (lambda_n, h_first, h_second).
void StepPath::impulseOf(const Contact& c, const double* coordinates, double* f) const {
  f[0] = coordinates[0];
  if (c.tangents == 1) {
    const double side = c.mu * f[0] - coordinates[1] / c.scale;
    f[1] = c.first == 0 ? side : -side;
  } else if (c.tangents == 2) {
    const double p = (c.reach * f[0] - coordinates[1]) / c.scale, q = (c.reach * f[0] - coordinates[2]) / c.scale;
    f[1] = c.inverse[0] * p + c.inverse[1] * q;
    f[2] = c.inverse[2] * p + c.inverse[3] * q;
  }
}

// What rounding left of the velocities y that are fixed at zero is taken back: with large friction the slacks h are
// large numbers whose small differences are the impulses. The correction is small, and exact enough.
void StepPath::refine(double* f, double* y, const double* b) {
  const auto velocities = [&] {
    for (int r = 0; r < size_; ++r) {
      y[r] = b[r];
      for (int j = 0; j < size_; ++j) y[r] += rows_.A(r, j) * f[j];
    }
  };
  velocities();
  bool any = false;
  std::fill_n(change_.begin(), size_, 0.0);
  for (const Contact& c : contacts_) {
    const int v = size_ + c.row;
    double turned[3] = {y[c.row], 0, 0};
    if (c.tangents == 1) turned[1] = y[c.row + 1];
    if (c.tangents == 2) {
      const double C = cos_half_[c.frame], S = sin_half_[c.frame], p = y[c.row + 1], q = y[c.row + 2];
      turned[1] = C * p + S * q, turned[2] = C * q - S * p;
    }
    for (int k = 0; k <= c.tangents; ++k) {
      if (at_[v + k] >= 0 || v + k == driver_ || !(std::abs(turned[k]) > kResting * scale_)) continue;
      any = true;
      for (int r = 0; r < size_; ++r)
        if (in_row_[r] < size_) change_[in_row_[r]] -= turned[k] * row(r)[-1 - at_[v + k]];
    }
  }
  if (!any) return;
  for (const Contact& c : contacts_) {
    double change[3];
    impulseOf(c, change_.data() + c.row, change);
    for (int k = 0; k <= c.tangents; ++k) f[c.row + k] += change[k];
    f[c.row] = std::max(0.0, f[c.row]);
  }
  velocities();
}

// The solution that the path meets t ahead, unless its velocities are known.
void StepPath::record(double t, const double* b, bool compare) {
  impulse_.resize(static_cast<std::size_t>(found_ + 1) * static_cast<std::size_t>(size_));
  velocity_.resize(impulse_.size());
  double* const f = impulse_.data() + static_cast<std::size_t>(found_) * static_cast<std::size_t>(size_);
  double* const y = velocity_.data() + static_cast<std::size_t>(found_) * static_cast<std::size_t>(size_);
  for (const Contact& c : contacts_) {
    double coordinates[3];
    for (int k = 0; k <= c.tangents; ++k) coordinates[k] = value_[c.row + k] + t * rate_[c.row + k];
    if (c.normal == Normal::kSeparated) std::fill_n(coordinates, 3, 0.0);
    coordinates[0] = std::max(0.0, coordinates[0]);
    impulseOf(c, coordinates, f + c.row);
  }
  if (!compare) {
    ++found_;
    return;
  }
  refine(f, y, b);
  for (int k = 0; k < found_; ++k) {
    const double* other = velocity_.data() + static_cast<std::size_t>(k) * static_cast<std::size_t>(size_);
    double apart = 0;
    for (int r = 0; r < size_; ++r) apart = std::max(apart, std::abs(y[r] - other[r]));
    if (apart <= kSameSolution) return;
  }
  ++found_;
}

// Sets the values and rates of all velocities, so far out that every contact separates and those with a given impulse
// slip along the direction. @returns tau there; not finite if there is none.
double StepPath::start(const double* b, const double* covering) {
  // The impulses given, each on the edge of its cone that the direction leads to.
  const double* y = b;
  if (std::any_of(contacts_.begin(), contacts_.end(), [](const Contact& c) { return c.least > 0; })) {
    for (Contact& c : contacts_) {
      std::fill_n(change_.data() + c.row, 1 + c.tangents, 0.0);
      if (!(c.least > 0)) continue;
      const int v = size_ + c.row;
      const double C = cos_half_[0], S = sin_half_[0], *d = covering + c.row;
      if (c.tangents == 1) value_[v + 1] = d[1];
      if (c.tangents == 2) value_[v + 1] = C * d[1] + S * d[2], value_[v + 2] = C * d[2] - S * d[1];
      enterCone(c);
      c.normal = Normal::kGiven;
      value_[c.row] = c.least;
      const double coordinates[3] = {c.least, 0, 0};
      impulseOf(c, coordinates, change_.data() + c.row);
    }
    given_velocity_.resize(size_);
    for (int r = 0; r < size_; ++r) {
      given_velocity_[r] = b[r];
      for (int j = 0; j < size_; ++j) given_velocity_[r] += rows_.A(r, j) * change_[j];
    }
    y = given_velocity_.data();
  }
  double tau = 0;
  // x + tau dx stays >= 0 from here on.
  const auto keep = [&](double x, double dx) {
    if (x < 0) tau = std::max(tau, dx > 0 ? -x / dx : HUGE_VAL);
  };
  scale_ = 0;
  for (const Contact& c : contacts_) {
    const int r = c.row, v = size_ + r;
    const auto put = [&](int k, double value, double rate) {
      value_[v + k] = value, rate_[v + k] = rate;
      row(r + k)[size_] = rate;
      scale_ = std::max(scale_, std::abs(value));
    };
    put(0, y[r], covering[r]);
    if (c.tangents == 1) put(1, y[r + 1], covering[r + 1]);
    if (c.tangents == 2) {
      const double C = cos_half_[0], S = sin_half_[0];
      put(1, C * y[r + 1] + S * y[r + 2], C * covering[r + 1] + S * covering[r + 2]);
      put(2, C * y[r + 2] - S * y[r + 1], C * covering[r + 2] - S * covering[r + 1]);
    }
    keep(value_[v], rate_[v]);
    if (c.normal != Normal::kGiven) continue;
    const double sign = c.k == 0 ? -1 : 1;
    if (c.tangents == 1) keep(sign * value_[v + 1], sign * rate_[v + 1]);
    for (int back = 0; c.tangents == 2 && back < 2; ++back) {
      const int turn = wrap(wrap(c.k - back) - c.frame);
      const double C = back ? -cos_[turn] : cos_[turn], S = back ? -sin_[turn] : sin_[turn];
      keep(C * value_[v + 2] - S * value_[v + 1], C * rate_[v + 2] - S * rate_[v + 1]);
    }
  }
  tau += 1;
  for (const Contact& c : contacts_) {
    for (int k = 0; k <= c.tangents; ++k) {
      const int v = size_ + c.row + k;
      value_[v] += tau * rate_[v];
    }
  }
  return tau;
}

int StepPath::follow(const double* b, const double* limit, const double* given, const double* covering, bool all) {
  ++stats_.solves;
  if (!all) found_ = 0;
  contacts_ = start_;
  for (std::size_t i = 0; i < contacts_.size(); ++i) {
    contacts_[i].least = given ? given[i] : 0;
    contacts_[i].most = contacts_[i].least + limit[i];
  }
  std::copy(start_table_.begin(), start_table_.end(), table_.begin());
  const int tau = 2 * size_;
  for (int r = 0; r < size_; ++r) {
    at_[r] = -1 - r;
    at_[size_ + r] = r;
    in_row_[r] = size_ + r;
  }
  at_[tau] = -1 - size_;
  std::fill(value_.begin(), value_.end(), 0.0);
  std::fill(rate_.begin(), rate_.end(), 0.0);
  value_[tau] = start(b, covering);
  if (!(value_[tau] < HUGE_VAL)) {
    ++stats_.unfinished;
    return found_;
  }
  release(tau, -1);
  const int most = kPivotsPerRow * (size_ + 1);
  for (int count = 0; count < most; ++count) {
    const Block block = findBlock();
    const double present = value_[tau], rate = rate_[tau];
    const double crossing = rate != 0 ? -present / rate : HUGE_VAL;
    if (crossing > 0 && crossing <= block.t && crossing < HUGE_VAL) {
      record(crossing, b, all);
      if (!all) return found_;
    }
    if (block.event == Event::kNone) return found_;  // The end of the path.
    if (!(block.t < HUGE_VAL)) break;
    move(block.t);
    change(block);
  }
  ++stats_.unfinished;
  return found_;
}

void StepPath::drop(int k) {
  --found_;
  const std::size_t size = static_cast<std::size_t>(size_), last = static_cast<std::size_t>(found_) * size;
  for (std::vector<double>* x : {&impulse_, &velocity_})
    std::copy_n(x->data() + last, size, x->data() + static_cast<std::size_t>(k) * size);
}

}  // namespace rigor::impact
