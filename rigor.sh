#!/bin/sh
# Install what is missing, build, and run:
#   ./rigor.sh test [CTEST-OPTIONS]     every test
#   ./rigor.sh preset NAME [CTEST-OPTIONS]   the tests of another preset: asan, tsan, debug
#   ./rigor.sh folders NAME FOLDER...   of a preset, the tests of these folders of tests/, and builds no others
#   ./rigor.sh coverage                 which lines the fast tests run; fails below the floor of tests/coverage.py
#   ./rigor.sh bench [OPTIONS]          the benchmarks: a table on stdout, build/release/bench/results.json
#   ./rigor.sh fuzz SECONDS             every libFuzzer target of tests/fuzz for so long; needs clang++
#   ./rigor.sh python ARGS...           Python with the module `rigor` on its path: ./rigor.sh python -c 'import rigor'
#   ./rigor.sh packages [KIND]          install the Debian packages that are missing, and nothing else; KIND tests: also
#                                       those that some tests need and are skipped without
#   ./rigor.sh package                  a Debian package: build/release/rigor_VERSION_ARCHITECTURE.deb
#   ./rigor.sh docs                     the documentation as a site: build/site/index.html
#   ./rigor.sh check-style [--update]   lines, headers, functions against CONTRIBUTING.md
#   ./rigor.sh ARGS...                  the program: ./rigor.sh run scenes/die.yaml
# stdout and the exit code are those of what was run. If it could not be built or installed: exit 70, said on stderr.
set -u
root=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
preset=release
case ${1-} in
  preset | folders) preset=${2:?rigor.sh: preset: which one? asan, tsan, debug} ;;
  coverage | fuzz) preset=$1 ;;
esac
build=$root/build/$preset
log=$build/rigor.sh.log

say() { printf 'rigor.sh: %s\n' "$*" >&2; }
die() { say "$*"; exit 70; }

# missing_packages [KIND]: Debian packages that cmake/dependencies.cmake names, on lines `# deb:` and `# deb-KIND:`, and
# dpkg does not have.
missing_packages() {
  for package in $(sed -n "s/^# deb${1:+\\(-$1\\)\\{0,1\\}}: *//p" "$root/cmake/dependencies.cmake" |
                    sed 's/   *.*//'); do
    # With spaces around: "not-installed" is a status too.
    case " $(dpkg-query -W -f='${db:Status-Status} ' "$package" 2>/dev/null)" in
      *' installed '*) ;;
      *) printf '%s ' "$package" ;;
    esac
  done
}

# install_missing [KIND]
install_missing() {
  if ! command -v dpkg-query >/dev/null; then
    say "not a Debian system: install the packages of cmake/dependencies.cmake yourself"
    return
  fi
  packages=$(missing_packages "${1-}")
  [ -n "$packages" ] || return 0
  say "installing $packages"
  as_root=''
  if [ "$(id -u)" -ne 0 ]; then
    command -v sudo >/dev/null || die "these packages are missing, and only root can install them: $packages"
    as_root='sudo'
  fi
  apt="$as_root env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=300"
  mkdir -p "$build"
  # shellcheck disable=SC2086  # words are meant to split
  { $apt update && $apt install --no-install-recommends $packages; } </dev/null >"$log" 2>&1 ||
    { tail -n 20 "$log" >&2; die "apt-get could not install $packages (log: $log)"; }
}

configure() {
  [ -f "$build/build.ninja" ] && return
  say "configuring ($preset)"
  # A compilation a target: a clean build takes half of the time. Who edits configures without (CONTRIBUTING.md).
  (cd "$root" && cmake --preset "$preset" -DCMAKE_UNITY_BUILD=ON) </dev/null >"$log" 2>&1 ||
    { tail -n 30 "$log" >&2; die "cmake could not configure the build (log: $log)"; }
}

# build TARGETS: silent unless it takes longer than two seconds.
build() {
  # The sleeper must hold neither the lock nor the caller's streams when it outlives this function.
  { sleep 2 </dev/null >/dev/null 2>&1 9>&- &&
    say "building $1${2:+ ...} ($preset); the first time takes some minutes"; } >/dev/null 9>&- &
  notice=$!
  ninja -C "$build" "$@" </dev/null >"$log" 2>&1
  status=$?
  kill "$notice" 2>/dev/null
  wait "$notice" 2>/dev/null
  [ "$status" -eq 0 ] ||
    { grep -A 12 -E '^FAILED|error:' "$log" | tail -n 60 >&2; die "the build failed (log: $log)"; }
}

# prepare TARGETS
prepare() {
  install_missing
  mkdir -p "$build"
  # One build at a time in this folder.
  exec 9>"$build/.rigor.sh.lock"
  flock 9
  configure
  build "$@"
  exec 9>&-
}

case ${1-} in
  test)
    shift
    prepare all
    cd "$root" || exit
    "$root/cmake/run_tests.sh" release "$@"
    ;;
  preset)
    shift 2
    prepare all
    cd "$root" || exit
    "$root/cmake/run_tests.sh" "$preset" "$@"
    ;;
  folders)
    shift 2
    [ "$#" -gt 0 ] || die "folders: of which folders of tests?"
    names=$(printf '|%s' "$@")
    # shellcheck disable=SC2046  # a target a folder
    prepare $(printf '%s_tests ' "$@")
    cd "$root" || exit
    "$root/cmake/run_tests.sh" "$preset" -R "^(${names#|})\\."
    ;;
  coverage)
    prepare all
    cd "$root" || exit
    find "$build" -name '*.gcda' -delete
    "$root/cmake/run_tests.sh" coverage || exit
    exec python3 tests/coverage.py "$root" "$build"
    ;;
  bench)
    shift
    prepare bench
    exec "$root/bench/run.sh" "$build" "$@"
    ;;
  python)
    shift
    # A build that was configured before pybind11 was installed is configured again.
    grep -q rigor_python "$build/build.ninja" 2>/dev/null || rm -f "$build/build.ninja"
    prepare rigor_python
    python=$(sed -n 's/^Python3_EXECUTABLE:[A-Z]*=//p' "$build/CMakeCache.txt")
    PYTHONPATH=$build/python${PYTHONPATH:+:$PYTHONPATH} exec "${python:-python3}" "$@"
    ;;
  fuzz)
    prepare fuzzers
    cd "$build" || exit
    for target in $(cat fuzzers.txt); do
      say "$target, ${2:?rigor.sh: fuzz: how many seconds?} s"
      "$target" -max_total_time="$2" || exit
    done
    ;;
  packages)
    install_missing "${2-}"
    ;;
  package)
    prepare installed package
    ninja -C "$build" man </dev/null >"$log" 2>&1 ||
      { tail -n 20 "$log" >&2; die "the manual could not be made (log: $log)"; }
    (cd "$build" && cpack -G DEB) </dev/null >"$log" 2>&1 || { tail -n 20 "$log" >&2; die "cpack failed (log: $log)"; }
    ls "$build"/rigor_*.deb
    ;;
  docs)
    install_missing docs
    cd "$root" && mkdocs build --quiet --site-dir "$root/build/site" && doxygen docs/Doxyfile &&
      say "build/site/index.html; C++: build/site/cpp/index.html"
    ;;
  check-style)
    shift
    exec python3 "$root/tests/check_style.py" "$root" "$@"
    ;;
  *)
    prepare rigor
    exec "$build/cli/rigor" "$@"
    ;;
esac
