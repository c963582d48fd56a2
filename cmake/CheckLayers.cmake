# cmake -DSOURCE_DIR=<root> -DLAYERS=<names, lowest first, separated by commas> -P CheckLayers.cmake
#
# Fails if a file of one layer includes a header of a layer above it.

string(REPLACE "," ";" layers "${LAYERS}")
set(violations "")
set(checked 0)
foreach(layer IN LISTS layers)
  list(FIND layers "${layer}" position)
  file(GLOB_RECURSE files
    "${SOURCE_DIR}/include/modicum/${layer}/*.h"
    "${SOURCE_DIR}/src/${layer}/*.h" "${SOURCE_DIR}/src/${layer}/*.cpp")
  foreach(file IN LISTS files)
    math(EXPR checked "${checked} + 1")
    file(STRINGS "${file}" includes REGEX "^[ \t]*#[ \t]*include[ \t]")
    foreach(include IN LISTS includes)
      if(include MATCHES "[<\"](modicum/)?([a-z]+)/")
        list(FIND layers "${CMAKE_MATCH_2}" included)
        if(included GREATER position)
          file(RELATIVE_PATH shown "${SOURCE_DIR}" "${file}")
          string(APPEND violations "  ${shown}: ${include}\n")
        endif()
      endif()
    endforeach()
  endforeach()
endforeach()

if(violations)
  message(FATAL_ERROR "a layer includes a layer above it:\n${violations}")
endif()
message(STATUS "${checked} files, every include goes downwards")
