// SPDX-License-Identifier: MIT
// rigor_runs COMMAND [OPTIONS]: whole runs, measured; lines of JSON. `--help` of each command says more.
#include "bench/runs.h"

#include <fmt/format.h>

#include <cstdio>
#include <string_view>

int main(int argc, char** argv) {
  constexpr struct {
    std::string_view name;
    int (*run)(int argc, char** argv);
  } kCommands[] = {{"throws", throws}, {"dice", dice}, {"robots", robots},   {"terrain", terrain},
                   {"unrecorded", unrecorded}};
  for (const auto& command : kCommands)
    if (argc > 1 && command.name == argv[1]) return command.run(argc - 1, argv + 1);
  fmt::print(stderr, "usage: rigor_runs throws|dice|robots|terrain|unrecorded [OPTIONS]\n");
  return 2;
}
