// SPDX-License-Identifier: MIT
#include "impact/sets/certificate_model.h"

#include <algorithm>

namespace rigor::impact::proof {

void require(bool holds, const char* what) {
  if (!holds) throw Refuted(what);
}

std::string refutation(const std::function<void()>& check) {
  try {
    check();
  } catch (const std::exception& refuted) {
    return refuted.what();
  }
  return {};
}

size_t at(int index, size_t size, const char* what) {
  require(index >= 0 && static_cast<size_t>(index) < size, what);
  return static_cast<size_t>(index);
}

Q product(const Row& a, const Row& b) {
  require(a.size() == b.size(), "sizes that do not fit");
  Q sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

void addTimes(Row& a, const Q& factor, const Row& b) {
  require(a.size() == b.size(), "sizes that do not fit");
  for (size_t i = 0; i < a.size(); ++i) a[i] += factor * b[i];
}

Matrix quotient(Matrix A, Matrix B, bool definite, const char* what) {
  for (size_t k = 0; k < A.size(); ++k) {
    size_t p = k;
    while (!definite && p < A.size() && A[p].at(k) == 0) ++p;
    require(p < A.size() && (!definite || A[k].at(k) > 0), what);
    A[k].swap(A[p]);
    B[k].swap(B[p]);
    for (size_t i = k + 1; i < A.size(); ++i) {
      const Q factor = -A[i].at(k) / A[k][k];
      if (factor == 0) continue;
      addTimes(A[i], factor, A[k]);
      addTimes(B[i], factor, B[k]);
    }
  }
  for (size_t k = A.size(); k-- > 0;) {
    for (size_t j = k + 1; j < A.size(); ++j) addTimes(B[k], -A[k][j], B[j]);
    for (Q& entry : B[k]) entry /= A[k][k];
  }
  return B;
}

Q rowValue(const Row& quantity, const Row& point) {  // (offset, map)
  require(quantity.size() == point.size() + 1, "a point of another dimension");
  Q sum = quantity[0];
  for (size_t i = 0; i < point.size(); ++i) sum += quantity[i + 1] * point[i];
  return sum;
}

namespace {

/// Signs of the borders in every direction of slip: against the corners, and along the borders between.
std::set<Signs> sectorsOf(const Matrix& polygon) {
  const size_t edges = polygon.size();
  require(edges >= 4 && edges % 2 == 0, "a polygon of friction without an even number of corners");
  for (size_t k = 0; k < edges; ++k) {
    require(polygon[k].size() == 2, "a corner that is not in the plane");
    const Row &here = polygon[k], &next = polygon[(k + 1) % edges], &opposite = polygon[(k + edges / 2) % edges];
    require(here[0] * next[1] - here[1] * next[0] > 0, "corners that do not go round");
    require(here[0] + opposite[0] == 0 && here[1] + opposite[1] == 0, "a polygon without symmetry");
  }
  std::set<Signs> sectors{Signs(edges / 2, 0)};
  for (size_t k = 0; k < edges; ++k) {
    Row side = polygon[k];
    addTimes(side, -1, polygon[(k + 1) % edges]);
    for (const Row& against : {polygon[k], Row{-side[1], side[0]}}) {
      Signs signs;
      for (size_t b = 0; b < edges / 2; ++b) {
        Row border = polygon[b];
        addTimes(border, -1, polygon[b + 1]);
        signs.push_back(-sgn(product(border, against)));
      }
      sectors.insert(signs);
    }
  }
  // That many there are: as many lines through a point have two sectors and two rays each.
  require(sectors.size() == 2 * edges + 1, "a polygon whose corners do not oppose a sector each");
  return sectors;
}

}  // namespace

/// Rows of the Jacobian, and what a force of each contact and direction pushes.
void Model::readContacts(const SetCertificate::Problem& problem, Matrix& J, Matrix& pushes) {
  if (!problem.polygon.empty()) sectors = sectorsOf(problem.polygon);
  const size_t n = problem.velocity.size();
  for (size_t i = 0; i < contacts; ++i) {
    const Q& mu = problem.friction[i];
    const Matrix& tangents = problem.tangent[i];
    require(mu >= 0 && (mu > 0) == !tangents.empty() && tangents.size() <= 2,
            "friction without a tangent, or the reverse");
    const bool any = !problem.any_direction.empty() && problem.any_direction[i] != 0;
    relaxed = relaxed || any;
    normal_row.push_back(J.size());
    J.push_back(problem.normal[i]);
    sorts.push_back(true);
    tangent_row.push_back(any || tangents.empty() ? -1 : static_cast<int>(J.size()));
    for (const Row& tangent : tangents) {
      require(tangent.size() == n && problem.normal[i].size() == n, "a Jacobian whose size does not fit");
      if (any) continue;
      J.push_back(tangent);
      sorts.push_back(tangents.size() == 1);
    }
    require(tangents.size() < 2 || !problem.polygon.empty(), "a spatial contact without a polygon of friction");
    for (size_t k = 0; tangents.size() == 2 && !any && 2 * k < problem.polygon.size(); ++k) {
      Row border(n, 0);
      for (size_t t = 0; t < 2; ++t) addTimes(border, problem.polygon[k][t] - problem.polygon[k + 1][t], tangents[t]);
      J.push_back(border);
      sorts.push_back(true);
    }
    first_impulse.push_back(pushes.size());
    directions.push_back(tangents.empty() ? 1 : tangents.size() == 1 ? 2 : problem.polygon.size());
    for (size_t k = 0; k < directions.back(); ++k) {
      Row push = problem.normal[i];
      if (tangents.size() == 1) addTimes(push, k == 0 ? mu : Q(-mu), tangents[0]);
      for (size_t t = 0; t < 2 && tangents.size() == 2; ++t) addTimes(push, mu * problem.polygon[k][t], tangents[t]);
      pushes.push_back(push);
    }
  }
}

/// Rows with the same zeros share a plane.
void Model::findPlanes() {
  for (size_t k = 0; k < rows.size(); ++k) {
    size_t lead = 0;
    while (lead < rank && rows[k][lead] == 0) ++lead;
    plane.push_back(k);
    side.push_back(lead < rank && sorts[k] ? 1 : 0);
    for (size_t j = 0; j < k && side[k] != 0; ++j) {
      if (side[j] == 0 || plane[j] != j || rows[j][lead] == 0) continue;
      Row difference = rows[k];
      const Q ratio = rows[k][lead] / rows[j][lead];
      addTimes(difference, -ratio, rows[j]);
      if (difference != Row(rank, 0)) continue;
      plane.back() = j;
      side.back() = ratio > 0 ? 1 : -1;
      break;
    }
  }
}

Model::Model(const SetCertificate::Problem& problem, const std::vector<int>& coordinates)
    : contacts(problem.normal.size()) {
  const size_t n = problem.velocity.size();
  require(problem.tangent.size() == contacts && problem.friction.size() == contacts &&
              problem.mass_matrix.size() == n &&
              (problem.any_direction.empty() || problem.any_direction.size() == contacts),
          "a problem whose sizes do not fit");
  Matrix J, pushes;
  readContacts(problem, J, pushes);
  for (size_t i = 0; i < n; ++i) {
    for (size_t j = 0; j < n; ++j)
      require(problem.mass_matrix[i].at(j) == problem.mass_matrix[j].at(i), "a mass matrix that is not symmetric");
  }
  Matrix Jt(n, Row(J.size()));
  for (size_t k = 0; k < J.size(); ++k) {
    require(J[k].size() == n, "a Jacobian whose size does not fit");
    for (size_t i = 0; i < n; ++i) Jt[i][k] = J[k][i];
  }
  const Matrix response = quotient(problem.mass_matrix, Jt, true, "a mass matrix that is not positive definite");
  Matrix pushed(n, Row(pushes.size()));
  for (size_t k = 0; k < pushes.size(); ++k) {
    require(pushes[k].size() == n, "a Jacobian whose size does not fit");
    for (size_t i = 0; i < n; ++i) pushed[i][k] = pushes[k][i];
  }
  pushed = quotient(problem.mass_matrix, pushed, true, "a mass matrix that is not positive definite");

  rank = coordinates.size();
  Matrix gram(rank, Row(rank)), right(rank, Row(J.size()));
  std::vector<size_t> chosen;
  for (int c : coordinates) chosen.push_back(at(c, J.size(), "a coordinate that is no row"));
  for (size_t a = 0; a < rank; ++a) {
    for (size_t b = 0; b < rank; ++b) gram[a][b] = product(J[chosen[a]], J[chosen[b]]);
    for (size_t k = 0; k < J.size(); ++k) right[a][k] = product(J[chosen[a]], J[k]);
  }
  const Matrix combination = quotient(gram, right, true, "coordinates that depend on each other");
  for (size_t k = 0; k < J.size(); ++k) {
    Row row, back(n, 0);
    for (size_t a = 0; a < rank; ++a) row.push_back(combination[a][k]), addTimes(back, combination[a][k], J[chosen[a]]);
    require(back == J[k], "coordinates that do not give every contact velocity");
    rows.push_back(row);
  }
  for (size_t k = 0; k < pushes.size(); ++k) {
    Row effect;
    for (size_t a = 0; a < rank; ++a) {
      Q sum = 0;
      for (size_t i = 0; i < n; ++i) sum += J[chosen[a]][i] * pushed[i][k];
      effect.push_back(sum);
    }
    impulses.push_back(effect);
  }
  Matrix all(rank, Row(J.size(), 0));  // coordinates x rows
  for (size_t a = 0; a < rank; ++a) {
    for (size_t i = 0; i < n; ++i) addTimes(all[a], J[chosen[a]][i], response[i]);
  }
  const Row speed = findStart(J, chosen, problem.velocity);
  findPlanes();
  // (J v)^2 <= (J M^-1 J') (v' M v), and the kinetic energy does not grow.
  for (size_t i = 0; i < n; ++i) energy += problem.velocity[i] * product(problem.mass_matrix[i], problem.velocity);
  for (size_t k = 0; k < J.size(); ++k) {
    Q sum = 0;
    for (size_t i = 0; i < n; ++i) sum += J[k][i] * response[i][k];
    most.push_back(sum * energy);
  }
  delassus.assign(rank, Row(rank));
  for (size_t a = 0; a < rank; ++a) {
    for (size_t b = 0; b < rank; ++b) delassus[a][b] = all[a][chosen[b]];
  }
  if (relaxed) return;
  findVelocities(problem.velocity, response, chosen, speed);
}

/// @returns speeds of the rows, as they are.
Row Model::findStart(const Matrix& J, const std::vector<size_t>& chosen, const Row& before) {
  // Speeds of the start below a billionth of the largest are zero.
  Q largest = 0;
  Row speed;
  for (const Row& row : J) {
    speed.push_back(product(row, before));
    if (abs(speed.back()) > largest) largest = abs(speed.back());
  }
  const Q least = largest / 1'000'000'000;
  for (size_t a : chosen) start.push_back(abs(speed[a]) < least ? Q(0) : speed[a]);
  for (size_t k = 0; k < J.size(); ++k)
    require(abs(speed[k]) >= least || product(rows[k], start) == 0, "a start that is not snapped");
  return speed;
}

void Model::findVelocities(const Row& before, const Matrix& response, const std::vector<size_t>& chosen,
                           const Row& speed) {
  const size_t n = before.size();
  Matrix columns(rank);
  for (size_t a = 0; a < rank; ++a) {
    for (size_t i = 0; i < n; ++i) columns[a].push_back(response[i][chosen[a]]);
  }
  // v = v0 + M^-1 Jc' Wc^-1 (c - Jc v0), with Wc symmetric: the transposed product is solved for.
  const Matrix map = quotient(delassus, columns, true, "coordinates that depend on each other");
  for (size_t i = 0; i < n; ++i) {
    Row row{before[i]};
    for (size_t a = 0; a < rank; ++a) {
      row.push_back(map[a][i]);
      row[0] -= map[a][i] * speed[chosen[a]];
    }
    velocity.push_back(row);
  }
}

Matrix Model::bordersOf(size_t contact, size_t number) const {
  Matrix out;
  if (tangent_row[contact] < 0) return out;
  const auto tangent = static_cast<size_t>(tangent_row[contact]);
  const auto add = [&](size_t row, int sign) {
    out.push_back(rows[row]);
    for (Q& entry : out.back()) entry *= sign;
  };
  const size_t count = directions[contact], half = count / 2;
  if (count == 2) {
    add(tangent, number == 0 ? 1 : -1);
    return out;
  }
  const auto addBorder = [&](size_t k, int sign) {
    add(tangent + 2 + (k < half ? k : k - half), k < half ? sign : -sign);
  };
  addBorder(number, 1);
  addBorder((number + count - 1) % count, -1);
  return out;
}

Q Model::mostSquared(const Row& form) const {
  Q sum = 0;
  for (size_t i = 0; i < form.size(); ++i) sum += form[i] * product(delassus[i], form);
  return sum * energy;
}

std::vector<Row> Model::quantities(std::vector<std::string>& names) const {
  std::vector<Row> out;
  names.clear();
  for (size_t i = 0; i < contacts; ++i) {
    out.emplace_back(Row{0});
    out.back().insert(out.back().end(), rows[normal_row[i]].begin(),
                      rows[normal_row[i]].end());
    names.push_back("vn" + std::to_string(i));
    for (size_t t = 0; tangent_row[i] >= 0 && t < (directions[i] > 2 ? 2u : 1u); ++t) {
      const Row& row = rows[static_cast<size_t>(tangent_row[i]) + t];
      out.emplace_back(Row{0});
      out.back().insert(out.back().end(), row.begin(), row.end());
      names.push_back(std::string("vt").append(std::to_string(i)).append(t == 0 ? "_0" : "_1"));
    }
  }
  for (size_t i = 0; i < velocity.size(); ++i) {
    out.push_back(velocity[i]);
    names.push_back(std::string("v").append(std::to_string(i)));
  }
  return out;
}

}  // namespace rigor::impact::proof
