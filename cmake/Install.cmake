# Installs the libraries, their headers, what find_package(modicum) reads, and the program with its
# manual and what shells need to complete it.

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
  # Written by the program itself, when it is installed.
  set(written "${PROJECT_BINARY_DIR}/written")
  install(CODE "
    file(REMOVE_RECURSE \"${written}\")
    file(MAKE_DIRECTORY \"${written}/man1\")
    execute_process(COMMAND \"$<TARGET_FILE:modicum_program>\" manual --quiet --folder \"${written}/man1\"
      COMMAND_ERROR_IS_FATAL ANY)
    foreach(shell IN ITEMS bash zsh fish)
      execute_process(COMMAND \"$<TARGET_FILE:modicum_program>\" completion \${shell}
        OUTPUT_FILE \"${written}/\${shell}\" COMMAND_ERROR_IS_FATAL ANY)
    endforeach()")
  install(DIRECTORY "${written}/man1" DESTINATION "${CMAKE_INSTALL_MANDIR}")
  install(FILES "${written}/bash" RENAME modicum
          DESTINATION "${CMAKE_INSTALL_DATADIR}/bash-completion/completions")
  install(FILES "${written}/fish" RENAME modicum.fish
          DESTINATION "${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d")
  set(zsh_folder site-functions)
  if(CMAKE_INSTALL_PREFIX STREQUAL "/usr" AND EXISTS /etc/debian_version)
    set(zsh_folder vendor-completions)  # the other one is for /usr/local
  endif()
  install(FILES "${written}/zsh" RENAME _modicum
          DESTINATION "${CMAKE_INSTALL_DATADIR}/zsh/${zsh_folder}")
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
