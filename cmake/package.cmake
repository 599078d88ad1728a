# `cmake --install`: the program, the scenes, the libraries, and a package that find_package(rigor) finds.
include(CMakePackageConfigHelpers)
set(RIGOR_PACKAGE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/rigor)

configure_package_config_file(cmake/rigorConfig.cmake.in rigorConfig.cmake INSTALL_DESTINATION ${RIGOR_PACKAGE_DIR})
write_basic_package_version_file(rigorConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/rigorConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/rigorConfigVersion.cmake
        DESTINATION ${RIGOR_PACKAGE_DIR})
install(EXPORT rigorTargets NAMESPACE rigor:: DESTINATION ${RIGOR_PACKAGE_DIR})
