// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <vector>

#include "geom/polytope.h"
#include "geom/separation.h"

namespace rigor::advance {

struct ContactFeature;
struct ManifoldSide;

/// Finds the contacts of balls and capsules with polytopes and each other, for ManifoldFinder::find(): of the ends of a
/// core with faces, edges, corners and cores; of its line with edges, corners and cores. Holds buffers.
class RoundContacts {
 public:
  RoundContacts() : end_(3, 1) {
    for (auto* list : {&faces_, &edges_, &list_}) list->reserve(kFeatures);
    close_.reserve(kFeatures);
  }
  struct Reach {  // As ManifoldFinder::find() has them.
    double band, beyond;
  };
  /// @pre one of the two is round, and they are within the band. Nothing is appended where the polytope is nearest with
  /// an edge or corner to which its solid has no such outward direction: another part of it carries the round one.
  void find(const ManifoldSide& A, const ManifoldSide& B, const geom::Separation& sep, const Reach& within,
            std::vector<ContactFeature>& out);

 private:
  struct Pair;   // A polytope and a round part.
  struct Close {   // A contact that was found on the line of a core.
    int v, w;      // Corner or edge of the polytope.
    double share;  // Of the line.
  };
  void overPolytope(const Pair& pair, const geom::Separation& sep, const Reach& within,
                    std::vector<ContactFeature>& out);
  void gather(const Pair& pair, geom::Feature feature);
  void crossEdges(const Pair& pair, const Reach& within, double rim, std::vector<ContactFeature>& out);
  void crossVertices(const Pair& pair, const Reach& within, double rim, std::vector<ContactFeature>& out);
  void overEnd(const Pair& pair, int corner, const geom::Separation& sep, double beyond,
               std::vector<ContactFeature>& out);
  static void ofCores(const ManifoldSide& A, const ManifoldSide& B, const Reach& within,
                      std::vector<ContactFeature>& out);
  static constexpr size_t kFeatures = 64;  // Around a vertex, or of a face: seldom more.
  Eigen::Matrix3Xd end_;                   ///< The end of a core that is looked at.
  std::vector<int> faces_, edges_, list_;
  std::vector<Close> close_;
};

}  // namespace rigor::advance
