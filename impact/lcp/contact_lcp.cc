// SPDX-License-Identifier: MIT
#include "impact/lcp/contact_lcp.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <stdexcept>

#include "elementary/elementary.h"
#include "impact/problem/field_error.h"
#include "impact/problem/problem_check.h"

namespace rigor::impact {
namespace {

// Gains of kinetic energy up to this fraction are rounding.
constexpr double kEnergyRounding = 1e-12;
constexpr int kEnergyBisections = 40;
constexpr int kSettlings = 4;

}  // namespace

bool ContactLcp::isSame(const ImpactProblem& problem, int cone_edges) const {
  const auto same = [](const auto& a, const auto& b) {
    return a.rows() == b.rows() && a.cols() == b.cols() && (a.array() == b.array()).all();
  };
  if (!problem_ || static_cast<int>(cos_.size()) != cone_edges || problem.friction != prepared_.friction ||
      problem.restitution.size() != prepared_.restitution.size() ||
      problem.tangent.size() != prepared_.tangent.size() || !same(problem.velocity, prepared_.velocity) ||
      !same(problem.normal, prepared_.normal) || !same(problem.mass_matrix, prepared_.mass_matrix)) {
    return false;
  }
  for (std::size_t i = 0; i < problem.tangent.size(); ++i) {
    if (!same(problem.tangent[i], prepared_.tangent[i])) return false;
  }
  return true;
}

void ContactLcp::reset(const ImpactProblem& problem) {
  problem_ = &problem;
  v_ = problem.velocity;
  total_.setZero(rows_);
  worst_residual_ = 0;
  lcps_ = 0;
}

bool ContactLcp::prepare(const ImpactProblem& problem, int cone_edges) {
  if (isSame(problem, cone_edges)) {
    reset(problem);
    return false;
  }
  problem_ = nullptr;  // Nothing is prepared where this throws.
  m_ = problem.numContacts();
  const int n = problem.numVelocities();
  checkProblem(problem);
  const bool round = cone_edges == kRoundCones;
  if (!round && (cone_edges < 4 || cone_edges % 2 != 0))
    throw FieldError("cone_edges", "cone_edges must be even and at least 4");

  first_.resize(m_);
  count_.resize(m_);
  cone_.resize(m_);
  mu_.resize(m_);
  rows_ = m_;
  cones_ = 0;
  for (int i = 0; i < m_; ++i) {
    mu_[i] = std::isinf(problem.friction[i]) ? kNoSlipFriction : problem.friction[i];
    const int tangents = mu_[i] > 0 ? static_cast<int>(problem.tangent[i].rows()) : 0;
    first_[i] = rows_;
    count_[i] = tangents == 0 || round ? tangents : tangents == 1 ? 2 : cone_edges;
    cone_[i] = tangents == 0 ? -1 : cones_++;
    rows_ += count_[i];
  }
  if (static_cast<int>(cos_.size()) != cone_edges) {
    cos_.resize(cone_edges);
    sin_.resize(cone_edges);
    for (int k = 0; k < cone_edges; ++k) {
      cos_[k] = elementary::cos(2 * std::numbers::pi * k / cone_edges);
      sin_[k] = elementary::sin(2 * std::numbers::pi * k / cone_edges);
    }
  }
  J_.resize(rows_, n);
  J_.topRows(m_) = problem.normal;
  for (int i = 0; i < m_; ++i) {
    if (round && count_[i] > 0) J_.middleRows(first_[i], count_[i]) = problem.tangent[i];
    for (int k = 0; !round && k < count_[i]; ++k) {
      if (count_[i] == 2) {
        J_.row(first_[i] + k) = (k == 0 ? 1 : -1) * problem.tangent[i].row(0);
      } else {
        J_.row(first_[i] + k) = cos_[k] * problem.tangent[i].row(0) + sin_[k] * problem.tangent[i].row(1);
      }
    }
  }
  if (!mass_.factor(problem.mass_matrix)) throw std::invalid_argument("mass matrix must be positive definite");
  mass_inverse_Jt_ = J_.transpose();
  mass_.solveInPlace(mass_inverse_Jt_);
  inverse_mass_.resize(rows_);
  inverse_mass_scale_ = rows_ > 0 ? 0 : 1;
  for (int i = 0; i < rows_; ++i) {
    inverse_mass_[i] = J_.row(i).dot(mass_inverse_Jt_.col(i));
    inverse_mass_scale_ = std::max(inverse_mass_scale_, inverse_mass_[i]);
  }
  if (!(inverse_mass_scale_ > 0)) inverse_mass_scale_ = 1;

  reset(problem);
  Jv_.noalias() = J_ * v_;
  velocity_scale_ = Jv_.size() > 0 ? Jv_.cwiseAbs().maxCoeff() : 0;
  if (!(velocity_scale_ > 0)) velocity_scale_ = 1;
  size_ = rows_ + cones_;
  routh_sized_ = false;
  if (!round) fillMatrix();
  energy_before_ = energy();
  prepared_ = problem;
  return true;
}

void ContactLcp::fillMatrix() {
  W_.setZero(size_, size_);
  W_.topLeftCorner(rows_, rows_).noalias() = J_ * mass_inverse_Jt_;
  W_.topLeftCorner(rows_, rows_) /= inverse_mass_scale_;
  for (int i = 0; i < m_; ++i) {
    if (cone_[i] < 0) continue;
    const int g = rows_ + cone_[i];
    const double damp = 1 / std::sqrt(std::max(1.0, mu_[i]));
    for (int k = 0; k < count_[i]; ++k) {
      W_(first_[i] + k, g) = damp;
      W_(g, first_[i] + k) = -damp;
    }
    W_(g, i) = mu_[i] * damp;
  }
}

double ContactLcp::energy() const {
  double sum = 0;
  for (Eigen::Index j = 0; j < v_.size(); ++j) sum += v_[j] * problem_->mass_matrix.col(j).dot(v_);
  return 0.5 * sum;
}

double ContactLcp::normalVelocity(int contact) const { return J_.row(contact).dot(v_); }

double ContactLcp::smallestNormalVelocity() const {
  double smallest = HUGE_VAL;
  for (int i = 0; i < m_; ++i) smallest = std::min(smallest, normalVelocity(i));
  return smallest;
}

double ContactLcp::stoppingImpulse() const {
  double largest = 0;
  for (int i = 0; i < m_; ++i) {
    if (inverseMass(i) > 0) largest = std::max(largest, -normalVelocity(i) / inverseMass(i));
  }
  return largest;
}

LcpStatus ContactLcp::advance(LemkeSolver& lemke, int offset, const Eigen::MatrixXd& matrix, const double* covering,
                              const double* given) {
  LemkeOptions options;
  options.covering = covering;
  z_.resize(q_.size());
  ++lcps_;
  if (lemke.solve(matrix, q_, z_, options) != LcpStatus::kSolved) return LcpStatus::kFailed;
  worst_residual_ = std::max(worst_residual_, lemke.residual());
  return take(offset, given);
}

LcpStatus ContactLcp::take(int offset, const double* given) {
  step_ = z_.segment(offset, rows_) * impulseScale();
  if (given) {
    for (int i = 0; i < m_; ++i) step_[i] += given[i];
  }
  return takeStep();
}

LcpStatus ContactLcp::takeStep() {
  total_ += step_;
  v_.noalias() += mass_inverse_Jt_ * step_;
  return v_.allFinite() ? LcpStatus::kSolved : LcpStatus::kFailed;
}

LcpStatus ContactLcp::solveImpact(LemkeSolver& lemke, const double* given, const double* covering) {
  q_.setZero(size_);
  Jv_.noalias() = J_ * v_;
  q_.head(rows_) = Jv_ / velocity_scale_;
  if (given) {
    for (int i = 0; i < m_; ++i) {
      if (given[i] != 0) q_ += W_.col(i) * (given[i] / impulseScale());
    }
  }
  return advance(lemke, 0, W_, covering, given);
}

LcpStatus ContactLcp::acceptImpact(const Eigen::Ref<const Eigen::VectorXd>& impulse) {
  q_.setZero(size_);
  Jv_.noalias() = J_ * v_;
  q_.head(rows_) = Jv_ / velocity_scale_;
  z_.setZero(size_);
  z_.head(rows_) = impulse;
  // Slip speeds: what J_D v' + E g >= 0 needs.
  step_ = q_.head(rows_) + W_.topLeftCorner(rows_, rows_) * impulse;
  for (int i = 0; i < m_; ++i) {
    if (cone_[i] < 0) continue;
    const double slip = -step_.segment(first_[i], count_[i]).minCoeff();
    z_[rows_ + cone_[i]] = std::max(0.0, slip) / W_(first_[i], rows_ + cone_[i]);
  }
  const double residual = lcpResidual(W_, q_, z_);
  if (!(residual <= LemkeOptions{}.tolerance)) return LcpStatus::kFailed;  // NaN -> failed
  worst_residual_ = std::max(worst_residual_, residual);
  ++lcps_;
  step_ = impulse * impulseScale();
  total_ += step_;
  v_.noalias() += mass_inverse_Jt_ * step_;
  return LcpStatus::kSolved;
}

void ContactLcp::sizeRouthMatrix() {
  const int n = m_ + size_;
  if (routh_sized_) return;
  routh_sized_ = true;
  W_routh_.setZero(n, n);
  W_routh_.bottomRightCorner(size_, size_) = W_;
  for (int i = 0; i < m_; ++i) {
    W_routh_(i, m_ + i) = -1;
    W_routh_(m_ + i, i) = 1;
  }
}

LcpStatus ContactLcp::solveOneContactStep(LemkeSolver& lemke, int contact, double limit, double given) {
  sizeRouthMatrix();
  const int k = count_[contact], n = 2 + k + (k > 0);
  index_.resize(n);
  index_[0] = contact;
  index_[1] = m_ + contact;
  for (int j = 0; j < k; ++j) index_[2 + j] = m_ + first_[contact] + j;
  if (k > 0) index_[2 + k] = m_ + rows_ + cone_[contact];
  W_one_.resize(n, n);
  for (int j = 0; j < n; ++j) {
    for (int i = 0; i < n; ++i) W_one_(i, j) = W_routh_(index_[i], index_[j]);
  }
  q_one_.setZero(n);
  q_one_[0] = limit / impulseScale();
  for (int i = 0; i < 1 + k; ++i) q_one_[1 + i] = J_.row(index_[1 + i] - m_).dot(v_) / velocity_scale_;
  for (int i = 1; i < n; ++i) q_one_[i] += W_one_(i, 1) * (given / impulseScale());
  z_one_.resize(n);
  ++lcps_;
  if (lemke.solve(W_one_, q_one_, z_one_) != LcpStatus::kSolved) return LcpStatus::kFailed;
  worst_residual_ = std::max(worst_residual_, lemke.residual());
  step_.setZero(rows_);
  for (int i = 0; i < 1 + k; ++i) step_[index_[1 + i] - m_] = z_one_[1 + i] * impulseScale();
  step_[contact] += given;
  return takeStep();
}

void ContactLcp::setRouthStep(const double* limit, const double* given) {
  sizeRouthMatrix();
  const int n = m_ + size_;
  q_.setZero(n);
  Jv_.noalias() = J_ * v_;
  for (int i = 0; i < m_; ++i) q_[i] = limit[i] / impulseScale();
  q_.segment(m_, rows_) = Jv_ / velocity_scale_;
  for (int i = 0; given && i < m_; ++i) {
    if (given[i] != 0) q_.segment(m_, size_) += W_.col(i) * (given[i] / impulseScale());
  }
}

LcpStatus ContactLcp::solveRouthStep(LemkeSolver& lemke, const double* limit, const double* covering,
                                     const double* given) {
  setRouthStep(limit, given);
  return advance(lemke, m_, W_routh_, covering, given);
}

// Impulses as shares of J's rows, scaled: normals, then the two directions whose sector the tangential impulse is in.
void ContactLcp::setShares(const double* impulse, double* z) const {
  for (int i = 0; i < m_; ++i) {
    z[i] = std::max(0.0, *impulse++ / impulseScale());
    double* share = z + first_[i];
    if (count_[i] == 2) {
      const double t = *impulse++ / impulseScale();
      share[0] = std::max(0.0, t);
      share[1] = std::max(0.0, -t);
    } else if (count_[i] > 0) {
      const double x = *impulse++ / impulseScale(), y = *impulse++ / impulseScale();
      const double angle = elementary::atan2(y, x) * count_[i] / (2 * std::numbers::pi);
      const int k = (static_cast<int>(std::floor(angle)) + count_[i]) % count_[i], next = (k + 1) % count_[i];
      const double sine = cos_[k] * sin_[next] - sin_[k] * cos_[next];
      share[k] = std::max(0.0, (x * sin_[next] - y * cos_[next]) / sine);
      share[next] = std::max(0.0, (y * cos_[k] - x * sin_[k]) / sine);
    }
  }
}

LcpStatus ContactLcp::applyImpulse(const double* impulse, double residual) {
  step_.resize(rows_);
  for (int i = 0; i < m_; ++i) {
    step_[i] = std::max(0.0, *impulse++);
    for (int k = 0; k < count_[i]; ++k) step_[first_[i] + k] = *impulse++;
  }
  worst_residual_ = std::max(worst_residual_, residual);
  ++lcps_;
  return takeStep();
}

LcpStatus ContactLcp::applyRouthStep(const double* limit, const double* impulse, double tolerance,
                                     const double* given) {
  setRouthStep(limit, given);
  z_.setZero(q_.size());
  setShares(impulse, z_.data() + m_);
  for (int i = 0; given && i < m_; ++i) z_[m_ + i] = std::max(0.0, z_[m_ + i] - given[i] / impulseScale());
  // The slacks follow from the velocities after the step.
  Jv_ = q_.segment(m_, rows_);
  Jv_.noalias() += W_.topLeftCorner(rows_, rows_) * z_.segment(m_, rows_);
  for (int i = 0; i < m_; ++i) {
    z_[i] = std::max(0.0, -Jv_[i]);
    if (cone_[i] < 0) continue;
    double least = 0;
    for (int k = 0; k < count_[i]; ++k) least = std::min(least, Jv_[first_[i] + k]);
    z_[m_ + rows_ + cone_[i]] = -least / W_(first_[i], rows_ + cone_[i]);
  }
  const double residual = lcpResidual(W_routh_, q_, z_);
  if (!(residual <= tolerance)) return LcpStatus::kFailed;  // NaN too
  worst_residual_ = std::max(worst_residual_, residual);
  ++lcps_;
  return take(m_, given);
}

LcpStatus ContactLcp::settle(LemkeSolver& lemke, double least) {
  for (int k = 0; k < kSettlings && !(smallestNormalVelocity() >= least); ++k) {
    if (solveImpact(lemke, nullptr) != LcpStatus::kSolved) return LcpStatus::kFailed;
  }
  return smallestNormalVelocity() >= least ? LcpStatus::kSolved : LcpStatus::kFailed;
}

void ContactLcp::save() {
  v_saved_ = v_;
  total_saved_ = total_;
}

void ContactLcp::restart() {
  v_ = problem_->velocity;
  total_.setZero();
}

void ContactLcp::restore() {
  v_ = v_saved_;
  total_ = total_saved_;
}

void ContactLcp::publish(ImpactOutcome& outcome) const {
  outcome.velocity = v_;
  outcome.lcps = lcps_;
  outcome.residual = worst_residual_;
  outcome.impulses.resize(m_);
  for (int i = 0; i < m_; ++i) {
    const bool given = i < static_cast<int>(problem_->tangent.size());
    const int tangents = given ? static_cast<int>(problem_->tangent[i].rows()) : 0;
    outcome.impulses[i].setZero(1 + tangents);
    outcome.impulses[i][0] = total_[i];
    for (int k = 0; k < count_[i]; ++k) {
      const double p = total_[first_[i] + k];
      if (cos_.empty()) {
        outcome.impulses[i][1 + k] = p;
      } else if (count_[i] == 2) {
        outcome.impulses[i][1] += k == 0 ? p : -p;
      } else {
        outcome.impulses[i][1] += cos_[k] * p;
        outcome.impulses[i][2] += sin_[k] * p;
      }
    }
  }
}

LcpStatus expand(ContactLcp& lcp, LemkeSolver& lemke, const ImpactProblem& problem, const ImpactOptions& options,
                 const std::vector<double>& approach, std::vector<double>& given) {
  const int m = lcp.numContacts();
  given.assign(m, 0.0);
  bool any = false;
  for (int i = 0; i < m && !problem.restitution.empty(); ++i) {
    if (!(-approach[i] > options.capture_speed)) continue;
    given[i] = problem.restitution[i] * lcp.impulse()[i];
    any = any || given[i] > 0;
  }
  if (!any) return LcpStatus::kSolved;
  lcp.save();
  const double limit = lcp.energyBefore() * (1 + kEnergyRounding);
  LcpStatus status = lcp.solveImpact(lemke, given.data());
  if (status == LcpStatus::kSolved && lcp.energy() <= limit) return status;
  // Energy is a continuous function of the factor along a solution branch and within the limit at 0.
  std::vector<double> scaled(m);
  double low = 0, high = 1;
  for (int k = 0; k < kEnergyBisections && high - low > 1e-9; ++k) {
    const double factor = 0.5 * (low + high);
    for (int i = 0; i < m; ++i) scaled[i] = factor * given[i];
    lcp.restore();
    if (lcp.solveImpact(lemke, scaled.data()) == LcpStatus::kSolved && lcp.energy() <= limit) {
      low = factor;
    } else {
      high = factor;
    }
  }
  lcp.restore();
  if (low == 0) return LcpStatus::kSolved;
  for (int i = 0; i < m; ++i) given[i] *= low;
  return lcp.solveImpact(lemke, given.data());
}

bool finishImpact(ContactLcp& lcp, LemkeSolver& lemke, const ImpactProblem& problem, const ImpactOptions& options,
                  const std::vector<double>& approach, std::vector<double>& given, double least) {
  return expand(lcp, lemke, problem, options, approach, given) == LcpStatus::kSolved &&
         lcp.settle(lemke, least) == LcpStatus::kSolved &&
         lcp.energy() <= lcp.energyBefore() * (1 + kImpactEnergyRounding);  // NaN -> no answer
}

}  // namespace rigor::impact
