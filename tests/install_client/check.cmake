# cmake -DBUILD=... -DSOURCE=... -DWORK=... -P check.cmake: installs the build to a folder, builds the client against
# that alone, runs it and the installed program.
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
# Other programs see include/rigor and nothing else.
file(GLOB_RECURSE headers RELATIVE ${WORK}/prefix/include ${WORK}/prefix/include/*)
foreach(header ${headers})
  if(NOT header MATCHES "^rigor/[a-z_]+\\.h$")
    message(FATAL_ERROR "installed, but no public header: ${header}")
  endif()
endforeach()
execute_process(COMMAND ${WORK}/build/client ${WORK}/no-such-scene.yaml ${WORK}/client.rigor RESULT_VARIABLE code
                ERROR_VARIABLE err)
if(NOT code EQUAL 3 OR NOT err MATCHES "no-such-scene.yaml:1:1: ")
  message(FATAL_ERROR "the client does not fail politely: ${code}: ${err}")
endif()
run(${WORK}/build/client ${WORK}/prefix/share/rigor/scenes/die.yaml ${WORK}/client.rigor)
run(${WORK}/prefix/bin/rigor scenes)
if(NOT out MATCHES "(^|\n)die  ")
  message(FATAL_ERROR "the installed program does not list the scene die:\n${out}")
endif()
run(${WORK}/prefix/bin/rigor verify ${WORK}/client.rigor)

# The recipes of docs/extending.md, as another project would build them.
set(recipes ${SOURCE}/docs/examples/extensions)
run(${CMAKE_COMMAND} -S ${recipes} -B ${WORK}/recipes -DCMAKE_PREFIX_PATH=${WORK}/prefix -DCMAKE_BUILD_TYPE=Release
    -DCMAKE_CXX_FLAGS=${FLAGS})
run(${CMAKE_COMMAND} --build ${WORK}/recipes)
foreach(recipe impact_model joint shape)
  file(REMOVE ${WORK}/${recipe}.rigor)
endforeach()

# Three equal cubes: the first one's velocity is the last one's then.
run(${WORK}/recipes/impact_model ${recipes}/cradle.yaml ${WORK}/impact_model.rigor)
if(NOT out MATCHES "^first (-?0|-?[0-9.]+e-1[0-9])\nmiddle (-?0|-?[0-9.]+e-1[0-9])\nlast 1\n$")
  message(FATAL_ERROR "the cradle of the recipe does not pass its velocity on:\n${out}")
endif()
run(${WORK}/prefix/bin/rigor verify ${WORK}/impact_model.rigor)
# Its option is read as every other one's.
file(READ ${recipes}/cradle.yaml scene)
string(REPLACE "share: 1" "share: 2" scene "${scene}")
file(WRITE ${WORK}/too-much.yaml "${scene}")
execute_process(COMMAND ${WORK}/recipes/impact_model ${WORK}/too-much.yaml ${WORK}/too-much.rigor RESULT_VARIABLE code
                ERROR_VARIABLE err)
if(NOT code EQUAL 3 OR NOT err MATCHES "too-much.yaml:6:[0-9]+: .*share is 2; a number from 0 to 1")
  message(FATAL_ERROR "a wrong option of the recipe is not refused: ${code}: ${err}")
endif()

# A point of the planet wheel stays on its line, and passes from one end to the other; its wall stands beyond.
run(${WORK}/recipes/joint ${recipes}/gear.yaml ${WORK}/joint.rigor)
if(NOT out MATCHES "^aside ([0-9.]+e-1[0-9]|0) far -0.39[0-9]*\n$")
  message(FATAL_ERROR "the pen of the recipe's gear leaves its line:\n${out}")
endif()
run(${WORK}/prefix/bin/rigor verify ${WORK}/joint.rigor)
file(READ ${recipes}/gear.yaml scene)
string(REPLACE "radius: 0.1" "radius: 0" scene "${scene}")
string(REPLACE "urdf: gear" "urdf: ${recipes}/gear" scene "${scene}")
file(WRITE ${WORK}/no-gear.yaml "${scene}")
execute_process(COMMAND ${WORK}/recipes/joint ${WORK}/no-gear.yaml ${WORK}/no-gear.rigor
                RESULT_VARIABLE code ERROR_VARIABLE err)
if(NOT code EQUAL 3 OR NOT err MATCHES
    "no-gear.yaml:6:[0-9]+: .*radius is 0; radius of the planet wheel \\[m\\]: a number > 0")
  message(FATAL_ERROR "a wrong field of the recipe's joint is not refused: ${code}: ${err}")
endif()

run(${WORK}/recipes/shape ${recipes}/pyramid.yaml ${WORK}/shape.rigor)
run(${WORK}/prefix/bin/rigor verify ${WORK}/shape.rigor)
file(READ ${recipes}/pyramid.yaml scene)
string(REPLACE "edge: 0.1" "edge: -1" scene "${scene}")
file(WRITE ${WORK}/flat.yaml "${scene}")
execute_process(COMMAND ${WORK}/recipes/shape ${WORK}/flat.yaml ${WORK}/flat.rigor RESULT_VARIABLE code
                ERROR_VARIABLE err)
if(NOT code EQUAL 3 OR NOT err MATCHES "flat.yaml:6:[0-9]+: .*edge is -1; edge of the square \\[m\\]: a number > 0")
  message(FATAL_ERROR "a wrong field of the recipe's shape is not refused: ${code}: ${err}")
endif()
# Programs that do not know the shape say so.
execute_process(COMMAND ${WORK}/prefix/bin/rigor run ${recipes}/pyramid.yaml -o ${WORK}/unknown.rigor
                RESULT_VARIABLE code ERROR_VARIABLE err)
if(NOT code EQUAL 3 OR NOT err MATCHES "pyramid.yaml:6:[0-9]+: .*pyramid")
  message(FATAL_ERROR "a shape that is not known is not refused: ${code}: ${err}")
endif()
