// SPDX-License-Identifier: MIT
#include "cli/command_line/program.h"

int main(int argc, char** argv) { return rigor::cli::runProgram(argc, argv); }
