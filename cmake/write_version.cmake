# cmake -DSOURCE=... -DVERSION=... -DOUTPUT=... -P write_version.cmake: the version and, in a checkout, its revision.
set(revision "")
execute_process(COMMAND git -C ${SOURCE} rev-parse --short=12 HEAD
                OUTPUT_VARIABLE revision OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(build ${VERSION})
if(revision)
  string(APPEND build "+" ${revision})
endif()
file(WRITE ${OUTPUT} "#pragma once\n#define RIGOR_BUILD \"${build}\"\n")
