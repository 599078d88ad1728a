// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "advance/certificate.h"
#include "advance/piece_polynomials.h"
#include "geom/separation.h"
#include "sim/step/near_bodies.h"
#include "sim/step/step.h"
#include "sim/step/step_world.h"

namespace rigor::sim {

/// Candidate axes of one pair: seldom more.
inline constexpr size_t kAxesOfPair = 128;

/// Two parts that may meet in a step, and what is known of both their motions.
struct NearPair {
  int part_a, part_b;   // Indices into parts.
  int slot_a, slot_b;   // Moving bodies of the group, -1 for others.
  bool clear = false;   // Nothing happens between them in the motion at hand.
  int first_contact = -1;  // Of the contacts, where a crowd looks for them.
  geom::SeparationCache cache;
  double tb = 0;        // End of what is known of both motions, at most the end of the step [s].
  advance::MovingPart A, B;  // On [t0, tb].
  advance::PiecePolynomials own_a, own_b;  // Where the shared ones of the step do not fit.
  std::vector<advance::SeparatingAxis> axes;  // Candidates for the certificate, in the order in which they were found.
};

/// A moving part near a fixed body of many parts, most of which a few planes keep apart (PlaneCover).
struct TreeField {
  int part, body;  ///< Among all parts; the fixed body.
  std::vector<Eigen::Vector3d> planes;  ///< Unit normals towards the part, frame of the body. First those that held in
                                        ///< the step before.
  std::vector<Eigen::Vector3d> own;     ///< The same of planes that move with the part: frame of its body.
  static constexpr size_t kMostPlanes = 12;  ///< Of each.
};

/// The pairs of parts that may come near each other in a step.
class NearPairs {
 public:
  explicit NearPairs(const StepWorld& world) : x_(world) {}

  int size() const { return num_pairs_; }
  NearPair& operator[](int p) { return pairs_[p]; }
  const NearPair& operator[](int p) const { return pairs_[p]; }
  int indexOf(const NearPair& pair) const { return static_cast<int>(&pair - pairs_.data()); }
  /// Every pair's part_a is a half-space: held vertices are no part of the search for events.
  bool onlyPlanes() const { return only_planes_; }

  /// All whose boxes meet within `horizon` [s], around where the bodies can get to when no contact accelerates them. Of
  /// bodies of many parts those alone that may touch, or were met in the step before: others come with the motion.
  /// Those that the motion brings near beyond that are added when it is certified. Axes of the step before are the
  /// first that are tried.
  void collect(double horizon, std::span<const KnownAxis> known);
  /// Adds those of bodies of many parts that may be met within `horizon` [s], whatever contacts do.
  void reachAhead(double horizon);
  std::span<TreeField> fields() { return {fields_.data(), static_cast<size_t>(num_fields_)}; }
  TreeField& fieldOf(int part, int body);
  /// Around the field's part over the piece, `margin` [m] wider.
  Eigen::AlignedBox3d boxOver(const TreeField& field, const advance::MotionPiece& piece, double margin) const;
  /// Nothing happens to pairs with bodies of many parts, but for those that are asked for from now on.
  void clearFields();
  /// Adds the pair of two parts, a half-space or else the body with the smaller number first. @returns its index.
  int add(int i, int j);
  /// -1: there is none.
  int find(int i, int j) const;
  /// Motions of a pair over the part of the step in which both are known. @returns false if there is none.
  bool prepare(NearPair& pair);

 private:
  TreeField* findField(int part, int body);
  size_t listOf(int i, int j) const;
  void collectNear(TreeField& field);
  void recall(const KnownAxis& known);
  /// Adds what of the field's body lies less than `reach` [m] below each of its planes, of what is near a box.
  void addWithin(const TreeField& field, const Eigen::AlignedBox3d& box, double reach);

  const StepWorld& x_;
  std::vector<TreeField> fields_;  // The first num_fields_ are in use.
  int num_fields_ = 0;
  NearBodies near_;
  std::vector<BodyBox> boxes_;
  std::vector<int> found_;
  std::vector<NearPair> pairs_;  // The first num_pairs_ are in use.
  int num_pairs_ = 0;
  bool only_planes_ = true;
  struct Link {
    int part_a, part_b, next;  // Next pair of the same list.
  };
  std::vector<Link> links_;    // By pair: searches meet no more of one than this.
  std::vector<int> first_of_;  // First pair of each list, -1: none. As many as a power of two.
};

}  // namespace rigor::sim
