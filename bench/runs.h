// SPDX-License-Identifier: MIT
#pragma once

/// What rigor_runs measures: its commands, each with its own options. @returns an exit code.
int throws(int argc, char** argv);
int dice(int argc, char** argv);
int robots(int argc, char** argv);
int terrain(int argc, char** argv);
int unrecorded(int argc, char** argv);
