// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <map>
#include <utility>
#include <vector>

#include "impact/sets/exact_cone.h"
#include "impact/sets/exact_problem.h"

namespace rigor::impact {

/// The faces of the arrangement of a problem's planes, and what moves on them (docs/impact-sets.md, "Exact sets").
///
/// A face is a sign (-1, 0, 1) for each plane. On it the contacts that do not separate push, each with the friction
/// against its slip, with both where it does not slip; the forces generate the cone K. Faces get numbers as they are
/// met.
class ExactFaces {
 public:
  using Signs = std::vector<signed char>;

  ExactFaces(const ExactProblem& problem, ExactBudget* budget);

  int find(const Signs& signs);
  int count() const { return static_cast<int>(faces_.size()); }
  const Signs& signs(int face) const { return faces_[static_cast<size_t>(face)].signs; }
  bool finished(int face) const { return faces_[static_cast<size_t>(face)].finished; }
  /// Sign of a row's velocity on a face.
  int rowSign(int row, const Signs& signs) const;
  /// Does a face with these signs have the force: its contact does not separate, and its friction is against the slip?
  bool mayPush(const ExactForce& force, const Signs& signs) const;
  const std::vector<const ExactForce*>& forces(int face) const { return faces_[static_cast<size_t>(face)].forces; }
  /// In homogeneous coordinates (0, effect).
  const std::vector<ExactVector>& rays(int face) const { return faces_[static_cast<size_t>(face)].rays; }
  /// A plane as a half-space of homogeneous coordinates.
  const ExactVector& plane(int plane) const { return planes_[static_cast<size_t>(plane)]; }
  /// What the energy allows in a relaxed problem, as half-spaces: value - row, value + row of each limit.
  const std::vector<ExactVector>& limits() const { return limits_; }
  int numPlanes() const { return static_cast<int>(planes_.size()); }
  /// All signs that agree with `from` where that is not 0 and are those of some slip of every contact, `from` too.
  void forEveryUpper(const Signs& from, const std::function<void(const Signs&)>& visit) const;
  /// Unfinished faces that have `face` in their boundary and into whose inside their own forces point from it.
  const std::vector<int>& entered(int face);
  /// What entered() gave before.
  const std::vector<int>& knownEntered(int face) const { return faces_[static_cast<size_t>(face)].entered; }
  /// Number of a face that find() was asked for. @throws std::out_of_range for another.
  int numberOf(const Signs& signs) const { return numbers_.at(signs); }
  const ExactProblem& problem() const { return *problem_; }

  /// Smallest face that holds all these points (homogeneous).
  Signs around(const std::vector<ExactVector>& points) const;
  /// (conv points + K) cut with the closure of the face. @throws ExactLimit, and where the result is unbounded.
  ExactCone post(const std::vector<ExactVector>& points, int face) const;
  /// The same for all points of a polytope without superfluous ones.
  ExactCone post(const ExactCone& polytope, int face) const;

 private:
  struct Face {
    Signs signs;
    bool finished = false, entered_known = false;
    std::vector<const ExactForce*> forces;
    std::vector<ExactVector> rays;
    std::vector<int> entered;
  };

  bool forcesEnter(const Face& face, const Signs& from) const;
  void findSectors();
  bool isSector(const Signs& signs, size_t decided) const;

  /// The signs that the borders of a spatial contact have in some direction of slip.
  struct Fan {
    std::vector<std::pair<size_t, int>> borders;  // plane and side
    std::vector<Signs> sectors;
  };

  const ExactProblem* problem_;
  ExactBudget* budget_;
  std::vector<ExactVector> planes_, limits_;
  std::vector<Fan> fans_;
  std::vector<Face> faces_;
  std::map<Signs, int> numbers_;
};

}  // namespace rigor::impact
