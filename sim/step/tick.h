// SPDX-License-Identifier: MIT
#pragma once
#include <span>
#include <vector>

#include "advance/manifold.h"
#include "sim/contact/contacts_of_pairs.h"
#include "sim/contact/tick_contacts.h"
#include "sim/step/proposal.h"
#include "sim/step/rebound_shares.h"

namespace rigor::sim {

/// The contacts and velocities of one tick of a crowd: all points that touch or close within it obey Coulomb's law at
/// velocity level, together, such that no gap at the end is below three quarters of delta.
class Tick {
 public:
  Tick(StepContext& context, Proposal& proposal) : x_(context), proposal_(proposal) {}

  /// Makes the features of all near pairs that touch or may close within `h` the step's contacts. `previous`: of the
  /// tick before, for their forces.
  void findAhead(double h, const std::vector<Contact>& previous);
  enum class Closed {
    kYes,
    kNo,
    kHitFirst,  ///< Something came up that hits at the start: the tick is due once more, from hit() on.
  };
  /// What contacts that close too early in a tick of length h for a smooth motion to stop at them do at its start: one
  /// impact of them and of all that touches, in hits(), which changes the start's velocities. Contacts that hit faster
  /// than the capture speed, with v, leave with at least e v (Moreau 1988), the others with at least 0; where bodies
  /// that push each other would gain energy by that, they leave a share of e away. kNo: it could not be solved.
  [[nodiscard]] Closed hit(double h);
  /// Looks for what comes up at the end of a tick of length h if all goes on as hit() left it, and adds it. @returns
  /// whether some of it hits at the start: hit() is due once more, from the start as it was before.
  bool foresees(double h);
  /// By contact (n, t1, t2) [N s]; empty: nothing hits.
  std::span<const Eigen::Vector3d> hits() const { return hits_; }
  /// How long a tick of length h may be after hit(): to where the first contact arrives that will rebound, which has to
  /// happen with the velocity of its arrival, at least the share of h within which contacts hit at the start; to where
  /// a joint arrives at the end of its range, which pushes nowhere else [s].
  double lengthToArrival(double h) const;
  /// Velocities of a tick of length h, in velocities(), and its ends in the trial; contacts get their forces. Contacts
  /// are lifted to delta where there is energy for it and they all can be; where they cannot, ticks pass before that is
  /// tried again.
  [[nodiscard]] Closed solve(double h, Pause& pause);
  const std::vector<Vector6d>& velocities() const { return u_.bodies; }
  /// Adds what is nearer than a few deltas at time t of a pair that could not be certified. @returns whether there is
  /// any.
  bool addNear(int pair, double t);
  /// Whether forces on the contacts that touch now balance gravity over `window`, whatever the masses: what does not
  /// move stays.
  bool balances(double window);

 private:
  double closingSpeed(const NearPair& pair) const;
  double shallowSine(const NearPair& pair, double h) const;
  enum class Of { kNow, kEnd, kForeseenEnd };
  bool addFeatures(int pair, double t, double reach, Of when, double shallow);
  bool isKnown(const Contact& c, int pair, const advance::ContactFeature& feature, bool frozen) const;
  bool addContact(int pair, const advance::ContactFeature& feature, bool frozen, bool at_end);
  void findPairsOfPrevious();
  void findLimits(double h);
  bool addOfJoint(Contact contact);
  bool renewEndLimits();
  void turnToKnown(int pair, const geom::Shape& A, const geom::Pose& X_A, const geom::Shape& B, const geom::Pose& X_B,
                   advance::ContactFeature& feature) const;
  double endOf(const NearPair& pair, double h) const;
  bool renewEndFeatures(double h);
  void dropUnsupported(double t);
  bool isSupported(size_t contact, const Eigen::Vector3d& point, double t) const;
  bool dropFeatures();
  bool touches(double gap) const { return gap >= x_.scales.floor && gap <= x_.scales.band; }
  double normalSpeed(size_t c, const TickVelocities& velocities) const;
  bool comesEarly(double gap, double speed, double h) const;
  bool runsInto(size_t c, double h) const;
  bool actsAtStart(size_t contact) const;
  bool hitsFirst(double h);
  void findRebounds();
  double hitTolerance(double h) const;
  bool findHits(double h);
  bool solveHits(double tolerance);
  bool lessensGains();
  void kineticEnergies(std::span<const Vector6d> velocities, std::vector<double>& energies) const;
  void moveLinks(TickVelocities& velocities);
  void freeRobots(double h);
  void keepRobotMomentum(double h, size_t robot, const Eigen::Vector3d& turned);
  bool startVelocities(double h);
  void keepMomentum(double h);
  void moveEnds(double h);
  void placeStarts();
  double leastGap() const;
  bool slidesOff() const;
  bool solveAtEnds(double h, bool lift, double share);
  Closed close(double h, bool lift);

  StepContext& x_;
  Proposal& proposal_;
  advance::ManifoldFinder manifold_;
  std::vector<advance::ContactFeature> features_;
  std::vector<Contact> previous_, dropped_;
  ContactsOfPairs of_previous_, at_end_;
  std::vector<char> found_, hitting_;  // By contact.
  std::vector<Eigen::Vector3d> hits_, start_points_;  // By contact: the latter where it was at the start [m].
  std::vector<double> rebound_;  // By contact: e v [m/s].
  ReboundShares shares_;
  std::vector<ReboundShares::Pushed> pushed_;  // By contact.
  std::vector<double> before_, after_;         // By slot: kinetic energies at hits [J].
  std::vector<Eigen::Vector3d> spin_;  // By slot: angular momentum at the end without contacts there.
  std::vector<char> falls_, held_;  // By slot: nothing acts on it; something does in the last solution.
  TickContacts problem_;
  TickVelocities base_, u_;
  TickVelocities starts_;        // After the hits.
  Eigen::VectorXd mean_, rate_;  // Of a robot.
  SystemRobot middle_;           // A robot in the middle of the tick.
  SystemState floating_;         // Ends, with the velocities of one without contacts.
  std::vector<Eigen::Vector3d> turned_;  // By robot: keepRobotMomentum().
  std::vector<int> touching_, pair_of_previous_;
};

}  // namespace rigor::sim
