// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "impact/lcp/contact_rows.h"

namespace rigor::impact {

/// Solves one step of the Routh set model (step_modes.h has its conditions) along a path, as Lemke's method does, but
/// in the contacts' own coordinates: a normal and one or two tangential rows a contact, instead of 2 + edges + 1
/// unknowns of the LCP.
///
/// Contact velocities are v = b + A lambda + tau d. With the normal part of d positive every contact separates for
/// large tau; as tau falls, (lambda, v) follows a line in each combination of contact modes, and where a contact's
/// condition becomes active that contact alone changes its mode: a pivot. The path has no other end than tau -> -inf,
/// where every contact is saturated (all limits finite), so it meets tau = 0 in an odd number of solutions; which ones
/// depends on d. This is Lemke's path for a covering vector that is d on the rows of J and zero on the others. A
/// contact that gives an impulse back has that as the lower bound of its normal impulse, and friction there.
///
/// Answers are candidates: pivots round, so the caller checks each against the LCP. No allocation once it has seen the
/// largest problem. Cost: some (2 + contacts) pivots of (rows + 1)^2 multiplications.
class StepPath {
 public:
  /// @pre sizes and values were checked (ContactLcp::prepare()); friction is finite; cone_edges even, >= 4.
  void prepare(const ImpactProblem& problem, const std::vector<double>& friction, int cone_edges);

  const ContactRows& rows() const { return rows_; }

  /// @param b  Contact velocities J v, scaled as in ContactRows. @param limit  m, scaled; infinity: none.
  /// @param covering  d, a number a row of J: positive for normals, any for tangents.
  /// @param given  m, scaled, or null: normal impulses that act anyway; limits come on top of them.
  /// @returns the number of solutions, 1; or 0 where rounding or a limit of pivots ended the path before it met one.
  int solve(const double* b, const double* limit, const double* covering, const double* given = nullptr) {
    return follow(b, limit, given, covering, false);
  }
  /// The same along the whole path: adds every solution that it meets to those of the calls since clear().
  /// @returns the number of distinct ones (by their velocities) so far.
  int collect(const double* b, const double* limit, const double* covering, const double* given = nullptr) {
    return follow(b, limit, given, covering, true);
  }
  void clear() { found_ = 0; }
  /// Impulses of solution k, with those given, like the rows of J, scaled as the limits.
  const double* impulse(int k) const {
    return impulse_.data() + static_cast<std::size_t>(k) * static_cast<std::size_t>(size_);
  }
  /// Contact velocities after it, scaled; @pre found by collect().
  const double* velocity(int k) const {
    return velocity_.data() + static_cast<std::size_t>(k) * static_cast<std::size_t>(size_);
  }
  /// Replaces solution k by the last one.
  void drop(int k);

  struct Stats {
    long solves = 0, pivots = 0, unfinished = 0;
  };
  const Stats& stats() const { return stats_; }

 private:
  enum class Normal : unsigned char {
    kSeparated,
    kGiven,
    kCompressing,
    kSaturated
  };                                                                  // kGiven: separates, with an impulse given
  enum class Friction : unsigned char { kVertex, kBetween, kStick };  // on the cone's edge k, in its side k, inside
  enum class Event : unsigned char { kNone, kNormalVelocity, kNormalLeast, kLimit, kSide, kAlong, kMean };

  // Coordinates of contact i with first row r: impulses lambda_n, h_first, h_second in r, r + 1, r + 2, the slacks
  // h_j = scale (mu c lambda_n - side_j . lambda_t) of the cone's sides; velocities in size_ + r, ...: v_n, then v_t
  // (planar) or v_t along and across side `frame`. The path's tau is coordinate 2 size_.
  struct Contact {
    int row, tangents;
    double mu, scale, reach;  // reach: mu c scale
    double least, most;       // bounds of lambda_n
    Normal normal;
    Friction friction;
    int k, first, second, frame;
    double inverse[4];  // of the normals of the sides first and second: from slacks to tangential impulses
  };
  struct Block {
    double t;
    double rate;
    int contact;
    Event event;
    int side;
  };

  int follow(const double* b, const double* limit, const double* given, const double* covering, bool all);
  double start(const double* b, const double* covering);
  double* row(int r) { return table_.data() + static_cast<std::size_t>(r) * static_cast<std::size_t>(stride_); }
  int wrap(int k) const { return k < 0 ? k + edges_ : k >= edges_ ? k - edges_ : k; }
  void setSides(Contact& c, int first, int second) const;
  void sideShares(const Contact& c, int side, double& on_normal, double& on_first, double& on_second) const;
  Block findBlock();
  /// What friction holds contact c to, told to meet() as findBlock() has it.
  template <class Meet>
  void meetFriction(const Contact& c, const Meet& meet);
  void move(double t);
  void exchange(int r, int e);
  void addTo(double* target, double factor, int coordinate);
  void leave(int coordinate, double bound);
  void leaveSide(Contact& c, int side);
  void leaveAlong(Contact& c, int side);
  void enterCone(Contact& c);
  void turnColumns(Contact& c, int side);
  void release(int coordinate, double direction);
  void change(const Block& block);
  void impulseOf(const Contact& c, const double* coordinates, double* f) const;
  void refine(double* f, double* y, const double* b);
  void record(double t, const double* b, bool compare);

  ContactRows rows_;
  std::vector<Contact> contacts_, start_;
  std::vector<double> cos_, sin_, cos_half_, sin_half_;  // of 2 pi k / edges and 2 pi (k + 1/2) / edges
  int edges_ = 0, size_ = 0, stride_ = 0;
  std::vector<double> start_table_, table_;
  std::vector<double> value_, rate_;  // of every coordinate: where the path is, and how it changes along it
  std::vector<int> at_, in_row_;      // a coordinate's row, or -1 - column; the coordinate of a row
  int driver_ = 0, column_ = 0;
  double direction_ = 0, scale_ = 1;
  std::vector<double> impulse_, velocity_, change_, given_velocity_;
  int found_ = 0;
  Stats stats_;
};

}  // namespace rigor::impact
