// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "dynamics/rigid_body.h"
#include "friction/coulomb.h"
#include "sim/contact/contact.h"
#include "sim/contact/feature_place.h"
#include "sim/robot_equations.h"
#include "sim/system_state.h"

namespace rigor::sim {

/// The contact equations of one island at one configuration: Jacobians, Delassus matrix, and the Coulomb problems on
/// them for velocities and accelerations. Holds the workspace of the event loop: no allocation in the steady state.
class ContactSystem {
 public:
  /// Kinematics of a contact at the current configuration.
  struct Kinematics : FeaturePlace {
    Eigen::Matrix<double, 3, 6> Ja, Jb;          ///< Contact velocity = Ja u_a + Jb u_b.
    Eigen::Matrix<double, 6, 3> WJa, WJb;        ///< Inverse mass times J^T.
    Eigen::Vector3d bias;  ///< J' u: contact acceleration without body acceleration. From prepare().
    double turn_rate = 0, turn_bias = 0;  ///< Two edges: how fast their normal turns [rad/s]; what `bias` has of that.
    int side_a = -1, side_b = -1;                ///< Of bodies that are links: rows in the robot's coordinates.
  };

  /// What pushes of a projection are measured with.
  struct Usual {
    double speed;   ///< V of the scene [m/s].
    double window;  ///< Time that contacts' forces act anyway [s].
    double pulls = 1, closed = 0;  ///< Of free bodies: the share of what else may pull, and what is no speed [m/s].
  };

  /// Recomputes what depends on positions, the links' own from their robots' coordinates included. The sides of
  /// contacts that do not move, slot -1, are read from fixed_a / fixed_b, by contact. `links`: else those of links that
  /// touch nothing may stay as they are.
  void place(SystemState& bodies, std::span<const Contact> contacts, std::span<const Placement> fixed_a,
             std::span<const Placement> fixed_b, bool links = true);
  /// The kinematics of contact c alone, for contactVelocity(). @pre links are where their robots' coordinates say, as
  /// they were at a place() but for their motion; the next equations are those of another place().
  void placeOne(const SystemState& bodies, const Contact& contact, int c, const Placement& fixed_a,
                const Placement& fixed_b);
  /// Makes the contact problem of the contacts that are `held` now, for the velocities of `bodies`, which are where
  /// place() saw them.
  void prepare(SystemState& bodies, std::span<const Contact> contacts);
  /// Both.
  void update(SystemState& bodies, std::span<const Contact> contacts, std::span<const Placement> fixed_a,
              std::span<const Placement> fixed_b, bool links = true);

  const Kinematics& operator[](int contact) const { return kinematics_[contact]; }
  /// h J' u of contact c [m/s], without what a normal of edges adds that turns too fast to be followed that long.
  Eigen::Vector3d addedVelocity(int c, double h) const;
  /// Contact velocity (n, t1, t2) of contact c [m/s].
  Eigen::Vector3d contactVelocity(const SystemState& bodies, const Contact& contact, int c) const;

  /// Solves for contact forces on the `held` contacts and the bodies' accelerations under gravity. Modes and directions
  /// of the contacts are guesses in, results out. Without `links` those of robots' links may stay as they are.
  /// @returns the worst status; on kFailed accelerations are unset.
  friction::CoulombStatus solveAccelerations(SystemState& bodies, std::span<Contact> contacts,
                                             const Eigen::Vector3d& gravity, bool links);
  /// Solves for impulses over a window h: end velocities obey Coulomb's law at velocity level. `with_bias` adds
  /// addedVelocity(), the change of J over it; leave it out where J is already that of the end. Where there is no
  /// solution, rows of what sticks may contradict each other by `contradiction` [m/s]. Result: velocities().
  friction::CoulombStatus solveVelocities(const SystemState& bodies, std::span<Contact> contacts,
                                          const Eigen::Vector3d& gravity, double h, bool with_bias = true,
                                          double contradiction = 0);
  std::span<const Vector6d> velocities() const { return velocities_; }
  const Eigen::VectorXd& robotVelocities(int robot) const { return robot_velocities_[robot]; }
  /// World axis of the joint of limit c, such that it opens about or along it, and a point of its child link [m].
  void limitPlace(const SystemState& bodies, const Contact& contact, Eigen::Vector3d& axis, Eigen::Vector3d& point);
  /// The contact velocity that velocities() and robotVelocities() give contact c [m/s].
  Eigen::Vector3d solvedVelocity(const Contact& contact, int c) const;
  /// Makes velocities() those of `bodies`, robots included.
  void applyVelocities(SystemState& bodies);
  /// Gives a robot of the island the generalized velocity v, at the configuration of the last place().
  void setRobotVelocity(SystemState& bodies, int robot, const Eigen::VectorXd& v);
  /// By how much a unit impulse along the row of contact c, a brake, changes its velocity [1/kg].
  double brakeMobility(int c);
  /// By how much a unit impulse along a tangent of contact c changes its slip along it: the larger of the two [1/kg].
  double slipMobility(const Contact& contact, int c);
  /// Rows of contact c on the coordinates of a robot of the island: 3 x nv, added to `rows`.
  void addRobotRows(int c, int robot, Eigen::Ref<Eigen::MatrixXd> rows) const;
  /// What an impulse (n, t1, t2) on contact c changes a robot's velocities by, added to `v`. @pre c is no brake.
  void addRobotResponse(int c, int robot, const Eigen::Vector3d& impulse, Eigen::VectorXd& v);
  /// How fast the gap of contact c, a limit, opens for generalized velocities v of its robot [m/s].
  double limitSpeed(int c, const Eigen::VectorXd& v) const { return sides_[kinematics_[c].side_b].rows.row(0).dot(v); }
  /// RobotEquations::accelerationThere() and respondingInertia() of a robot.
  void robotAcceleration(const SystemRobot& robot, const Eigen::Vector3d& gravity, Eigen::VectorXd& dv) {
    equations(robot).accelerationThere(robot, gravity, dv);
  }
  void robotInertia(const SystemRobot& robot, Eigen::MatrixXd& M) { equations(robot).respondingInertia(robot, M); }
  /// Robots that touch nothing: v' of each of their coordinates; links, and the last update(), are left as they are.
  void accelerateRobots(SystemState& bodies, const Eigen::Vector3d& gravity);
  /// Velocities of a robot's links for generalized velocities v at its configuration; by slot, until the next call.
  std::span<const Vector6d> linkVelocities(const SystemState& bodies, const SystemRobot& robot,
                                           const Eigen::VectorXd& v);
  void writeLinks(SystemState& bodies);  ///< Poses and velocities of the links from their robots' coordinates.
  void placeLinks(SystemState& bodies);  ///< Poses alone.
  /// Of the robots: the fastest decay by their joints' damping at the last update() [1/s].
  double fastestDecay(const SystemState& bodies);
  void robotMassMatrix(const SystemRobot& robot, Eigen::Ref<Eigen::MatrixXd> M) {
    equations(robot).massMatrix(robot, M);
  }
  /// RobotEquations::constrain() and closedVelocities() of a robot.
  void constrainRobot(SystemRobot& robot) { equations(robot).constrain(*robot.model, robot.state); }
  void constrainPositions(SystemRobot& robot) { equations(robot).constrainPositions(*robot.model, robot.state.q); }
  Eigen::MatrixXd closedVelocities(const SystemRobot& robot) { return equations(robot).closedVelocities(); }
  /// Kinetic and potential energy of everything in `bodies`, whatever was updated last [J].
  double energy(const SystemState& bodies, const Eigen::Vector3d& gravity);
  /// Force or impulse on contact c of the last solve (n, t1, t2).
  Eigen::Vector3d impulse(int c) const;

  /// Mass-orthogonal projection of the velocities onto {J_n u = 0 on held, J_t u = 0 on held and sticking contacts},
  /// which cannot increase kinetic energy; redundant rows allowed. Leaves out rows that only pushes far beyond what is
  /// usual could close. Adds what acted on each contact (n, t1, t2) [N s] to `impulses`, unless empty.
  void projectVelocities(SystemState& bodies, std::span<const Contact> contacts, const Usual& usual,
                         std::span<Eigen::Vector3d> impulses = {});
  /// Moves the bodies so that the gaps of the loaded and pressed contacts become their `target`. One Newton step,
  /// mass-orthogonal; none where all are within `tolerance` [m]. @returns the largest |gap - target| before the move.
  double projectGaps(SystemState& bodies, std::span<const Contact> contacts, double tolerance = 0);

 private:
  /// One side of a contact on a link: contact velocity = rows v of robot `robot` of the island, response = M^-1 rows'.
  struct Side {
    int robot = 0, equations = 0;  // The latter of equations_.
    int only = -1;                 // The one row that is not zero; -1: there are three.
    bool responded = true;         // Else the response is not known yet: those of most contacts are never asked for.
    Eigen::MatrixXd rows, response;
    std::vector<int> columns;      // Of `rows`, those that are not zero: of the joints between the link and the root.
    void findColumns();
    void addProduct(const Eigen::MatrixXd& other, Eigen::Matrix3d& block) const;  ///< block += rows other.
    double product(int row, const Eigen::MatrixXd& other, int column) const;      ///< One entry of it.
  };
  RobotEquations& equations(const SystemRobot& robot);
  void applySliding(const SystemState& bodies, std::span<const Contact> contacts);
  /// Acceleration of a free body by what is applied to it from outside. @pre place() saw it.
  Vector6d pushAcceleration(const SystemBody& body, size_t slot) const;
  void addSide(const SystemState& bodies, int slot, const Eigen::Matrix<double, 3, 6>& J, int& side);
  void updateLimit(const SystemState& bodies, const Contact& contact, Kinematics& k);
  void updateBrake(const SystemState& bodies, const Contact& contact, Kinematics& k);
  void respond(int c);
  Side& addJointSide(const SystemRobot& robot, int place, Kinematics& k);
  template <typename Twist, typename Velocity>
  Eigen::Vector3d multiply(const Contact& contact, const Kinematics& k, Twist&& twist, Velocity&& velocity) const;
  Eigen::Matrix3d coupling(const Contact& a, const Kinematics& ka, const Contact& b, const Kinematics& kb) const;
  double coupling(const Contact& a, const Kinematics& ka, int row_a, const Contact& b, const Kinematics& kb,
                  int row_b) const;
  void placeBody(const SystemState& bodies, int slot, const Eigen::Matrix<double, 3, 6>& J,
                 Eigen::Matrix<double, 6, 3>& WJ, int& side);
  void updateRobots(SystemState& bodies, std::span<const unsigned char> links = {});
  void listTouched(const SystemState& bodies, std::span<const Contact> contacts);
  void makeProblem(const SystemState& bodies, std::span<const Contact> contacts);
  void updateBias(const SystemState& bodies, const Contact& contact, Kinematics& k) const;
  void gather(const SystemState& bodies, std::span<const Contact> contacts);
  void pressBrakes(std::span<const Contact> contacts, double duration);
  void assemble(std::span<const Contact> contacts);
  void leaveOutRounding(int m);
  void takeLaws(std::span<const Contact> contacts, double duration);
  friction::CoulombStatus solveOnce(std::span<const Contact> contacts, double duration,
                                    const friction::CoulombOptions& options);
  friction::CoulombStatus solveSlipping(std::span<const Contact> contacts, double duration);
  friction::CoulombStatus solve(std::span<Contact> contacts, double duration, double contradiction = 0, double g = 0);
  void factorRows(std::span<const Contact> contacts);
  void solveRows();
  bool dropWeakest(const SystemState& bodies, std::span<const Contact> contacts, const Usual& usual);
  bool letGo(const SystemState& bodies, std::span<const Contact> contacts, const Usual& usual);
  double lighterSide(const SystemState& bodies, const Contact& contact) const;
  void applyRows(SystemState& bodies, std::span<const Contact> contacts, bool positions);

  std::vector<Kinematics> kinematics_;
  std::vector<int> held_, row_of_;            // Contacts in the problem; place of each contact in it, -1 if none.
  double mass_ratio_ = 1;                     // Of the free bodies that these touch.
  Eigen::MatrixXd A_;                         // Delassus matrix of the held contacts.
  Eigen::VectorXd b_, f_;
  std::vector<double> mu_;
  std::vector<unsigned char> slides_, brakes_;
  std::vector<Eigen::Vector2d> direction_, direction_out_;
  std::vector<friction::ContactMode> modes_;
  std::vector<Vector6d> velocities_, link_bias_;
  std::vector<RobotEquations> equations_;     // By SystemRobot::id.
  std::vector<Side> sides_;                   // The first num_sides_ are in use.
  int num_sides_ = 0;
  std::vector<dynamics::ArticulatedState> placed_;  // Where the last place() saw the robots.
  std::vector<Eigen::VectorXd> robot_velocities_, displacement_;
  std::vector<Eigen::VectorXd> braking_;  // Of brakes that slide, on each robot's coordinates; empty: none.
  std::vector<Placement> placement_;
  std::vector<Eigen::Matrix3d> inverse_inertia_;
  std::vector<unsigned char> touched_;    // Bodies with contacts, and the links that carry them.
  // Constrained rows of a projection: (contact, axis).
  std::vector<int> rows_, pivots_;
  int rank_ = 0;
  Eigen::MatrixXd S_;                         // Their couplings, factored.
  Eigen::VectorXd rhs_;                       // What they change by; then impulses.
  friction::CoulombSolver solver_;
};

}  // namespace rigor::sim
