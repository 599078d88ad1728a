// SPDX-License-Identifier: MIT
#include "rigor/shape.h"

#include "api/input_errors.h"
#include "api/number_field.h"
#include "scenes/shape_kinds.h"

namespace rigor {

void registerShape(ShapeKind kind) {
  withUserErrors([&] {
    scenes::registerShape(kind.name, sceneFields(kind.fields),
                          [points = std::move(kind.points)](const std::map<std::string, double>& values) {
                            std::vector<Eigen::Vector3d> vertices;
                            for (const Vector3& point : points(values))
                              vertices.emplace_back(point[0], point[1], point[2]);
                            return vertices;
                          });
  });
}

std::vector<std::string> shapes() { return scenes::shapeNames(); }

}  // namespace rigor
