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
    const int tangent = problem_->tangentRow(i);
    const int slip = tangent < 0 ? 0 : rowSign(tangent, signs);
    for (const ExactForce& force : problem_->forces(i)) {
      if (slip != 0 && force.slip == slip) continue;  // Friction acts against the slip.
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

const std::vector<int>& ExactFaces::entered(int number) {
  if (faces_[static_cast<size_t>(number)].entered_known) return faces_[static_cast<size_t>(number)].entered;
  const Signs from = faces_[static_cast<size_t>(number)].signs;
  std::vector<size_t> zero;
  for (size_t p = 0; p < from.size(); ++p) {
    if (from[p] == 0) zero.push_back(p);
  }
  // Every assignment of signs to the planes that hold the face, but the face itself.
  Signs signs = from;
  std::vector<int> entered;
  while (true) {
    size_t k = 0;
    while (k < zero.size() && signs[zero[k]] == -1) signs[zero[k++]] = 0;
    if (k == zero.size()) break;
    signs[zero[k]] = signs[zero[k]] == 0 ? 1 : -1;
    budget_->spend(static_cast<std::int64_t>(zero.size()));
    const int target = find(signs);
    const Face& face = faces_[static_cast<size_t>(target)];
    if (!face.finished && forcesEnter(face, from)) entered.push_back(target);
  }
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
  const Face& face = faces_[static_cast<size_t>(number)];
  std::vector<ExactVector> generators = points;
  generators.insert(generators.end(), face.rays.begin(), face.rays.end());
  ExactCone cone = ExactCone::ofGenerators(problem_->rank() + 1, generators, budget_);
  for (size_t p = 0; p < planes_.size(); ++p) {
    if (face.signs[p] == 0) cone.intersect(planes_[p], true);
  }
  for (size_t p = 0; p < planes_.size(); ++p) {
    if (face.signs[p] != 0) cone.intersect(face.signs[p] > 0 ? planes_[p] : planes_[p].negated(), false);
  }
  cone.minimise();
  const auto infinite = [](const ExactVector& x) { return sgn(x[0]) <= 0; };
  if (!cone.lines().empty() || std::any_of(cone.rays().begin(), cone.rays().end(), infinite)) {
    throw ExactLimit("a jam: forces that do no work push without bound");
  }
  return cone;
}

}  // namespace rigor::impact
