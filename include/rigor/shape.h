// SPDX-License-Identifier: MIT
#pragma once
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "rigor/number_field.h"
#include "rigor/types.h"

namespace rigor {

using ShapeField = NumberField;

/// A convex shape of one's own, by the points whose hull it is.
///
/// Its certificate is that of every polytope: separation is proved about the vertices, n.(y - x) >= gap for all of
/// them, so that a shape needs no proof of its own. Vertices of a hull are the points given, bit for bit; points inside
/// are dropped.
struct ShapeKind {
  std::string name;  ///< As in scenes; small letters, digits, '_' and '-'.
  std::vector<NumberField> fields;  ///< `shape: {NAME: {FIELD: VALUE}}`
  /// Points in the body's frame [m] for the fields' values, which are within their limits. Depends on them alone.
  std::function<std::vector<Vector3>(const std::map<std::string, double>& values)> points;
};

/// Makes a shape known, for the life of the program: to scenes that are loaded from then on, inside compounds too.
///
/// Records of such scenes embed no scene text, which other programs would not understand: they are proved about their
/// model.
/// @throws InputError for a name that is taken or no word.
void registerShape(ShapeKind kind);
/// The shapes that scenes may name; `compound` is made of them.
std::vector<std::string> shapes();

}  // namespace rigor
