// SPDX-License-Identifier: MIT
#include "impact/models/rosenbrock.h"

#include <algorithm>
#include <cmath>

#include "elementary/elementary.h"

namespace rigor::impact {
namespace {

constexpr double kGamma = 0.25;
// Stage i is evaluated at x + sum_j kA[i][j] g_j, and (1 / (gamma h) - J) g_i = f + sum_j kC[i][j] g_j / h.
constexpr double kA[6][5] = {
    {},
    {1.544},
    {0.9466785280815826, 0.2557011698983284},
    {3.314825187068521, 2.896124015972201, 0.9986419139977817},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950},
    {1.221224509226641, 6.019134481288629, 12.53708332932087, -0.6878860361058950, 1}};
constexpr double kC[6][5] = {
    {},
    {-5.6688},
    {-2.430093356833875, -0.2063599157091915},
    {-0.1073529058151375, -9.594562251023355, -20.47028614809616},
    {7.496443313967647, -10.24680431464352, -33.99990352819905, 11.70890893206160},
    {8.083246795921522, -7.981132988064893, -31.52159432874371, 16.31930543123136, -6.058818238834054}};
constexpr double kSafety = 0.9, kLeastGrowth = 1.0 / 6, kMostGrowth = 5;

}  // namespace

void RosenbrockStep::factorise(const Eigen::MatrixXd& jacobian, double h) {
  matrix_ = -jacobian;
  matrix_.diagonal().array() += 1 / (kGamma * h);
  lu_.factor(matrix_);
}

void RosenbrockStep::startStage(int stage, const Eigen::VectorXd& x, double h) {
  point_ = x;
  sum_.setZero(x.size());
  rate_.resize(x.size());
  for (int j = 0; j < stage; ++j) {
    point_ += kA[stage][j] * slope_[j];
    sum_ += (kC[stage][j] / h) * slope_[j];
  }
}

void RosenbrockStep::finishStage(int stage) {
  sum_ += rate_;
  lu_.solve(sum_, slope_[stage]);
}

double rosenbrockGrowth(double error) {
  const double growth = kSafety / elementary::fourthRoot(error);
  return growth >= kLeastGrowth ? std::min(growth, kMostGrowth) : kLeastGrowth;  // NaN shrinks.
}

}  // namespace rigor::impact
