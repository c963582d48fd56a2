# Installs the libraries, their headers, the program, and what find_package(modicum) reads.

include(CMakePackageConfigHelpers)
set(config_dir "${CMAKE_INSTALL_LIBDIR}/cmake/modicum")

install(TARGETS modicum ${layer_targets} EXPORT modicumTargets
        ARCHIVE DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(EXPORT modicumTargets NAMESPACE modicum:: DESTINATION "${config_dir}")
install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h")
install(FILES "${PROJECT_BINARY_DIR}/include/modicum/version.h"
        DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/modicum")
if(TARGET modicum_program)
  install(TARGETS modicum_program RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}")
endif()

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/modicumConfig.cmake.in"
  "${PROJECT_BINARY_DIR}/modicumConfig.cmake"
  INSTALL_DESTINATION "${config_dir}")
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/modicumConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(FILES
  "${PROJECT_BINARY_DIR}/modicumConfig.cmake"
  "${PROJECT_BINARY_DIR}/modicumConfigVersion.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/FindArb.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/FindHttplib.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/FindLapacke.cmake"
  "${PROJECT_SOURCE_DIR}/cmake/FindSodium.cmake"
  DESTINATION "${config_dir}")
install(FILES "${PROJECT_SOURCE_DIR}/LICENSE" DESTINATION "${CMAKE_INSTALL_DOCDIR}")
