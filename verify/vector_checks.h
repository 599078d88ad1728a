// SPDX-License-Identifier: MIT
#pragma once

namespace rigor::verify {

bool allFinite(const double* values, int count);
double largest(const double* values, int count);  ///< Of the magnitudes.
/// Two vectors of three, to a share of the larger and a bit. NaN disagrees.
bool agree(const double* a, const double* b, double tolerance, double absolute);

}  // namespace rigor::verify
