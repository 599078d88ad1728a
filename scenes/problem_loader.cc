// SPDX-License-Identifier: MIT
#include "scenes/problem_loader.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "impact/problem/field_error.h"
#include "impact/problem/matrix_factors.h"
#include "impact/problem/separable.h"
#include "scenes/document.h"
#include "scenes/impact_fields.h"

namespace rigor::scenes {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

// Entries of the mass matrix that differ by this, relative to the geometric mean of their diagonal entries, are printed
// with few digits, not unsymmetric.
constexpr double kSymmetryTolerance = 1e-9;
// Squared pivots of the mass matrix scaled to a unit diagonal: below it is singular up to rounding.
constexpr double kDefiniteEpsilon = 1e-14;

std::string count(size_t n, const char* what) { return fmt::format("{} {}{}", n, what, n == 1 ? "" : "s"); }

/// `rows` lists of `columns` numbers; -1: any number of rows.
MatrixXd readMatrix(const Value& value, int rows, int columns, const std::string& what) {
  const std::vector<Value> items = value.items(what);
  const int found = static_cast<int>(items.size());
  if (rows >= 0 && found != rows) value.refuse(fmt::format("a list of {}", count(static_cast<size_t>(rows), "row")));
  MatrixXd matrix(found, columns);
  for (int i = 0; i < found; ++i) {
    const std::vector<double> row = items[i].numbers(columns, "numbers, one for each velocity");
    for (int j = 0; j < columns; ++j) matrix(i, j) = row[j];
  }
  return matrix;
}

MatrixXd readMassMatrix(const Value& value) {
  const std::vector<Value> rows = value.items("rows");
  const int n = static_cast<int>(rows.size());
  if (n == 0) value.refuse("a list of at least one row");
  MatrixXd M(n, n);
  std::vector<std::vector<Value>> entries;
  for (int i = 0; i < n; ++i) {
    entries.push_back(rows[i].items("numbers"));
    if (static_cast<int>(entries[i].size()) != n) {
      rows[i].refuse(fmt::format("a list of {}: the matrix is square", count(static_cast<size_t>(n), "number")));
    }
    for (int j = 0; j < n; ++j) M(i, j) = entries[i][j].number();
    if (!(M(i, i) > 0)) entries[i][i].refuse("a number > 0: a mass matrix is positive definite");
  }
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      const double size = std::sqrt(M(i, i)) * std::sqrt(M(j, j));
      if (std::abs(M(i, j) - M(j, i)) <= kSymmetryTolerance * size) continue;
      entries[i][j].refuse(
          fmt::format("{}, the value of {}[{}][{}]: a mass matrix is symmetric", M(j, i), value.name(), j, i));
    }
  }
  M = (0.5 * (M + M.transpose())).eval();
  const VectorXd scale = M.diagonal().cwiseSqrt().cwiseInverse();
  MatrixXd L = scale.asDiagonal() * M * scale.asDiagonal();
  const bool definite =
      impact::choleskyInPlace(L) && L.diagonal().cwiseAbs2().minCoeff() > n * kDefiniteEpsilon;  // NaN -> refused
  if (!definite) {
    value.fail(value.name() + " is not positive definite",
               "a mass matrix whose kinetic energy is positive for every motion");
  }
  return M;
}

void readTangents(const Value& root, LoadedProblem& out) {
  impact::ImpactProblem& problem = out.problem;
  const int m = problem.numContacts(), n = problem.numVelocities();
  const Value friction = root.at("friction");
  const auto field = root.find("tangent");
  problem.tangent.assign(m, MatrixXd::Zero(0, n));
  std::vector<Value> items;
  if (field) {
    items = field->items("the tangent rows of each contact");
    if (static_cast<int>(items.size()) != m) field->refuse(fmt::format("a list of {}: one for each contact", m));
  }
  for (int i = 0; i < m; ++i) {
    if (field) {
      const size_t rows = items[i].items("rows: one (planar) or two (spatial), none without friction").size();
      if (rows > 2) items[i].refuse("one row (planar) or two (spatial)");
      problem.tangent[i] = readMatrix(items[i], static_cast<int>(rows), n, "rows");
    }
    if (problem.friction[i] > 0 && problem.tangent[i].isZero(0)) {
      const Value& at = field ? items[i] : friction;
      at.fail(fmt::format("contact {} has friction but {}", i,
                          problem.tangent[i].rows() ? "tangent rows of zeros" : "no tangent rows"),
              "one row (planar) or two (spatial) of a contact with friction; none where friction is 0");
    }
  }
}

/// Throws where a normal is zero. @returns what to know of contacts that no velocity separates all at once, else "".
std::string jamOf(const Value& normal, const impact::ImpactProblem& problem) {
  for (int i = 0; i < problem.numContacts(); ++i) {
    if (problem.normal.row(i).isZero(0)) {
      normal.items("rows")[i].fail(fmt::format("normal[{}] is zero: no velocity separates contact {}", i, i),
                                   "rows that map some velocity to a positive normal velocity");
    }
  }
  const impact::Separability found = impact::findSeparability(problem);
  if (found.separable) return {};
  std::string wedged;
  for (int i = 0; i < problem.numContacts(); ++i) {
    if (found.weights[i] > 0) wedged += fmt::format("{}{}", wedged.empty() ? "" : ", ", i);
  }
  return fmt::format("jammed: no velocity separates all contacts (the normals of contacts {} oppose each other); "
                     "nothing guarantees that its impacts end (Assumption 2 of Halm and Posa)",
                     wedged);
}

}  // namespace

std::string LoadedProblem::locate(const std::string& field) const {
  const auto found = fields.find(field.substr(0, field.find('.')));
  const Position at = found == fields.end() ? Position() : found->second;
  return fmt::format("{}:{}:{}", path, at.line, at.column);
}

std::string LoadedProblem::located(const std::invalid_argument& error) const {
  const auto* of_field = dynamic_cast<const impact::FieldError*>(&error);
  return locate(of_field ? of_field->field : "") + ": " + error.what();
}

LoadedProblem parseProblem(const std::string& text, const std::string& path) {
  const Value root = Value::parse(text, path);
  requireImpactFields(
      root, {"name", "description", "notes", "mass_matrix", "normal", "tangent", "friction", "restitution", "velocity"},
      impact::ModelOption::Place::kProblem);
  LoadedProblem out;
  out.path = path;
  for (const std::string& key : root.keys()) {
    const Position at = root.at(key).position();
    if (key != "name" && key != "description" && key != "notes") out.fields.emplace(key, at);
  }
  const auto name = root.find("name");
  out.name = name ? name->text() : std::filesystem::path(path).stem().string();
  if (const auto description = root.find("description")) out.description = description->text();
  if (const auto notes = root.find("notes")) out.notes = notes->text();

  impact::ImpactProblem& problem = out.problem;
  problem.mass_matrix = readMassMatrix(root.at("mass_matrix"));
  const int n = static_cast<int>(problem.mass_matrix.rows());
  const std::vector<double> velocity = root.at("velocity").numbers(n, "numbers, one for each row of mass_matrix");
  problem.velocity = Eigen::Map<const VectorXd>(velocity.data(), n);
  const Value normal = root.at("normal");
  problem.normal = readMatrix(normal, -1, n, "rows, one for each contact");
  const int m = problem.numContacts();
  if (m == 0) normal.refuse("a list of at least one row: a contact");

  const Value friction = root.at("friction");
  const std::vector<Value> coefficients = friction.items("friction coefficients");
  if (static_cast<int>(coefficients.size()) != m) friction.refuse(fmt::format("a list of {}: one for each contact", m));
  for (const Value& mu : coefficients) problem.friction.push_back(readFriction(mu));
  problem.restitution.assign(m, 0.0);
  if (const auto restitution = root.find("restitution")) {
    const std::vector<Value> items = restitution->items("coefficients from 0 to 1");
    if (static_cast<int>(items.size()) != m) restitution->refuse(fmt::format("a list of {}: one for each contact", m));
    for (int i = 0; i < m; ++i) problem.restitution[i] = items[i].between(0, 1);
  }
  readTangents(root, out);

  readImpactOptions(root, impact::ModelOption::Place::kProblem, m, out.options);
  if (const std::string jam = jamOf(normal, problem); !jam.empty())
    out.warnings.push_back(out.locate("normal") + ": " + jam);
  return out;
}

LoadedProblem loadProblem(const std::string& path) {
  return parseProblem(readTextFile(path, "an impact problem file in YAML or JSON"), path);
}

}  // namespace rigor::scenes
