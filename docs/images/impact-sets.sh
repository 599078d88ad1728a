#!/bin/sh
# The pictures of docs/impact-sets.md: impact-sets.sh [RIGOR], from the repository's root after a build.
set -eu
rigor=${1-build/release/cli/rigor}
draw() { "$rigor" impact "$1" --samples 10000 --seed 1 --plot "docs/images/impact-$1.svg" --plot-axes "$2" >/dev/null; }
draw rocking-block vn0,vn1
draw box-and-wall vn1,vt0_0
draw compass-gait vn1,vt1_0
draw ramone vn1,vt1_0
draw disk-stacking vn2,vn3
