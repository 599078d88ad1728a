// SPDX-License-Identifier: MIT
//
// Proves, as far as a fuzzer does: `rigor distance` answers or refuses every line of any file: as many answers and
// messages as lines that are not blank, answers that are JSON, and the right exit code.
#include <cstdio>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>

#include "cli/distance_command.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  std::istringstream in(text), lines(text);
  std::ostringstream out, err;
  const int status = rigor::cli::distanceCommand(in, "fuzz", out, err, true);
  const auto countLines = [](const std::string& s) { return std::count(s.begin(), s.end(), '\n'); };
  long wanted = 0;
  for (std::string line; std::getline(lines, line);) wanted += line.find_first_not_of(" \t\r\v\f") != std::string::npos;
  if (countLines(out.str()) + countLines(err.str()) != wanted || status != (err.str().empty() ? 0 : 3)) {
    std::fprintf(stderr, "pairs: %ld lines, status %d\n%s\n%s", wanted, status, out.str().c_str(), err.str().c_str());
    std::abort();
  }
  std::istringstream answers(out.str());
  for (std::string line; std::getline(answers, line);)
    if (!nlohmann::json::accept(line)) std::abort();
  return 0;
}
