// SPDX-License-Identifier: MIT
#include "bench/certificate_meter.h"

#include <chrono>

#include "advance/certificate.h"

namespace rigor::bench {

CertificateMeter& certificateMeter() {
  static CertificateMeter meter;
  return meter;
}

namespace {

/// Adds the time until the end of the scope.
class Timing {
 public:
  explicit Timing(double& seconds) : seconds_(certificateMeter().running ? &seconds : nullptr) {
    if (seconds_) start_ = std::chrono::steady_clock::now();
  }
  ~Timing() {
    if (seconds_) *seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count();
  }
  Timing(const Timing&) = delete;

 private:
  double* seconds_;
  std::chrono::steady_clock::time_point start_;
};

}  // namespace
}  // namespace rigor::bench

// The names that --wrap gives to the callers' reference and to the function itself.
#define RIGOR_CONCATENATE(a, b) a##b
#define RIGOR_NAME(a, b) RIGOR_CONCATENATE(a, b)
#define RIGOR_CERTIFY                                                                                               \
  RIGOR_NAME(_ZN5rigor7advance7certifyERKNS0_10MovingPartES3_St4spanIKNS0_14SeparatingAxisELm18446744073709551615EEd, \
             RSt6vectorINS0_7WitnessESaIS9_EERKNS0_14CertifyOptionsEPNS0_12CertifyStatsE)

extern "C" {

using namespace rigor::advance;

CertifyStatus RIGOR_NAME(__real_, RIGOR_CERTIFY)(const MovingPart&, const MovingPart&, std::span<const SeparatingAxis>,
                                                 double, std::vector<Witness>&, const CertifyOptions&, CertifyStats*);
CertifyStatus RIGOR_NAME(__wrap_, RIGOR_CERTIFY)(const MovingPart& A, const MovingPart& B,
                                                 std::span<const SeparatingAxis> axes, double floor,
                                                 std::vector<Witness>& out, const CertifyOptions& options,
                                                 CertifyStats* stats) {
  auto& meter = rigor::bench::certificateMeter();
  meter.filter_calls += meter.running;
  const rigor::bench::Timing timing(meter.filter_seconds);
  return RIGOR_NAME(__real_, RIGOR_CERTIFY)(A, B, axes, floor, out, options, stats);
}

}  // extern "C"
