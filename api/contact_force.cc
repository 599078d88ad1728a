// SPDX-License-Identifier: MIT
#include "api/contact_force.h"

#include "rigor/error.h"

namespace rigor {

using Eigen::Vector3d;

namespace {

Vector3d vertex(const TouchingPart& part, int index) {
  const Eigen::Index core = index - part.vertices.cols();
  if (part.round && core >= 0 && core < part.round->core.cols())
    return part.origin * Vector3d(part.round->core.col(core));
  if (index < 0 || core >= 0)
    throw InputError("an impulse acts at a vertex that its body has not; the record is damaged");
  return part.origin * Vector3d(part.vertices.col(index));
}

}  // namespace

advance::FeaturePoint placeTouching(const advance::SeparatingAxis& feature, const TouchingPart& a,
                                    const TouchingPart& b) {
  return advance::placeFeature(
      feature, a.origin.rotation(), b.origin.rotation(),
      [&](int side, int index) { return vertex(side == 0 ? a : b, index); },
      [&](int side, int index, const Vector3d& n) {
        const TouchingPart& part = side == 0 ? a : b;
        return advance::reachOf(part.round, static_cast<int>(part.vertices.cols()), index, part.origin.rotation(), n);
      });
}

}  // namespace rigor
