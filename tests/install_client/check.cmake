# cmake -DBUILD=... -DSOURCE=... -DWORK=... -P check.cmake: installs the build to a folder, builds the client against that
# alone, runs it and the installed program.
file(REMOVE_RECURSE ${WORK})
# The README shows this very program.
file(READ ${SOURCE}/README.md readme)
file(READ ${SOURCE}/tests/install_client/client.cc client)
string(REPLACE "// SPDX-License-Identifier: MIT\n" "" client "${client}")
string(FIND "${readme}" "${client}" place)
if(place EQUAL -1)
  message(FATAL_ERROR "README.md does not show tests/install_client/client.cc as it is")
endif()

function(run)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${ARGV}: ${code}\n${out}")
  endif()
  set(out "${out}" PARENT_SCOPE)
endfunction()
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${WORK}/prefix)
run(${CMAKE_COMMAND} -S ${SOURCE}/tests/install_client -B ${WORK}/build -DCMAKE_PREFIX_PATH=${WORK}/prefix
    -DCMAKE_BUILD_TYPE=Release -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/build)
run(${WORK}/build/client ${WORK}/prefix/share/rigor/scenes/die.yaml ${WORK}/client.rigor)
run(${WORK}/prefix/bin/rigor scenes)
if(NOT out MATCHES "(^|\n)die  ")
  message(FATAL_ERROR "the installed program does not list the scene die:\n${out}")
endif()
run(${WORK}/prefix/bin/rigor verify ${WORK}/client.rigor)
