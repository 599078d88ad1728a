// SPDX-License-Identifier: MIT
#pragma once

namespace rigor::bench {

/// Time spent on certificates while `running`, read at entry and exit of the functions themselves: the linker puts
/// certificate_meter.cc between them and their callers (GNU ld --wrap, see CMakeLists.txt), so that the library has no
/// counters of its own. Zero calls mean that a function's signature has changed. Costs two clock readings a call.
struct CertificateMeter {
  bool running = false;
  long filter_calls = 0;
  double filter_seconds = 0;  ///< advance::certify: filter, exact fallback, proposals [s].
};
CertificateMeter& certificateMeter();

}  // namespace rigor::bench
