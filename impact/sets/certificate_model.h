// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <functional>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include "impact/sets/certificate.h"

/// What the checkers of certificates share: sums and products of rational numbers, and the problem worked out anew from
/// its numbers. Nothing of what makes certificates.
namespace rigor::impact::proof {

using Q = mpq_class;
using Row = std::vector<Q>;
using Matrix = std::vector<Row>;
using Signs = SetCertificate::Signs;

struct Refuted : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// @throws Refuted
void require(bool holds, const char* what);
/// What a check threw; empty where it threw nothing.
std::string refutation(const std::function<void()>& check);
size_t at(int index, size_t size, const char* what);
Q product(const Row& a, const Row& b);
void addTimes(Row& a, const Q& factor, const Row& b);
/// X of A X = B by elimination; refuses a singular A. With `definite` every pivot in its place must be positive.
Matrix quotient(Matrix A, Matrix B, bool definite, const char* what);
/// (offset, map) at a point.
Q rowValue(const Row& quantity, const Row& point);

/// The problem in coordinates, worked out anew.
struct Model {
  size_t contacts = 0, rank = 0;
  std::vector<size_t> normal_row;
  std::vector<int> tangent_row;    // -1 without friction
  Matrix rows;                     // contact velocities as combinations of the coordinates
  std::vector<size_t> plane;       // of each row: the first row with the same zeros; itself for most
  std::vector<int> side;           // sign of the row where that one is positive; 0: the row is zero
  Row start;
  std::vector<bool> sorts;         // of each row: its sign tells forces apart
  std::vector<size_t> directions;  // of each contact: of its friction; 1 without
  Matrix impulses;                 // of each contact and direction, one after the other: what they change
  std::vector<size_t> first_impulse;
  Matrix delassus;                 // J M^-1 J' of the coordinates
  Q energy;                        // v' M v before the impact, of all velocities
  Row most;                        // square of what the kinetic energy allows of each row
  Matrix velocity;                 // (offset, map) of each velocity; empty where friction is relaxed
  std::set<Signs> sectors;         // of a spatial contact's borders: their signs in all directions of slip
  bool relaxed = false;

  Model(const SetCertificate::Problem& problem, const std::vector<int>& coordinates);
  void readContacts(const SetCertificate::Problem& problem, Matrix& J, Matrix& pushes);
  Row findStart(const Matrix& J, const std::vector<size_t>& chosen, const Row& before);
  void findPlanes();
  void findVelocities(const Row& before, const Matrix& response, const std::vector<size_t>& chosen, const Row& speed);
  /// (offset, map) of every quantity that has bounds, and their names.
  std::vector<Row> quantities(std::vector<std::string>& names) const;
  /// Number of the force among those of its contact.
  size_t numberOf(int contact, int slip) const {
    const size_t i = at(contact, contacts, "a force of no contact");
    const char* const what = "a friction that the contact does not have";
    if (directions[i] == 1) require(slip == 0, what);
    if (directions[i] == 2) require(slip == 1 || slip == -1, what);
    if (directions[i] <= 2) return slip < 0 ? 1 : 0;
    return at(slip - 1, directions[i], what);
  }
  const Row& effect(int contact, int slip) const {
    const size_t number = numberOf(contact, slip);
    return impulses[first_impulse[static_cast<size_t>(contact)] + number];
  }
  bool isFinished(const Signs& face) const {
    for (size_t i : normal_row) if (face[i] < 0) return false;
    return true;
  }
  /// May contact push with this friction on the face? Not along the slip; of a polygon's corners with the one that
  /// opposes the slip: not beyond the borders to its neighbours.
  bool mayPush(int contact, int slip, const Signs& face) const {
    const size_t k = numberOf(contact, slip), i = static_cast<size_t>(contact);
    if (face[normal_row[i]] > 0) return false;
    if (tangent_row[i] < 0) return true;
    const auto tangent = static_cast<size_t>(tangent_row[i]);
    if (directions[i] == 2) return face[tangent] != slip;
    const auto border = [&](size_t number) {  // d_k . s - d_k+1 . s
      const size_t half = directions[i] / 2;
      return number < half ? face[tangent + 2 + number] : -face[tangent + 2 + number - half];
    };
    return border(k) <= 0 && border((k + directions[i] - 1) % directions[i]) >= 0;
  }
  std::vector<Row> forces(const Signs& face) const {
    std::vector<Row> out;
    for (size_t i = 0; i < contacts; ++i) {
      for (size_t k = 0; k < directions[i]; ++k) {
        const int number = static_cast<int>(k),
                  slip = directions[i] == 1 ? 0 : directions[i] == 2 ? 1 - 2 * number : number + 1;
        if (mayPush(static_cast<int>(i), slip, face)) out.push_back(effect(static_cast<int>(i), slip));
      }
    }
    return out;
  }
  /// Rows that are <= 0 where a force acts: its friction is against the slip.
  Matrix bordersOf(size_t contact, size_t number) const;
  /// The square of what the energy allows of |form.c|: (J v)^2 <= (J M^-1 J') (v' M v).
  Q mostSquared(const Row& form) const;
  /// Are the first `decided` signs those of some slip of every contact?
  bool isSlip(const Signs& face, size_t decided) const {
    for (size_t i = 0; i < contacts; ++i) {
      if (directions[i] <= 2 || tangent_row[i] < 0) continue;
      const size_t first = static_cast<size_t>(tangent_row[i]) + 2, half = directions[i] / 2;
      bool whole = true;
      for (size_t k = 0; k < half; ++k) whole = whole && side[first + k] != 0;
      if (!whole) continue;  // Borders that vanish for every slip.
      bool possible = false;
      for (const Signs& sector : sectors) {
        bool same = true;
        for (size_t k = 0; k < half; ++k)
          same = same && (plane[first + k] >= decided || face[first + k] == sector[k]);
        possible = possible || same;
      }
      if (!possible) return false;
    }
    return true;
  }
  void requireFace(const Signs& face) const {
    require(face.size() == rows.size(), "a face without a sign for every row");
    for (size_t k = 0; k < rows.size(); ++k) {
      require(face[k] >= -1 && face[k] <= 1, "a sign that is none");
      require(face[k] == side[k] * face[plane[k]], "signs of one plane that differ");
    }
  }
};

}  // namespace rigor::impact::proof
