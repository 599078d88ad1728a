#!/bin/sh
# run_tests.sh PRESET [CTEST ARGUMENTS]: the tests of a preset, from the source folder. What failed runs once more by
# itself: whether it fails alone, and how, then stands at the end of a long log. The result is that of the first run.
preset=$1
shift
ctest --preset "$preset" "$@"
status=$?
if [ "$status" -eq 8 ]; then
  echo "run_tests.sh: once more what failed, by itself" >&2
  ctest --preset "$preset" --rerun-failed --parallel 1
fi
exit "$status"
