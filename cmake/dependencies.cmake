# Every dependency, once: the Debian package, and why it is here. rigor.sh installs from the lines `# deb:`.
#
# deb: g++ cmake ninja-build pkg-config       compiler and build
# deb: clang                                  compiles in two thirds of the time (used where present)
# deb: ccache                                 fast rebuilds (used where present)
# deb: libeigen3-dev                          small matrices and vectors everywhere
# deb: libqhull-dev                           convex hulls (geom)
# deb: libccd-dev                             second opinion of distances (geom), oracle in tests
# deb: libgmp-dev                             exact arithmetic: predicates (geom), certificates (advance), verifier
# deb: libsqlite3-dev                         the record file
# deb: libxxhash-dev                          the seal of a finished record (verify)
# deb: libyaml-dev                            scene and problem files, with line numbers
# deb: libyaml-cpp-dev                        scenes that a sweep varies
# deb: libtinyxml-dev                         robot files (URDF, MJCF, SDF), with lines and columns
# deb: libassimp-dev                          meshes other than OBJ and STL
# deb: nlohmann-json3-dev                     JSON in (pairs files) and out (--json)
# deb: libcli11-dev                           command line
# deb: libfmt-dev                             text formatting, shortest round-trip doubles
# deb: librandom123-dev                       counter-based random numbers (Philox)
# deb: libtbb-dev                             threads
# deb: libhdf5-dev                            export to HDF5
# deb: zlib1g-dev                             archives of the records of a sweep
# deb: libzip-dev                             NumPy archives (check)
# deb: libimgui-dev libstb-dev                panels of the viewer; PNG encoding
# deb: libglfw3-dev libopengl-dev libegl-dev  windows; OpenGL; pictures without a display
# deb: libgl1-mesa-dri libegl-mesa0           software rendering where there is no graphics card
# deb: fonts-roboto-unhinted                  the viewer's font (the built-in one without it)
# deb: xvfb xdotool libx11-dev                a display for the tests of the viewer's window; to drag files from
# deb: libgtest-dev libgmock-dev              tests
# deb: libbenchmark-dev                       benchmarks
# deb: python3                                layer test, benchmark table, scene generator
# deb: python3-dev pybind11-dev               the Python module (built where they are found)
# deb: python3-numpy                          its arrays
# deb: python3-yaml                           bench/peers.py reads bundled scenes
# deb: python3-pytest                         its tests
#
# For ./rigor.sh package and ./rigor.sh docs alone:
# deb-package: help2man dpkg-dev file         pages of the manual; what the package depends on
# deb-docs: mkdocs doxygen                    the documentation as a site, the reference of the C++ headers

#
# Used where found: `./rigor.sh packages tests` installs them, and tests that need them are skipped without.
# deb-tests: libbullet-dev libode-dev libmujoco-dev   other engines (`rigor compare` through rigor-peers, `rigor check`)
# deb-tests: libsimbody-dev                           oracle of articulated dynamics
# deb-tests: slurm-wlm munge python3-distributed      sweeps on a real Slurm and a real Dask
# deb-tests: nodejs                                   the script of html pages

find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(PkgConfig REQUIRED)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(fmt REQUIRED)
find_package(TBB REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(CLI11 2.1 REQUIRED)
find_package(Threads REQUIRED)
pkg_check_modules(GMP REQUIRED IMPORTED_TARGET gmp gmpxx)
pkg_check_modules(CCD REQUIRED IMPORTED_TARGET ccd)
pkg_check_modules(XXHASH REQUIRED IMPORTED_TARGET libxxhash)  # its header alone
pkg_check_modules(YAML REQUIRED IMPORTED_TARGET yaml-0.1)
pkg_check_modules(TINYXML REQUIRED IMPORTED_TARGET tinyxml)
pkg_check_modules(ASSIMP REQUIRED IMPORTED_TARGET assimp)
find_package(Qhull REQUIRED)
pkg_check_modules(HDF5 REQUIRED IMPORTED_TARGET hdf5)
pkg_check_modules(LIBZIP REQUIRED IMPORTED_TARGET libzip)
pkg_check_modules(IMGUI REQUIRED IMPORTED_TARGET imgui)
pkg_check_modules(GLFW REQUIRED IMPORTED_TARGET glfw3)
pkg_check_modules(X11 REQUIRED IMPORTED_TARGET x11)
pkg_check_modules(EGL REQUIRED IMPORTED_TARGET egl)
pkg_check_modules(OPENGL REQUIRED IMPORTED_TARGET opengl)

# rigor_find_soname(VARIABLE PREFIX NAMES...): the name under which linking with a library would record it, for those
# that are loaded when first asked for (formats/late_library.h). PREFIX as of pkg_check_modules.
function(rigor_find_soname variable prefix)
  find_library(found_library NAMES ${ARGN} HINTS ${${prefix}_LIBRARY_DIRS} REQUIRED NO_CACHE)
  execute_process(COMMAND ${CMAKE_READELF} -d ${found_library} OUTPUT_VARIABLE dynamic ERROR_QUIET)
  if(NOT dynamic MATCHES "SONAME[^[]*\\[([^]]+)\\]")
    message(FATAL_ERROR "${found_library} has no name to load it by")
  endif()
  set(${variable} ${CMAKE_MATCH_1} PARENT_SCOPE)
endfunction()

# The Python of the machine: that of /usr/bin has Debian's NumPy. A python3 elsewhere (pyenv, conda) comes first in
# PATH, but without it.
if(NOT Python3_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python3_EXECUTABLE /usr/bin/python3 CACHE FILEPATH "The Python of tests, scripts and the module rigor")
endif()
if(RIGOR_BUILD_PYTHON)
  set(PYBIND11_FINDPYTHON OFF)
  set(PYTHON_EXECUTABLE ${Python3_EXECUTABLE})
  find_package(pybind11 2.10 QUIET CONFIG)
  if(NOT pybind11_FOUND)
    message(STATUS "Python module: pybind11 not found, it is not built")
  endif()
endif()
