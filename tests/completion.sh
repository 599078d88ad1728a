#!/bin/bash
# Proves: completion of bash offers the commands, options and scenes that the program has.
# Usage: completion.sh FOLDER_OF_RIGOR SOURCE_DIR. Oracle: the program's own help and list.
# zsh's file is parsed, where zsh is installed.
set -u
PATH=$1:$PATH
source "$2/completions/rigor.bash"
cd "$(mktemp -d)" || exit
trap 'rmdir "$PWD"' EXIT

# expect WANTED WORDS...: the last word is being typed.
expect() {
  local wanted=$1
  shift
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _rigor
  [ "${COMPREPLY[*]-}" = "$wanted" ] || { echo "rigor ${*:2}: offered '${COMPREPLY[*]-}', wanted '$wanted'"; exit 1; }
}

expect 'explore export' rigor exp
expect 'run' rigor ru
expect '--until' rigor run die --unt
expect '--interpolate' rigor check --inter
expect 'csv hdf5 gltf html' rigor export --format ''
expect 'quadruped-drop' rigor run quadruped-d
expect 'verify' rigor help ver
while read -r name _; do
  expect "$name" rigor run "$name"
done < <(rigor scenes | awk '{print $1}' | grep -E '^(arch|gripper|stack-10)$')
if command -v zsh >/dev/null; then zsh -n "$2/completions/_rigor" || exit 1; fi
echo "completion: as the program's help has it"
