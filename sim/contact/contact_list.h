// SPDX-License-Identifier: MIT
#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "sim/contact/contact_system.h"

namespace rigor::sim {

/// The contacts of a step, their fixed sides, and their equations where the bodies were last placed. Reads like the
/// list of contacts.
class ContactList {
 public:
  size_t size() const { return contacts_.size(); }
  bool empty() const { return contacts_.empty(); }
  Contact& operator[](size_t c) { return contacts_[c]; }
  const Contact& operator[](size_t c) const { return contacts_[c]; }
  Contact& back() { return contacts_.back(); }
  auto begin() { return contacts_.begin(); }
  auto end() { return contacts_.end(); }
  auto begin() const { return contacts_.begin(); }
  auto end() const { return contacts_.end(); }
  const std::vector<Contact>& contacts() const { return contacts_; }

  void clear() { contacts_.clear(), fixed_a_.clear(), fixed_b_.clear(); }
  /// `a`, `b`: where the sides are that do not move within the step; the others are not read.
  void add(const Contact& contact, const Placement& a = {}, const Placement& b = {}) {
    contacts_.push_back(contact), fixed_a_.push_back(a), fixed_b_.push_back(b);
  }
  /// Drops the contacts for which keep(number) is false.
  template <typename Keep>
  void keepOnly(Keep&& keep) {
    size_t to = 0;
    for (size_t c = 0; c < contacts_.size(); ++c) {
      if (!keep(c)) continue;
      if (to != c) contacts_[to] = contacts_[c], fixed_a_[to] = fixed_a_[c], fixed_b_[to] = fixed_b_[c];
      ++to;
    }
    contacts_.resize(to), fixed_a_.resize(to), fixed_b_.resize(to);
  }
  void removeLast() { contacts_.pop_back(), fixed_a_.pop_back(), fixed_b_.pop_back(); }

  /// Kinematics of contact c at the last place().
  const ContactSystem::Kinematics& kinematics(size_t c) const { return system_[static_cast<int>(c)]; }
  const Placement& fixedA(size_t c) const { return fixed_a_[c]; }
  const Placement& fixedB(size_t c) const { return fixed_b_[c]; }
  /// The equations themselves: see there for the functions below.
  ContactSystem& system() { return system_; }
  const ContactSystem& system() const { return system_; }

  void place(SystemState& bodies) { system_.place(bodies, contacts_, fixed_a_, fixed_b_); }
  void prepare(SystemState& bodies) { system_.prepare(bodies, contacts_); }
  void placeOne(const SystemState& bodies, size_t c) {
    system_.placeOne(bodies, contacts_[c], static_cast<int>(c), fixed_a_[c], fixed_b_[c]);
  }
  void update(SystemState& bodies, bool links = true) {
    system_.update(bodies, contacts_, fixed_a_, fixed_b_, links);
  }
  Eigen::Vector3d velocity(const SystemState& bodies, size_t c) const {
    return system_.contactVelocity(bodies, contacts_[c], static_cast<int>(c));
  }
  Eigen::Vector3d addedVelocity(size_t c, double h) const { return system_.addedVelocity(static_cast<int>(c), h); }
  double slipMobility(size_t c) { return system_.slipMobility(contacts_[c], static_cast<int>(c)); }
  Eigen::Vector3d solvedVelocity(size_t c) const { return system_.solvedVelocity(contacts_[c], static_cast<int>(c)); }
  Eigen::Vector3d impulse(size_t c) const { return system_.impulse(static_cast<int>(c)); }
  [[nodiscard]] friction::CoulombStatus solveAccelerations(SystemState& bodies, const Eigen::Vector3d& gravity,
                                                           bool links = true) {
    return system_.solveAccelerations(bodies, contacts_, gravity, links);
  }
  [[nodiscard]] friction::CoulombStatus solveVelocities(const SystemState& bodies, const Eigen::Vector3d& gravity,
                                                        double h, bool with_bias = true, double contradiction = 0) {
    return system_.solveVelocities(bodies, contacts_, gravity, h, with_bias, contradiction);
  }
  void projectVelocities(SystemState& bodies, const ContactSystem::Usual& usual,
                         std::span<Eigen::Vector3d> impulses = {}) {
    system_.projectVelocities(bodies, contacts_, usual, impulses);
  }
  double projectGaps(SystemState& bodies, double tolerance = 0) {
    return system_.projectGaps(bodies, contacts_, tolerance);
  }

  /// Keeps what a decision says about the contacts; restoreModes() makes it so again, for another trial of the step.
  void saveModes();
  void restoreModes();

 private:
  struct Decided {
    friction::ContactMode mode;
    Eigen::Vector2d direction;
    bool slides;
  };

  std::vector<Contact> contacts_;
  std::vector<Placement> fixed_a_, fixed_b_;
  std::vector<Decided> decided_;
  ContactSystem system_;
};

}  // namespace rigor::sim
