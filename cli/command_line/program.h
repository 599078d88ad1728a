// SPDX-License-Identifier: MIT
#pragma once

namespace rigor::cli {

/// The `rigor` program: options in, what its command returns out (exit_code.h). Errors of usage are said on stderr.
int runProgram(int argc, char** argv);

}  // namespace rigor::cli
