// SPDX-License-Identifier: MIT
#pragma once
#include <Eigen/Core>

namespace rigor::dynamics {

/// A symmetric 3 x 3 matrix as six scalars: the hot loops read no entry twice.
struct SymmetricMatrix3 {
  double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;

  static SymmetricMatrix3 diagonal(double d) { return {d, d, d, 0, 0, 0}; }
  /// Of the upper triangle of a matrix.
  static SymmetricMatrix3 of(const Eigen::Matrix3d& m) {
    return {m(0, 0), m(1, 1), m(2, 2), m(0, 1), m(0, 2), m(1, 2)};
  }
  Eigen::Matrix3d full() const {
    Eigen::Matrix3d m;
    m << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    return m;
  }
  Eigen::Vector3d operator*(const Eigen::Vector3d& a) const {
    return {xx * a[0] + xy * a[1] + xz * a[2], xy * a[0] + yy * a[1] + yz * a[2], xz * a[0] + yz * a[1] + zz * a[2]};
  }
  SymmetricMatrix3& operator+=(const SymmetricMatrix3& o) {
    xx += o.xx, yy += o.yy, zz += o.zz, xy += o.xy, xz += o.xz, yz += o.yz;
    return *this;
  }
  /// Subtracts s a aᵀ.
  void subtractSquare(const Eigen::Vector3d& a, double s) {
    const double x = s * a[0], y = s * a[1];
    xx -= x * a[0], xy -= x * a[1], xz -= x * a[2];
    yy -= y * a[1], yz -= y * a[2], zz -= s * a[2] * a[2];
  }
  /// R S Rᵀ
  SymmetricMatrix3 rotated(const Eigen::Matrix3d& R) const {
    const Eigen::Vector3d a = *this * R.row(0).transpose(), b = *this * R.row(1).transpose();
    const Eigen::Vector3d c = *this * R.row(2).transpose();
    return {R.row(0).dot(a), R.row(1).dot(b), R.row(2).dot(c), R.row(1).dot(a), R.row(2).dot(a), R.row(2).dot(b)};
  }
};

/// Inertia of a rigid body (or of several that move as one) about a point O, world axes.
struct RigidInertia {
  double mass = 0;
  Eigen::Vector3d moment{0, 0, 0};  ///< mass * (centre - O) [kg m]
  SymmetricMatrix3 inertia;         ///< About O [kg m^2].

  void add(const RigidInertia& o) { mass += o.mass, moment += o.moment, inertia += o.inertia; }

  /// The same about O - r:  I + (2 r.h 1 - r hᵀ - h rᵀ) + m (r.r 1 - r rᵀ),  h = m c.
  RigidInertia shifted(const Eigen::Vector3d& r) const {
    const Eigen::Vector3d s = moment + 0.5 * mass * r;  // r sᵀ + s rᵀ holds both terms.
    const double d = 2 * r.dot(s);
    RigidInertia result{mass, moment + mass * r, inertia};
    SymmetricMatrix3& I = result.inertia;
    I.xx += d - 2 * r[0] * s[0], I.yy += d - 2 * r[1] * s[1], I.zz += d - 2 * r[2] * s[2];
    I.xy -= r[0] * s[1] + r[1] * s[0], I.xz -= r[0] * s[2] + r[2] * s[0], I.yz -= r[1] * s[2] + r[2] * s[1];
    return result;
  }
};

/// Articulated inertia about a point O, world axes: force F = A a + B alpha, torque N = Bᵀ a + C alpha for the
/// acceleration a of the body's point at O and its angular acceleration alpha.
struct ArticulatedInertia {
  SymmetricMatrix3 A;
  Eigen::Matrix3d B = Eigen::Matrix3d::Zero();
  SymmetricMatrix3 C;

  static ArticulatedInertia of(const RigidInertia& body) {
    const Eigen::Vector3d& h = body.moment;
    ArticulatedInertia result;
    result.A = SymmetricMatrix3::diagonal(body.mass);
    result.B << 0, h[2], -h[1], -h[2], 0, h[0], h[1], -h[0], 0;  // -[h]
    result.C = body.inertia;
    return result;
  }

  /// Adds `o`, which is about the point O + r:  B' = B - A [r],  C' = C + [r] B + ([r] B')ᵀ.
  void addShifted(const ArticulatedInertia& o, const Eigen::Vector3d& r) {
    const double x = r[0], y = r[1], z = r[2];
    const SymmetricMatrix3& S = o.A;
    Eigen::Matrix3d shifted;
    shifted(0, 0) = o.B(0, 0) - (S.xy * z - S.xz * y), shifted(1, 0) = o.B(1, 0) - (S.yy * z - S.yz * y);
    shifted(2, 0) = o.B(2, 0) - (S.yz * z - S.zz * y), shifted(0, 1) = o.B(0, 1) - (S.xz * x - S.xx * z);
    shifted(1, 1) = o.B(1, 1) - (S.yz * x - S.xy * z), shifted(2, 1) = o.B(2, 1) - (S.zz * x - S.xz * z);
    shifted(0, 2) = o.B(0, 2) - (S.xx * y - S.xy * x), shifted(1, 2) = o.B(1, 2) - (S.xy * y - S.yy * x);
    shifted(2, 2) = o.B(2, 2) - (S.xz * y - S.yz * x);
    const auto turned = [&](const Eigen::Matrix3d& m, int i, int j) {  // ([r] m)(i, j)
      return i == 0 ? y * m(2, j) - z * m(1, j) : i == 1 ? z * m(0, j) - x * m(2, j) : x * m(1, j) - y * m(0, j);
    };
    C.xx += o.C.xx + turned(o.B, 0, 0) + turned(shifted, 0, 0);
    C.yy += o.C.yy + turned(o.B, 1, 1) + turned(shifted, 1, 1);
    C.zz += o.C.zz + turned(o.B, 2, 2) + turned(shifted, 2, 2);
    C.xy += o.C.xy + turned(o.B, 0, 1) + turned(shifted, 1, 0);
    C.xz += o.C.xz + turned(o.B, 0, 2) + turned(shifted, 2, 0);
    C.yz += o.C.yz + turned(o.B, 1, 2) + turned(shifted, 2, 1);
    A += o.A;
    B += shifted;
  }
};

/// L D Lᵀ of a symmetric positive definite N x N matrix, N small and fixed.
template <int N>
class SmallLdlt {
 public:
  using Matrix = Eigen::Matrix<double, N, N>;
  using Vector = Eigen::Matrix<double, N, 1>;

  /// Reads the lower triangle of a positive definite matrix; of another one, what solve() gives means nothing.
  void factor(const Matrix& m) {
    for (int j = 0; j < N; ++j) {
      double d = m(j, j);
      for (int k = 0; k < j; ++k) d -= L_(j, k) * scaled_(j, k);
      inverse_[j] = 1 / d;
      for (int i = j + 1; i < N; ++i) {
        double s = m(i, j);
        for (int k = 0; k < j; ++k) s -= scaled_(i, k) * L_(j, k);
        scaled_(i, j) = s, L_(i, j) = s * inverse_[j];
      }
    }
  }
  Vector solve(const Vector& b) const {
    Vector x = b;
    for (int i = 1; i < N; ++i) {
      for (int k = 0; k < i; ++k) x[i] -= L_(i, k) * x[k];
    }
    for (int i = 0; i < N; ++i) x[i] *= inverse_[i];
    for (int i = N - 2; i >= 0; --i) {
      for (int k = i + 1; k < N; ++k) x[i] -= L_(k, i) * x[k];
    }
    return x;
  }

 private:
  Matrix L_ = Matrix::Zero(), scaled_ = Matrix::Zero();  // scaled_ = L D
  Vector inverse_ = Vector::Zero();
};

}  // namespace rigor::dynamics
