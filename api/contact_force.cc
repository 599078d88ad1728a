// SPDX-License-Identifier: MIT
#include "api/contact_force.h"

#include "rigor/error.h"

namespace rigor {

using Eigen::Vector3d;

namespace {

Vector3d vertex(const TouchingPart& part, int index) {
  if (index < 0 || index >= part.vertices.cols())
    throw InputError("an impulse acts at a vertex that its body has not; the record is damaged");
  return part.origin * Vector3d(part.vertices.col(index));
}

}  // namespace

advance::FeaturePoint placeTouching(const advance::SeparatingAxis& feature, const TouchingPart& a,
                                    const TouchingPart& b) {
  return advance::placeFeature(feature, a.origin.rotation(), b.origin.rotation(),
                               [&](int side, int index) { return vertex(side == 0 ? a : b, index); });
}

}  // namespace rigor
