#!/bin/sh
# Proves: the Debian package holds the program, its helper, scenes, libraries, completion, and a page of the manual for
# every command; and the program runs from where it is unpacked. Usage: package.sh BUILD_DIR. Ends with 77 (skipped)
# without help2man, cpack or dpkg-deb.
set -eu
build=$1
for tool in help2man cpack dpkg-deb man; do
  command -v "$tool" >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cmake --build "$build" --target installed man >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
(cd "$build" && cpack -G DEB -B "$work" >"$work/log" 2>&1) || { cat "$work/log"; exit 1; }
dpkg-deb -x "$work"/rigor_*.deb "$work/root"
need() { [ -e "$work/root/usr/$1" ] || { echo "the package has no $1"; exit 1; }; }
need libexec/rigor/rigor-view
need share/rigor/scenes/die.yaml
need share/bash-completion/completions/rigor
need share/zsh/vendor-completions/_rigor
need share/doc/rigor/copyright
need lib/cmake/rigor/rigorConfig.cmake
rigor=$work/root/usr/bin/rigor
for command in $("$rigor" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z][a-z]*\) .*/\1/p'); do
  [ "$command" = help ] && continue
  need "share/man/man1/rigor-$command.1"
  page=$work/root/usr/share/man/man1/rigor-$command.1
  man --warnings -l "$page" 2>"$work/warnings" | tr -s ' ' | grep -q "rigor-$command - " ||
    { echo "rigor-$command.1 has no name"; exit 1; }
  [ ! -s "$work/warnings" ] || { cat "$work/warnings"; exit 1; }
done
cd "$work"
"$rigor" scenes | grep -q '^die  '
"$rigor" run die -o die.rigor --until 0.1 --quiet
"$rigor" verify die.rigor 2>/dev/null
"$rigor" view die.rigor --screenshot die.png --size 64x64
dpkg-deb -f "$work"/rigor_*.deb Depends | grep -q libhdf5
echo "package: complete"
