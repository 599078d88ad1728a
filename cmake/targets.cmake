# Compiler settings shared by all targets, and rigor_add_library(): one library a folder.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# Where -DCMAKE_UNITY_BUILD=ON asks for unity builds: one file a target. What its sources use of Eigen is instantiated
# and optimised once. The largest, sim, takes 2.6 GB.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 0)

find_program(RIGOR_CCACHE ccache)
if(RIGOR_CCACHE)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${RIGOR_CCACHE})
endif()

add_library(rigor_flags INTERFACE)
# No contraction of a*b+c: results must not depend on what the optimiser fuses, and error bounds count roundings.
# g++ 12 reports members of inlined Eigen temporaries as maybe uninitialized or out of bounds where they are neither.
target_compile_options(rigor_flags INTERFACE -ffp-contract=off "$<BUILD_INTERFACE:-Wall;-Wextra;-Wshadow>"
  "$<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-maybe-uninitialized;-Wno-array-bounds>>")
target_compile_features(rigor_flags INTERFACE cxx_std_20)
target_include_directories(rigor_flags INTERFACE
  $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
if(CMAKE_UNITY_BUILD)
  # g++ takes the sources that a unity file includes for headers, and spends a seventh of its time on collecting
  # garbage that it need not: 500 MB more of 1.6 GB.
  target_compile_options(rigor_flags INTERFACE
    "$<BUILD_INTERFACE:$<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage;--param=ggc-min-heapsize=1048576>>")
endif()
if(RIGOR_X86_64_V3)
  # A fixed baseline: g++ 12 with -march=native on AVX-512 machines miscompiles Eigen 3.4 quaternion code.
  target_compile_options(rigor_flags INTERFACE -march=x86-64-v3)
endif()
# RIGOR_REQUIRE (elementary/require.h) speaks in builds that look for mistakes.
if(RIGOR_CONTRACTS OR CMAKE_BUILD_TYPE STREQUAL "Debug" OR RIGOR_FUZZ)
  target_compile_definitions(rigor_flags INTERFACE "$<BUILD_INTERFACE:RIGOR_CONTRACTS>")
endif()
if(RIGOR_SANITIZE_ADDRESS)
  # Two fifths of the compiler's time would go into checks of every access: AddressSanitizer sees the null and the too
  # small ones by itself, and no bytes are read as numbers in place (reinterpret_cast).
  target_compile_options(rigor_flags INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                         -fno-sanitize=null,object-size,alignment,pointer-overflow -fno-omit-frame-pointer)
  target_link_options(rigor_flags INTERFACE -fsanitize=address,undefined)
endif()
if(RIGOR_COVERAGE)
  # Counters of threads that run at once must not lose each other's.
  target_compile_options(rigor_flags INTERFACE --coverage -fprofile-update=atomic)
  target_link_options(rigor_flags INTERFACE --coverage)
endif()
if(RIGOR_SANITIZE_THREAD)
  target_compile_options(rigor_flags INTERFACE -fsanitize=thread)
  target_link_options(rigor_flags INTERFACE -fsanitize=thread)
endif()
set_target_properties(rigor_flags PROPERTIES EXPORT_NAME flags)
install(TARGETS rigor_flags EXPORT rigorTargets)

# rigor_optimise(LEVEL TARGETS...): code that takes little of a run's time (-O1) or none (-Og) compiles in two thirds of
# the time, or in half. To clang++ -Og is -O1: it gains by -O0.
# What such code instantiates of Eigen, and its copies of inline functions, would be the program's where they are linked
# first: runs took up to a half longer. So programs begin with the archives that are compiled for speed, as a whole.
function(rigor_optimise level)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang" AND level STREQUAL "-Og")
    set(level -O0)
  endif()
  foreach(target ${ARGN})
    target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:${level}>)
    set_target_properties(${target} PROPERTIES RIGOR_SLOW ON)
    get_target_property(type ${target} TYPE)
    if(type MATCHES "EXECUTABLE|MODULE_LIBRARY")
      set(fast "")
      set(seen "")
      rigor_collect_fast(fast ${target} LINK_LIBRARIES)
      list(TRANSFORM fast REPLACE "(.+)" "$<TARGET_FILE:\\1>")
      list(JOIN fast "," fast)
      if(fast)
        target_link_options(${target} BEFORE PRIVATE
                            "$<$<CONFIG:Release>:LINKER:--whole-archive,${fast},--no-whole-archive>")
      endif()
    endif()
  endforeach()
endfunction()

# Appends to the list `out` the archives of this project that `target` links and that are compiled for speed.
function(rigor_collect_fast out target property)
  set(found ${${out}})
  get_target_property(links ${target} ${property})
  foreach(link ${links})
    string(REGEX REPLACE "^\\$<LINK_ONLY:(.*)>$" "\\1" link "${link}")
    if(NOT TARGET "${link}")
      continue()
    endif()
    get_target_property(alias ${link} ALIASED_TARGET)
    if(alias)
      set(link ${alias})
    endif()
    get_target_property(type ${link} TYPE)
    get_target_property(imported ${link} IMPORTED)
    if(imported OR link IN_LIST seen OR NOT type MATCHES "STATIC_LIBRARY|INTERFACE_LIBRARY")
      continue()
    endif()
    list(APPEND seen ${link})
    get_target_property(slow ${link} RIGOR_SLOW)
    if(NOT slow AND type STREQUAL "STATIC_LIBRARY")
      list(APPEND found ${link})
    endif()
    rigor_collect_fast(found ${link} INTERFACE_LINK_LIBRARIES)
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
  set(seen ${seen} PARENT_SCOPE)
endfunction()

# rigor_add_library(NAME SOURCES a.cc ... [DEPENDS targets...] [PRIVATE_DEPENDS targets...])
# The link line of a folder is its include permission; tests/check_layers.py holds the #includes to it.
function(rigor_add_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;DEPENDS;PRIVATE_DEPENDS" ${ARGN})
  add_library(rigor_${name} STATIC ${ARG_SOURCES})
  add_library(rigor::${name} ALIAS rigor_${name})
  set_target_properties(rigor_${name} PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(rigor_${name} PUBLIC rigor_flags ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE_DEPENDS})
  install(TARGETS rigor_${name} EXPORT rigorTargets)
  set_property(GLOBAL APPEND PROPERTY RIGOR_INSTALLED rigor_${name})
endfunction()

# rigor_add_version_header(TARGET FOLDER): FOLDER/version.h with the build id of records, made again when HEAD moves.
function(rigor_add_version_header target folder)
  set(header ${CMAKE_CURRENT_BINARY_DIR}/${folder}/version.h)
  set(head_files)
  foreach(file HEAD logs/HEAD)
    if(EXISTS ${PROJECT_SOURCE_DIR}/.git/${file})
      list(APPEND head_files ${PROJECT_SOURCE_DIR}/.git/${file})
    endif()
  endforeach()
  add_custom_command(OUTPUT ${header}
    COMMAND ${CMAKE_COMMAND} -DSOURCE=${PROJECT_SOURCE_DIR} -DVERSION=${PROJECT_VERSION} -DOUTPUT=${header}
            -P ${PROJECT_SOURCE_DIR}/cmake/write_version.cmake
    DEPENDS ${head_files} ${PROJECT_SOURCE_DIR}/cmake/write_version.cmake VERBATIM)
  target_sources(${target} PRIVATE ${header})
  target_include_directories(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
endfunction()
