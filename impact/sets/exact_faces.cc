// SPDX-License-Identifier: MIT
#include "impact/sets/exact_faces.h"

#include <algorithm>

namespace rigor::impact {

ExactFaces::ExactFaces(const ExactProblem& problem, ExactBudget* budget) : problem_(&problem), budget_(budget) {
  for (const ExactVector& plane : problem.planes()) {
    std::vector<mpz_class> entries{0};
    for (int i = 0; i < plane.size(); ++i) entries.push_back(plane[i]);
    planes_.emplace_back(std::move(entries));
  }
  for (const ExactProblem::Limit& limit : problem.limits()) {
    for (const int side : {-1, 1}) {
      std::vector<mpq_class> entries{limit.value};
      for (const mpq_class& entry : problem.rows()[static_cast<size_t>(limit.row)].of) entries.push_back(side * entry);
      limits_.push_back(ExactVector::ofRationals(entries));
    }
  }
  findSectors();
}

/// Directions of slip in the sectors and on the borders between them: against the edges of the cone, and along the
/// borders.
void ExactFaces::findSectors() {
  const auto corners = frictionPolygon(problem_->toldApart().cone_edges);
  const size_t edges = corners.size();
  std::vector<std::pair<mpq_class, mpq_class>> slips{{0, 0}};
  for (size_t k = 0; k < edges; ++k) {
    const auto& [x, y] = corners[k];
    const auto& [next_x, next_y] = corners[(k + 1) % edges];
    slips.emplace_back(-x, -y);
    slips.emplace_back(y - next_y, next_x - x);
  }
  for (int i = 0; i < problem_->numContacts(); ++i) {
    const int tangent = problem_->tangentRow(i);
    if (tangent < 0 || problem_->rows()[static_cast<size_t>(tangent)].sorts) continue;
    Fan fan;
    for (size_t k = 0; k < edges / 2; ++k) {
      const ExactProblem::Row& row = problem_->rows()[static_cast<size_t>(tangent) + 2 + k];
      if (row.plane >= 0) fan.borders.emplace_back(static_cast<size_t>(row.plane), row.side);
    }
    for (const auto& [x, y] : slips) {
      Signs sector;
      for (size_t k = 0; k < edges / 2; ++k) {
        const mpq_class along =
            (corners[k].first - corners[k + 1].first) * x + (corners[k].second - corners[k + 1].second) * y;
        sector.push_back(static_cast<signed char>(sgn(along)));
      }
      fan.sectors.push_back(std::move(sector));
    }
    // A contact that cannot slip in every direction has fewer sectors: all of them are kept, which is safe.
    if (fan.borders.size() == edges / 2) fans_.push_back(std::move(fan));
  }
}

/// Can the first `decided` of the signs be those of directions of slip?
bool ExactFaces::isSector(const Signs& signs, size_t decided) const {
  return std::all_of(fans_.begin(), fans_.end(), [&](const Fan& fan) {
    return std::any_of(fan.sectors.begin(), fan.sectors.end(), [&](const Signs& sector) {
      for (size_t k = 0; k < sector.size(); ++k) {
        const auto& [plane, side] = fan.borders[k];
        if (plane < decided && signs[plane] * side != sector[k]) return false;
      }
      return true;
    });
  });
}

bool ExactFaces::mayPush(const ExactForce& force, const Signs& signs) const {
  return rowSign(problem_->normalRow(force.contact), signs) <= 0 &&
         std::none_of(force.against.begin(), force.against.end(), [&](const ExactForce::Against& against) {
           return rowSign(against.row, signs) == against.sign;
         });
}

int ExactFaces::rowSign(int row, const Signs& signs) const {
  const ExactProblem::Row& r = problem_->rows()[static_cast<size_t>(row)];
  return r.plane < 0 ? 0 : r.side * signs[static_cast<size_t>(r.plane)];
}

int ExactFaces::find(const Signs& signs) {
  const auto [place, fresh] = numbers_.try_emplace(signs, static_cast<int>(faces_.size()));
  if (!fresh) return place->second;
  Face& face = faces_.emplace_back();
  face.signs = signs;
  face.finished = true;
  for (int i = 0; i < problem_->numContacts(); ++i) {
    const int normal = rowSign(problem_->normalRow(i), signs);
    if (normal < 0) face.finished = false;
    if (normal > 0) continue;
    for (const ExactForce& force : problem_->forces(i)) {
      if (!mayPush(force, signs)) continue;
      face.forces.push_back(&force);
      std::vector<mpq_class> entries{0};
      entries.insert(entries.end(), force.effect.begin(), force.effect.end());
      face.rays.push_back(ExactVector::ofRationals(entries));
    }
  }
  return place->second;
}

/// Is there a combination of the face's forces that leads from the face `from`, part of its boundary, to its inside?
bool ExactFaces::forcesEnter(const Face& face, const Signs& from) const {
  const size_t count = planes_.size();
  const auto enters = [&](size_t p, const ExactVector& ray) { return face.signs[p] * planes_[p].signOfDot(ray) > 0; };
  for (size_t p = 0; p < count; ++p) {
    if (from[p] != 0 || face.signs[p] == 0) continue;
    if (std::none_of(face.rays.begin(), face.rays.end(), [&](const ExactVector& ray) { return enters(p, ray); }))
      return false;
  }
  ExactCone cone = ExactCone::ofGenerators(problem_->rank() + 1, face.rays, budget_);
  for (size_t p = 0; p < count; ++p) {
    if (face.signs[p] == 0) cone.intersect(planes_[p], true);
  }
  for (size_t p = 0; p < count; ++p) {
    if (from[p] == 0 && face.signs[p] != 0)
      cone.intersect(face.signs[p] > 0 ? planes_[p] : planes_[p].negated(), false);
  }
  for (size_t p = 0; p < count; ++p) {
    if (from[p] != 0 || face.signs[p] == 0) continue;
    const auto inside = [&](const ExactVector& ray) { return enters(p, ray); };
    const bool line = std::any_of(cone.lines().begin(), cone.lines().end(),
                                  [&](const ExactVector& x) { return planes_[p].signOfDot(x) != 0; });
    if (!line && std::none_of(cone.rays().begin(), cone.rays().end(), inside)) return false;
  }
  return true;
}

void ExactFaces::forEveryUpper(const Signs& from, const std::function<void(const Signs&)>& visit) const {
  const std::function<void(Signs&, size_t)> decide = [&](Signs& signs, size_t plane) {
    while (plane < from.size() && from[plane] != 0) ++plane;
    if (plane == from.size()) {
      if (isSector(signs, plane)) visit(signs);
      return;
    }
    for (const int sign : {0, 1, -1}) {
      budget_->spend(1);
      signs[plane] = static_cast<signed char>(sign);
      if (isSector(signs, plane + 1)) decide(signs, plane + 1);
    }
    signs[plane] = 0;
  };
  Signs signs = from;
  decide(signs, 0);
}

const std::vector<int>& ExactFaces::entered(int number) {
  if (faces_[static_cast<size_t>(number)].entered_known) return faces_[static_cast<size_t>(number)].entered;
  const Signs from = faces_[static_cast<size_t>(number)].signs;
  const auto zero = std::count(from.begin(), from.end(), 0);
  // Every assignment of signs to the planes that hold the face, but the face itself.
  std::vector<int> entered;
  forEveryUpper(from, [&](const Signs& signs) {
    budget_->spend(zero);
    if (signs == from) return;
    const int target = find(signs);
    const Face& face = faces_[static_cast<size_t>(target)];
    if (!face.finished && forcesEnter(face, from)) entered.push_back(target);
  });
  Face& face = faces_[static_cast<size_t>(number)];
  face.entered = std::move(entered);
  face.entered_known = true;
  return face.entered;
}

ExactFaces::Signs ExactFaces::around(const std::vector<ExactVector>& points) const {
  Signs signs(planes_.size(), 0);
  for (size_t p = 0; p < planes_.size(); ++p) {
    for (const ExactVector& x : points) {
      if (const int sign = planes_[p].signOfDot(x)) {
        signs[p] = static_cast<signed char>(sign);
        break;
      }
    }
  }
  return signs;
}

ExactCone ExactFaces::post(const std::vector<ExactVector>& points, int number) const {
  return post(ExactCone::ofGenerators(problem_->rank() + 1, points, budget_), number);
}

ExactCone ExactFaces::post(const ExactCone& polytope, int number) const {
  const Face& face = faces_[static_cast<size_t>(number)];
  ExactCone cone = polytope.joined(face.rays);
  for (size_t p = 0; p < planes_.size(); ++p) {
    if (face.signs[p] == 0) cone.intersect(planes_[p], true);
  }
  for (size_t p = 0; p < planes_.size(); ++p) {
    if (face.signs[p] != 0) cone.intersect(face.signs[p] > 0 ? planes_[p] : planes_[p].negated(), false);
  }
  for (const ExactVector& limit : limits_) cone.intersect(limit, false);
  cone.minimise();
  const auto infinite = [](const ExactVector& x) { return sgn(x[0]) <= 0; };
  if (!cone.lines().empty() || std::any_of(cone.rays().begin(), cone.rays().end(), infinite)) {
    throw ExactLimit("a jam: forces that do no work push without bound");
  }
  return cone;
}

}  // namespace rigor::impact
