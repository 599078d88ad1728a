// SPDX-License-Identifier: MIT
#pragma once
#include <cstdint>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

namespace rigor::cli {

struct ImpactArguments {
  std::string problem;             ///< A file, the name of a bundled problem, or - for stdin.
  std::string model = "routh";     ///< A name of impact::resolverNames(), or all.
  std::optional<long> samples;     ///< Of a random model; default 1000, with `coverage` at most 1e6.
  std::uint64_t seed = 0;
  int threads = 0;                 ///< 0: all cores.
  std::string order;               ///< sequential: 1,0,... or all; empty: the file's.
  std::optional<double> coverage, confidence;
  bool smooth_cone = false;
  std::vector<std::string> options;  ///< NAME=VALUE of impact::modelOptions(), over those of the file.
  std::string output;              ///< CSV; - for stdout.
  std::string plot;                ///< SVG to write.
  std::string plot_axes;           ///< Two of vnI, vtI_K, vI: vn0,vn1; empty: those that vary most.
  bool bounds = false;             ///< Proved bounds of the whole set instead of a model's outcomes.
  std::int64_t work = 400'000'000; ///< Limit of --bounds, in products of entries, some 10 of a microsecond.
  std::string certificate;         ///< JSON to write: the proof of the bounds.
  std::string check;               ///< A certificate to check.
  bool json = false;
};

/// `rigor impact`: resolves one impact problem with one model or all, and says what came out (docs/impact-problems.md).
/// @returns 0; 2 for options that do not fit; 3 for a bad problem; 4 where a solver failed, an impact did not end or
/// the output cannot be written; 5 where --coverage was not reached; 130 interrupted (what was drawn is reported).
int impactCommand(const ImpactArguments& arguments, std::ostream& out, std::ostream& err);

}  // namespace rigor::cli
