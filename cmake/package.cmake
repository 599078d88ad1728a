# `cmake --install`: the program, the scenes, the libraries, and a package that find_package(rigor) finds.
include(CMakePackageConfigHelpers)
set(RIGOR_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/rigor)

configure_package_config_file(cmake/rigorConfig.cmake.in rigorConfig.cmake INSTALL_DESTINATION ${RIGOR_PACKAGE_DIR})
write_basic_package_version_file(rigorConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rigorConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/rigorConfigVersion.cmake
        DESTINATION ${RIGOR_PACKAGE_DIR})
install(EXPORT rigorTargets NAMESPACE rigor:: DESTINATION ${RIGOR_PACKAGE_DIR})

# All that is installed, without tests and benchmarks: what packages are made of.
get_property(installed GLOBAL PROPERTY RIGOR_INSTALLED)
add_custom_target(installed DEPENDS rigor rigor-view ${installed})
if(TARGET rigor_python)
  add_dependencies(installed rigor_python)
endif()
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

# Pages of the manual, by help2man from the program's own help, where it is installed: targets are made only then.
find_program(RIGOR_HELP2MAN help2man)
if(RIGOR_HELP2MAN)
  set(man_pages "")
  foreach(command "" run explore impact atlas check compare sweep verify export info view distance scenes trace)
    string(JOIN "-" page rigor ${command})
    set(man_page ${CMAKE_CURRENT_BINARY_DIR}/man/${page}.1)
    add_custom_command(OUTPUT ${man_page}
      COMMAND ${CMAKE_COMMAND} -DHELP2MAN=${RIGOR_HELP2MAN} -DPROGRAM=$<TARGET_FILE:rigor> -DCOMMAND=${command}
              -DPAGE=${page} -DVERSION=${PROJECT_VERSION} -DOUTPUT=${man_page}
              -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/package/man_page.cmake
      DEPENDS rigor ${CMAKE_CURRENT_SOURCE_DIR}/cmake/package/man_page.cmake VERBATIM)
    list(APPEND man_pages ${man_page})
  endforeach()
  add_custom_target(man DEPENDS ${man_pages})
  install(DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 OPTIONAL
          FILES_MATCHING PATTERN "*.1")
endif()
install(FILES completions/rigor.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME rigor)
install(FILES completions/_rigor DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(FILES README.md CHANGELOG.md CITATION.cff DESTINATION ${CMAKE_INSTALL_DOCDIR})
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} RENAME copyright)

# `cpack -G DEB` in the build folder, or ./rigor.sh package: a Debian package of all of it.
set(CPACK_PACKAGE_NAME rigor)
set(CPACK_PACKAGE_CONTACT "The rigor authors <rigor@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "rigid-body simulation that proves what it shows")
set(CPACK_PACKAGE_DESCRIPTION "rigor simulates rigid bodies and proves, for every pair and every instant, that no two
bodies ever touched. This package has the program, its scenes, the C++ library and
the Python module.")
set(CPACK_GENERATOR DEB)
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Loaded when first asked for, which dpkg-shlibdeps cannot see: the packages that own these libraries here.
find_program(RIGOR_DPKG_QUERY dpkg-query)
if(RIGOR_DPKG_QUERY)
  set(late_packages "")
  foreach(name hdf5 hdf5_serial zip assimp)
    find_library(late_library NAMES ${name} NO_CACHE HINTS ${HDF5_LIBRARY_DIRS})
    if(late_library)
      file(REAL_PATH ${late_library} late_file)
      execute_process(COMMAND ${RIGOR_DPKG_QUERY} -S ${late_file} OUTPUT_VARIABLE owner ERROR_QUIET)
      if(owner MATCHES "^([^:]+):")
        list(APPEND late_packages ${CMAKE_MATCH_1})
      endif()
    endif()
    unset(late_library)
  endforeach()
  list(REMOVE_DUPLICATES late_packages)
  list(JOIN late_packages ", " CPACK_DEBIAN_PACKAGE_DEPENDS)
endif()
if(TARGET rigor_python)
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "python3, python3-numpy")
endif()
# What programs that link the libraries need.
set(CPACK_DEBIAN_PACKAGE_SUGGESTS
    "libeigen3-dev, libqhull-dev, libccd-dev, libgmp-dev, libsqlite3-dev, zlib1g-dev, libyaml-dev, libyaml-cpp-dev")
string(APPEND CPACK_DEBIAN_PACKAGE_SUGGESTS
       ", libtinyxml-dev, nlohmann-json3-dev, libfmt-dev, libtbb-dev, ffmpeg")
include(CPack)
