#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs the benchmarks of a build and prints one table with the targets. About 5 minutes, and as long again for what
# other engines' motions are between their steps.
#   bench/run.sh BUILD_DIR [BENCHMARK-OPTIONS]
# Options go to Google Benchmark; with --benchmark_filter the throws and the other engines' scenes are left out.
# Writes BUILD_DIR/bench/benchmarks.md, the table as a page, and BUILD_DIR/bench/results.json: Google Benchmark's output
# and the lists "throws", "robots", "terrain" and "engines" beside it.
set -eu
[ $# -ge 1 ] || { echo 'usage: bench/run.sh BUILD_DIR [BENCHMARK-OPTIONS]' >&2; exit 2; }
build=$1
shift
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
for program in rigor_bench rigor_runs; do
  [ -x "$build/bench/$program" ] || { echo "bench/run.sh: $build/bench/$program is not built" >&2; exit 2; }
done

# Records in memory where there is a place for it: thousands of small files, and no disk to wait for.
[ -w /dev/shm ] && TMPDIR=${TMPDIR:-/dev/shm} && export TMPDIR
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
trap 'exit 130' INT TERM
"$build/bench/rigor_bench" --benchmark_out="$folder/benchmarks.json" --benchmark_out_format=json "$@" >&2
touch "$folder/throws.jsonl" "$folder/engines.jsonl" "$folder/robots.jsonl" "$folder/terrain.jsonl"
case "$*" in
  *--benchmark_filter*) ;;
  *)
    for shape in cube polytope20 pair; do
      for friction in 0.1 0.3 0.8 1.5; do
        echo "1000 throws: $shape, friction $friction" >&2
        # Failed throws are counted in the line and stand in the table.
        "$build/bench/rigor_runs" throws --shape $shape --friction $friction --count 1000 --record "$folder" \
          >>"$folder/throws.jsonl" || true
      done
    done
    echo 'robots' >&2
    "$build/bench/rigor_runs" robots >>"$folder/robots.jsonl"
    echo 'terrain' >&2
    "$build/bench/rigor_runs" terrain --record "$folder" >>"$folder/terrain.jsonl"
    echo 'whole scenes in other engines' >&2
    /usr/bin/python3 "$here/peers.py" "$build/cli/rigor" scenes >>"$folder/engines.jsonl" \
      || echo 'bench/run.sh: other engines are left out' >&2
    ;;
esac
python3 "$here/report.py" "$folder" "$build/bench/results.json" --page "$build/bench/benchmarks.md"
