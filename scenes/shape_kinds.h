// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "scenes/number_field.h"
#include "scenes/shape_reader.h"

namespace rigor::scenes {

/// A shape by its name in scene files: the one list of them. A body's proof knows nothing of names, only the vertices.
struct ShapeKind {
  std::string name;
  /// The convex parts of its value, in the body's frame. @throws LoadError at the offending value.
  std::function<std::vector<geom::Shape>(const Value& value, const ShapeContext& context)> read;
  bool own = false;  ///< Registered by another program: no other one understands scenes that name it.
};

/// The kind of that name; null: there is none. Valid for the life of the program.
const ShapeKind* findShapeKind(const std::string& name);
/// In the order of registration.
std::vector<std::string> shapeNames();

/// Makes a shape known, for the life of the program: the convex hull of the points that `points` makes of the fields'
/// values. From then on scenes may name it, in compounds too. @throws std::invalid_argument for a name that is taken or
/// is no word, and for fields whose names are not words, or are there twice.
void registerShape(const std::string& name, std::vector<NumberField> fields,
                   std::function<std::vector<Eigen::Vector3d>(const std::map<std::string, double>&)> points);

/// Those of this project, of which shape_reader.cc has the readers.
std::vector<ShapeKind> bundledShapeKinds();

}  // namespace rigor::scenes
