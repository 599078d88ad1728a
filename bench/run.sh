#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the benchmarks of a build and prints them as a table with the targets.
#   bench/run.sh BUILD_DIR [BENCHMARK-OPTIONS]     writes BUILD_DIR/bench/results.json
set -eu
[ $# -ge 1 ] || { echo 'usage: bench/run.sh BUILD_DIR [BENCHMARK-OPTIONS]' >&2; exit 2; }
build=$1
shift
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
program=$build/bench/rigor_bench
[ -x "$program" ] || { echo "bench/run.sh: $program is not built" >&2; exit 2; }
"$program" --benchmark_out="$build/bench/results.json" --benchmark_out_format=json "$@" >&2
exec python3 "$here/report.py" "$build/bench/results.json"
