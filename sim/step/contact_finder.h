// SPDX-License-Identifier: MIT
#pragma once
#include <vector>

#include "advance/manifold.h"
#include "sim/contact/contact_list.h"
#include "sim/step/near_pairs.h"

namespace rigor::sim {

/// Finds what touches at the start of a step.
class ContactFinder {
 public:
  ContactFinder(const StepWorld& world, NearPairs& pairs) : x_(world), pairs_(pairs) {}

  /// Touching points of all near pairs, limits and brakes at the start of the step, with what the last step knew of
  /// them (`before`).
  void find(const std::vector<Contact>& before, ContactList& contacts);
  Contact make(int pair, const advance::ContactFeature& feature) const;
  Contact makeLimit(int robot, int limit) const;
  Contact makeBrake(int robot, int brake) const;
  /// Bodies of other groups that this one touches: contact forces and impacts have to be solved for all together.
  /// @returns whether there are any.
  bool touchesOthers(const ContactList& contacts, std::vector<int>& touched) const;

 private:
  void findLimits();

  const StepWorld& x_;
  NearPairs& pairs_;
  advance::ManifoldFinder manifold_;
  std::vector<advance::ContactFeature> features_;
  std::vector<Contact> found_;
};

/// Of every pair's patch, keeps at most four points in the contact problem: two far ends and the farthest on either
/// side of the line between them. The others stay certified, and come back when the motion would press one of them in.
void reducePatches(ContactList& contacts);

}  // namespace rigor::sim
