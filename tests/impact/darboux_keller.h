// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/LU>
#include <cmath>
#include <numbers>

/// The exact rigid limit of an impact at one contact (Darboux, Keller): dv/dp = K (-mu d, 1) integrated over the normal
/// impulse p with the instantaneous slip direction d, stick where friction can hold it, Poisson's restitution. Shares
/// nothing with the library. Contact velocities and K are ordered (t1, t2, n).
///
/// In slip the variables are the slip's length s, its angle phi and tau with dp = s dtau: the right-hand sides are then
/// smooth up to s = 0, and classical Runge-Kutta converges with order 4 through the end of slip.
namespace rigor::impact::test {

struct RigidLimit {
  Eigen::Vector3d v;          // after
  double impulse = 0;         // normal, total
  double energy_gain = 0;     // largest energy above that before, relative
  double end_of_slip = -1;    // normal impulse at which slip ended for good; < 0: never
  double end_of_compression = 0;
  int compressions = 0;
  bool jam = false;           // the normal velocity fell during a compression
};

class DarbouxKeller {
 public:
  DarbouxKeller(const Eigen::Matrix3d& K, double mu, double e, double step = 2e-3)
      : K_(K), mu_(mu), e_(e), step_(step) {}

  RigidLimit run(const Eigen::Vector3d& before) {
    v_ = before;
    const double start = energy();
    scale_ = before.norm();
    for (int phase = 0; phase < 50 && v_[2] < -1e-12 * scale_; ++phase) {
      const double p0 = p_;
      push(HUGE_VAL);
      ++result_.compressions;
      if (phase == 0) result_.end_of_compression = p_;
      push(p_ + e_ * (p_ - p0));
      result_.energy_gain = std::max(result_.energy_gain, energy() / start - 1);
    }
    result_.v = v_;
    result_.impulse = p_;
    return result_;
  }

 private:
  struct Slope {
    double s, phi, n, p;
  };
  double energy() const { return 0.5 * v_.dot(K_.inverse() * v_); }
  Eigen::Vector2d direction(double phi) const { return {std::cos(phi), std::sin(phi)}; }
  // d(s, phi, v_n, p)/dtau.
  Slope slope(double s, double phi) const {
    const Eigen::Vector2d d = direction(phi);
    const Eigen::Vector3d rate = K_ * Eigen::Vector3d(-mu_ * d.x(), -mu_ * d.y(), 1);
    return {s * d.dot(rate.head<2>()), -d.y() * rate.x() + d.x() * rate.y(), s * rate.z(), s};
  }
  // One step of Runge and Kutta in tau.
  Eigen::Vector4d advance(const Eigen::Vector4d& y, double h) const {
    const auto f = [&](const Eigen::Vector4d& x) {
      const Slope r = slope(x[0], x[1]);
      return Eigen::Vector4d(r.s, r.phi, r.n, r.p);
    };
    const Eigen::Vector4d k1 = f(y), k2 = f(y + 0.5 * h * k1), k3 = f(y + 0.5 * h * k2), k4 = f(y + h * k3);
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4);
  }
  // Accumulates normal impulse up to `end`, or, where that is infinite, until the approach ends.
  void push(double end) {
    const bool compress = std::isinf(end);
    while (compress ? v_[2] < 0 : p_ < end) {
      if (v_.head<2>().norm() > 1e-9 * scale_) {
        slide(compress, end);
      } else {
        fromRest(compress, end);
        return;
      }
    }
  }
  void slide(bool compress, double end) {
    Eigen::Vector4d y(v_.head<2>().norm(), std::atan2(v_.y(), v_.x()), v_[2], p_);
    const double h0 = step_ / (K_.cwiseAbs().maxCoeff() * (1 + mu_));
    const auto done = [&](const Eigen::Vector4d& x) { return compress ? x[2] >= 0 : x[3] >= end; };
    while (y[0] > 1e-10 * scale_) {
      Eigen::Vector4d next = advance(y, h0);
      if (compress && next[2] < y[2]) result_.jam = true;
      if (done(next)) {
        double low = 0, high = h0;
        for (int i = 0; i < 100 && high - low > 1e-16 * h0; ++i) {
          const double h = 0.5 * (low + high);
          (done(advance(y, h)) ? high : low) = h;
        }
        y = advance(y, high);
        if (compress) y[2] = 0;
        v_ << y[0] * direction(y[1]), y[2];
        p_ = y[3];
        return;
      }
      // Slip that begins anew grows without bound in tau, yet any step ends in the same way.
      y = next;
    }
    result_.end_of_slip = y[3];
    v_ << 0, 0, y[2];
    p_ = y[3];
  }
  // Without slip the velocity is linear in p from here on: stick, or slip in a direction that maps onto itself.
  void fromRest(bool compress, double end) {
    const Eigen::Vector2d hold = -Eigen::Matrix2d(K_.topLeftCorner<2, 2>()).inverse() * K_.col(2).head<2>();
    Eigen::Vector3d rate = K_ * Eigen::Vector3d(hold.x(), hold.y(), 1);
    rate.head<2>().setZero();
    if (hold.norm() > mu_) {
      constexpr int kScan = 3600;
      for (int i = 0; i < kScan; ++i) {
        double low = 2 * std::numbers::pi * i / kScan, high = 2 * std::numbers::pi * (i + 1) / kScan;
        const double at_low = slope(1, low).phi;
        if (at_low * slope(1, high).phi > 0) continue;
        for (int k = 0; k < 60; ++k) {
          const double phi = 0.5 * (low + high);
          (slope(1, phi).phi * at_low > 0 ? low : high) = phi;
        }
        if (slope(1, low).s <= 0) continue;
        const Eigen::Vector2d d = direction(low);
        rate = K_ * Eigen::Vector3d(-mu_ * d.x(), -mu_ * d.y(), 1);
        result_.end_of_slip = -1;
      }
    }
    const double dp = compress ? -v_[2] / rate[2] : end - p_;
    if (compress && !(rate[2] > 0)) result_.jam = true;
    v_ += dp * rate;
    if (compress) v_[2] = 0;
    p_ += dp;
  }

  Eigen::Matrix3d K_;
  double mu_, e_, step_, scale_ = 1;
  Eigen::Vector3d v_;
  double p_ = 0;
  RigidLimit result_;
};

}  // namespace rigor::impact::test
