// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <string>
#include <vector>

#include "impact/resolver.h"
#include "impact/sets/exact_vector.h"

namespace rigor::impact {

/// The rational number that the shortest decimal which a reader takes for `value` stands for: .1 is 1/10.
[[nodiscard]] mpq_class decimalOf(double value);

/// Contact speeds before the impact below this part of the largest are exactly 0: whether a contact approaches or
/// sticks at the start is decided here, once; everything after is exact. A speed of 1e-13 would otherwise remove most
/// of a set.
inline constexpr double kSnappedSpeed = 1e-9;

/// Whether the friction of each contact is finite and, where there is any, along one tangent, and nothing rebounds:
/// what ExactProblem takes with forces, if the problem is well-formed.
[[nodiscard]] bool isPlanarAndInelastic(const ImpactProblem& problem);

/// What a contact can push with: an impulse of `normal` along its normal and `tangential` along its tangent.
struct ExactForce {
  int contact = 0;
  int slip = 0;                   ///< +1, -1: the sign of the friction; 0: no tangential part.
  mpq_class normal, tangential;   ///< Impulse for a weight of 1 [N s].
  std::vector<mpq_class> effect;  ///< Change of the coordinates for a weight of 1 [m/s].
};

/// A problem with planar contacts, without restitution, in rational numbers.
///
/// Rows: for each contact its normal velocity, and its tangential velocity where it has friction. All of them follow
/// from `rank` of them, the coordinates. Numbers of the problem are taken for the decimals they print as; the start is
/// snapped.
class ExactProblem {
 public:
  struct Row {
    int contact = 0;
    bool normal = true;
    std::string name;              ///< vn0, vt0_0
    std::vector<mpq_class> of;     ///< rank: the row as a combination of the coordinates.
    int plane = -1;                ///< The plane of its zeros among planes(); -1: the row is zero.
    int side = 1;                  ///< Sign of the row on the positive side of that plane.
  };

  enum class Contacts {
    kPlanar,
    kAny,  ///< Spatial ones too: then there are rows for both tangents, but no forces.
  };
  /// @throws std::invalid_argument for a malformed problem, a contact that is not allowed, and a mass matrix that is
  /// not positive definite.
  explicit ExactProblem(const ImpactProblem& problem, Contacts contacts = Contacts::kPlanar);

  int rank() const { return static_cast<int>(start_.size()); }
  const std::vector<Row>& rows() const { return rows_; }
  int numContacts() const { return static_cast<int>(normal_row_.size()); }
  int normalRow(int contact) const { return normal_row_[static_cast<size_t>(contact)]; }
  int tangentRow(int contact) const { return tangent_row_[static_cast<size_t>(contact)]; }  ///< -1 without friction.
  /// Distinct planes through 0 on which a contact velocity vanishes, as normals in coordinates.
  const std::vector<ExactVector>& planes() const { return planes_; }
  const std::vector<mpq_class>& start() const { return start_; }    ///< Coordinates before the impact.
  const std::vector<int>& coordinates() const { return coordinates_; }  ///< Rows that are the coordinates.
  const std::vector<mpq_class>& friction() const { return friction_; }
  /// v = offset + map * coordinates, row by row.
  const std::vector<std::vector<mpq_class>>& velocityMap() const { return velocity_map_; }
  const std::vector<mpq_class>& velocityOffset() const { return velocity_offset_; }
  /// Forces of a contact: slipping one way, the other way; with no friction the first alone.
  const std::vector<ExactForce>& forces(int contact) const { return forces_[static_cast<size_t>(contact)]; }
  /// J M^-1 J' of the coordinates.
  const std::vector<std::vector<mpq_class>>& delassus() const { return delassus_; }
  /// m/s: the largest contact speed before the impact.
  double speed() const { return speed_; }

 private:
  void readRows(const ImpactProblem& problem, Contacts contacts);
  void chooseCoordinates();
  void findPlanes();
  void findForces(const std::vector<std::vector<mpq_class>>& delassus);

  std::vector<Row> rows_;
  std::vector<int> normal_row_, tangent_row_, coordinates_;
  std::vector<std::vector<mpq_class>> jacobian_;  // of the rows
  std::vector<mpq_class> speeds_;                 // of the rows, snapped
  std::vector<ExactVector> planes_;
  std::vector<mpq_class> start_, friction_, velocity_offset_;
  std::vector<std::vector<mpq_class>> velocity_map_, delassus_;
  std::vector<std::vector<ExactForce>> forces_;
  double speed_ = 0;
};

/// Solves A X = B exactly; A is square. @returns false for a singular A. B becomes X.
[[nodiscard]] bool solveExactly(std::vector<std::vector<mpq_class>> A, std::vector<std::vector<mpq_class>>& B);

}  // namespace rigor::impact
