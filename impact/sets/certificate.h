// SPDX-License-Identifier: MIT
#pragma once
#include <gmpxx.h>

#include <string>
#include <vector>

namespace rigor::impact {

/// Proof of what the outcomes of an impact without restitution can be: plain data, rational numbers throughout.
///
/// Rows of contact velocities: contact by contact its normal, then, where it has friction, its tangent, or two tangents
/// and the borders between the directions of slip (half as many as the polygon has corners: d_k - d_k+1). Points are
/// given in the `coordinates`, independent rows from which the others follow. docs/impact-sets.md says what proves
/// what.
struct SetCertificate {
  using Rationals = std::vector<mpq_class>;
  using Signs = std::vector<int>;  ///< Of every row: -1, 0, 1. Of spatial tangents 0: borders tell their slip.

  struct Problem {
    std::vector<Rationals> mass_matrix, normal;
    /// No, one or two rows for a contact: without friction, planar, spatial.
    std::vector<std::vector<Rationals>> tangent;
    Rationals friction, velocity;
    /// Corners (x, y) of the polygon that stands for the circle of friction; empty without spatial contacts.
    std::vector<Rationals> polygon;
    /// 1 for a contact whose friction may have any direction whatever the slip, a relaxation: it has its normal row
    /// alone, and the proof is from outside. Empty: none.
    std::vector<int> any_direction;
  };

  // -- From inside: how outcomes are reached.
  struct Force {
    int contact = 0, slip = 0;  ///< slip: the sign of the friction, or the corner of the polygon from 1; 0 without.
    mpq_class weight;           ///< Normal impulse [N s]; >= 0.
  };
  struct Segment {
    Signs face;
    std::vector<Force> forces;
  };
  struct Chain {
    std::vector<Segment> segments;
    /// Forces of another motion over the same faces, every segment of which starts while a contact approaches. Given
    /// where a segment of the chain does not: motions between the two are such motions, and the chain is their limit.
    std::vector<std::vector<Force>> beside;
    Rationals end;
  };

  // -- From outside: sets of states that no motion leaves.
  struct Term {
    int index = 0;
    mpq_class factor;
  };
  /// Why a.u + b >= 0: a = sum y t a_plane + sum z A_half + sum x E, with what is known of the source and of the
  /// target.
  struct Reason {
    std::vector<Term> source;  ///< Of half-spaces of the element the motion starts in; then of its face's planes.
    std::vector<Term> target;  ///< Of the planes of the face the motion is on.
  };
  struct Element {
    Signs face;
    std::vector<Rationals> halfspaces;  ///< (b, a): b + a.u >= 0. Its states lie in the closure of the face, too.
  };
  /// The part of an element on the plane of `row`, or all of it (row -1), and where it moves on the face `target`.
  struct Step {
    int element = 0, row = -1;
    Signs target;
    std::vector<Reason> zeros;     ///< row >= 0: for each further row that vanishes there, why it has no other sign.
    std::vector<int> zero_rows;
    int into = -1;                 ///< Element that holds what is reached; -1: nothing is, for the reason below.
    std::vector<Reason> reasons;   ///< into >= 0: one for each half-space of it. Else why the part is empty.
  };
  /// The forces of `target` do not lead into its inside from states on `face`: against the sign of `row`.
  struct Barrier {
    Signs face, target;
    int row = 0;
    Reason reason;
  };
  /// |row| <= value: the kinetic energy does not grow. Reasons name them after the rows in `target`: value - row, then
  /// value + row.
  struct Limit {
    int row = 0;
    mpq_class value;
  };
  struct Bound {
    std::string name;
    mpq_class inner_low, inner_high, outer_low, outer_high;
    int low_chain = -1, high_chain = -1;     ///< Chains that attain the inner bounds.
    std::vector<Reason> low, high;           ///< For each element with finished states.
  };

  Problem problem;
  std::vector<int> coordinates;
  std::vector<Chain> chains;
  std::vector<std::vector<int>> pieces;      ///< Chains that end in the vertices of one polytope.
  std::vector<Limit> limits;                 ///< Of a relaxed problem.
  std::vector<Element> elements;
  std::vector<Step> steps;
  std::vector<Barrier> barriers;
  std::vector<int> unfinished;               ///< Elements without a finished state, ...
  std::vector<Reason> why_unfinished;        ///< ... and why.
  std::vector<Bound> bounds;
  bool complete = false;                     ///< The outer part is there.
};

}  // namespace rigor::impact
