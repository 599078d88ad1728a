#!/bin/sh
# Makes the pictures of docs/viewer.md and the README, with the program given (or the release build's).
# Usage: sh docs/images/viewer.sh [RIGOR]. Needs Xvfb, xdotool and ffmpeg for the pictures of the window.
set -e
here=$(cd "$(dirname "$0")" && pwd)
rigor=${1:-$here/../../build/release/cli/rigor}
work=$(mktemp -d)
trap 'kill $window $screen 2>/dev/null || true; rm -rf "$work"' EXIT
cd "$work"
export XDG_STATE_HOME=$work/state

$rigor run die -o die.rigor --quiet
$rigor run quadruped-trot --until 1 -o quadruped.rigor --quiet
$rigor explore rocking-block-flat -o block.rigor --max-branches 20 --quiet || [ $? = 5 ]
$rigor explore "$here/../examples/bouncing-die.yaml" -o tree.rigor --max-branches 80 --quiet || [ $? = 5 ]

# Without a display.
$rigor view die.rigor --time 0.154 --show trails,velocities,impulses,contacts --size 1000x620 \
  --camera=-1.9,0.3,0.8,0.12,0.06,0.13 --screenshot "$here/viewer-die.png"
$rigor view quadruped.rigor --time 0.62 --show contacts,normals,joints --size 1000x620 \
  --camera=-2.0,0.35,0.62,0.06,0,0.09 --screenshot "$here/viewer-quadruped.png"

# The window: a record, its options, and what xdotool does before the picture is taken.
Xvfb -displayfd 3 -screen 0 1440x900x24 -nolisten tcp 3>display 2>/dev/null &
screen=$!
while [ ! -s display ]; do sleep 0.2; done
DISPLAY=:$(cat display); export DISPLAY
shoot() {
  out=$1 seconds=$2; shift 2
  events=$1; shift
  $rigor view "$@" --size 1440x900 &
  window=$!
  sleep 4
  xdotool $events
  sleep "$seconds"
  ffmpeg -loglevel error -y -f x11grab -draw_mouse 0 -video_size 1440x900 -i "$DISPLAY" -frames:v 1 "$here/$out"
  kill $window
  wait $window 2>/dev/null || true
}
impact="mousemove 1238 62 sleep 0.5 click 1 sleep 1"
shoot viewer-tree.png 20 "$impact mousemove 500 300" tree.rigor --time 0.62 --show ghosts,trails \
  --camera=-1.9,0.42,0.95,0.2,0.12,0.1
shoot viewer-rocking.png 8 "$impact sleep 12 mousemove 1266 335 sleep 0.5 click 3 sleep 0.5 mousemove 500 300" \
  block.rigor --time 0.14 --show contacts,normals,ghosts --dark
