# install.cmake: libraries, headers, the CMake package and the pkg-config file. Included by src/CMakeLists.txt.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/sealane)
set_target_properties(sealane_static PROPERTIES EXPORT_NAME static)
set_target_properties(sealane_shared PROPERTIES EXPORT_NAME shared)

install(TARGETS sealane_static sealane_shared EXPORT sealane)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/sealane DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT sealane NAMESPACE sealane:: FILE sealane-targets.cmake DESTINATION ${package_dir})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/sealane-config.cmake.in
  ${CMAKE_CURRENT_BINARY_DIR}/sealane-config.cmake INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/sealane-config-version.cmake
  COMPATIBILITY SameMinorVersion)
# Relative to where it lies, so that it is right wherever the files are installed or moved together.
set(pc_dir ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig)
file(RELATIVE_PATH pc_to_prefix ${pc_dir} ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH pc_to_include ${pc_dir} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(${PROJECT_SOURCE_DIR}/cmake/sealane.pc.in ${CMAKE_CURRENT_BINARY_DIR}/sealane.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sealane-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/sealane-config-version.cmake
  DESTINATION ${package_dir})
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/sealane.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
