// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <string>
#include <utility>
#include <vector>

#include "impact/problem/impact_problem.h"
#include "impact/sets/exact_vector.h"

namespace rigor::impact {

/// The rational number that the shortest decimal which a reader takes for `value` stands for: .1 is 1/10.
[[nodiscard]] mpq_class decimalOf(double value);

/// Contact speeds before the impact below this part of the largest are exactly 0: whether a contact approaches or
/// sticks at the start is decided here, once; everything after is exact. A speed of 1e-13 would otherwise remove most
/// of a set.
inline constexpr double kSnappedSpeed = 1e-9;

/// Whether the friction of each contact is finite and, where there is any, along one tangent, and nothing rebounds:
/// what samples and reports hold against exact sets, if the problem is well-formed.
[[nodiscard]] bool isPlanarAndInelastic(const ImpactProblem& problem);

/// What a contact can push with: an impulse of 1 N s along its normal, and friction in one direction.
struct ExactForce {
  int contact = 0;
  /// Planar: +1, -1, the sign of the friction; spatial: 1, 2, ..., the edge of its cone; 0: no friction.
  int slip = 0;
  std::vector<mpq_class> effect;  ///< Change of the coordinates for a weight of 1 [m/s].
  /// Rows and the sign that the row must not have: friction is against the slip.
  struct Against {
    int row = 0, sign = 0;
    int beyond = 0;  ///< The slip of the force that takes over there.
  };
  std::vector<Against> against;
};

/// How friction is told apart.
struct ExactFriction {
  int cone_edges = 8;             ///< Of a spatial contact; even, >= 4.
  /// Contacts whose friction may have any direction whatever the slip: a relaxation, with fewer rows. Empty: none.
  std::vector<bool> any_direction = {};
  bool isRelaxed() const {
    for (const bool any : any_direction) {
      if (any) return true;
    }
    return false;
  }
};

/// Corners of the polygon that stands for the circle of friction: (cos, sin) of 2 pi k / edges, to 1e-15; opposite ones
/// add up to 0, exactly.
[[nodiscard]] std::vector<std::pair<mpq_class, mpq_class>> frictionPolygon(int edges);

/// A problem without restitution in rational numbers.
///
/// Rows: for each contact its normal velocity, where it has friction its tangential velocities, and of a spatial
/// contact the borders between its directions of slip, on each side of which another edge of the cone opposes it: with
/// an even number of edges these are lines, so that signs of rows tell all directions apart. All rows follow from
/// `rank` of them, the coordinates. Contacts whose friction may have any direction have their normal row alone; then
/// the velocities of bodies do not follow. Numbers of the problem are taken for the decimals they print as; the start
/// is snapped.
class ExactProblem {
 public:
  struct Row {
    int contact = 0;
    bool normal = true;
    std::string name;              ///< vn0, vt0_0; empty for a border.
    bool sorts = true;             ///< Its sign decides which forces there are; not that of a spatial tangent.
    std::vector<mpq_class> of;     ///< rank: the row as a combination of the coordinates.
    int plane = -1;                ///< The plane of its zeros among planes(); -1: none, or the row is zero.
    int side = 1;                  ///< Sign of the row on the positive side of that plane.
  };

  enum class Contacts {
    kFinite,
    kAny,  ///< No-slip ones too: then there are no borders and no forces.
  };
  /// @throws std::invalid_argument for a malformed problem, a contact that is not allowed, and a mass matrix that is
  /// not positive definite.
  explicit ExactProblem(const ImpactProblem& problem, Contacts contacts = Contacts::kFinite,
                        ExactFriction friction = {});

  int rank() const { return static_cast<int>(start_.size()); }
  const std::vector<Row>& rows() const { return rows_; }
  int numContacts() const { return static_cast<int>(normal_row_.size()); }
  int normalRow(int contact) const { return normal_row_[static_cast<size_t>(contact)]; }
  /// First of its tangents; -1 where it has none.
  int tangentRow(int contact) const { return tangent_row_[static_cast<size_t>(contact)]; }
  const ExactFriction& toldApart() const { return told_; }
  /// Distinct planes through 0 on which a contact velocity vanishes, as normals in coordinates.
  const std::vector<ExactVector>& planes() const { return planes_; }
  const std::vector<mpq_class>& start() const { return start_; }    ///< Coordinates before the impact.
  const std::vector<int>& coordinates() const { return coordinates_; }  ///< Rows that are the coordinates.
  const std::vector<mpq_class>& friction() const { return friction_; }
  /// v = offset + map * coordinates, row by row; empty where friction is relaxed.
  const std::vector<std::vector<mpq_class>>& velocityMap() const { return velocity_map_; }
  const std::vector<mpq_class>& velocityOffset() const { return velocity_offset_; }
  /// Forces of a contact, one for each direction of its friction.
  const std::vector<ExactForce>& forces(int contact) const { return forces_[static_cast<size_t>(contact)]; }
  /// Of a relaxed problem: |row| <= value, as the kinetic energy does not grow; for each normal row. Relaxed forces may
  /// do work, and would push without bound.
  struct Limit {
    int row = 0;
    mpq_class value;
  };
  const std::vector<Limit>& limits() const { return limits_; }
  /// J M^-1 J' of the coordinates.
  const std::vector<std::vector<mpq_class>>& delassus() const { return delassus_; }
  /// m/s: the largest contact speed before the impact.
  double speed() const { return speed_; }

 private:
  void readRows(const ImpactProblem& problem, Contacts contacts);
  void addBorders(int contact);
  void chooseCoordinates();
  void findPlanes();
  void findForces(const ImpactProblem& problem, const std::vector<std::vector<mpq_class>>& mass);
  void setAgainst(ExactForce& force, int edges) const;
  void findLimits(const ImpactProblem& problem, const std::vector<std::vector<mpq_class>>& delassus);
  bool isAnyDirection(int contact) const {
    return !told_.any_direction.empty() && told_.any_direction[static_cast<size_t>(contact)];
  }

  ExactFriction told_;
  std::vector<Row> rows_;
  std::vector<int> normal_row_, tangent_row_, coordinates_;
  std::vector<std::vector<mpq_class>> jacobian_;  // of the rows
  std::vector<mpq_class> speeds_;                 // of the rows, snapped
  std::vector<ExactVector> planes_;
  std::vector<mpq_class> start_, friction_, velocity_offset_;
  std::vector<std::vector<mpq_class>> velocity_map_, delassus_;
  std::vector<std::vector<ExactForce>> forces_;
  std::vector<Limit> limits_;
  double speed_ = 0;
};

/// A rational number of few digits whose square is not below `square`, nor above it by more than 1e-15 or so.
[[nodiscard]] mpq_class rootAbove(const mpq_class& square);

/// Solves A X = B exactly; A is square. @returns false for a singular A. B becomes X.
[[nodiscard]] bool solveExactly(const std::vector<std::vector<mpq_class>>& A,
                                std::vector<std::vector<mpq_class>>& B);

}  // namespace rigor::impact
