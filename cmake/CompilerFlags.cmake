# The target modicum_flags carries the flags of this project's own code. It is linked privately,
# so nothing of it reaches the programs that use an installed copy.

# Enclosures are proved for IEEE arithmetic. Flags that relax it would make them untrue.
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
foreach(flags IN ITEMS "${CMAKE_CXX_FLAGS}" "${CMAKE_CXX_FLAGS_${build_type}}")
  if(flags MATCHES "-ffast-math|-Ofast|-funsafe-math-optimizations|-ffinite-math-only|-fassociative-math|-freciprocal-math")
    message(FATAL_ERROR "modicum needs strict floating point, but the flags contain ${CMAKE_MATCH_0}")
  endif()
endforeach()

add_library(modicum_flags INTERFACE)
target_compile_options(modicum_flags INTERFACE
  -ffp-contract=off
  -Wall -Wextra -Wpedantic
  -Wconversion -Wno-sign-conversion  # Eigen's indices are signed, the standard library's are not
  -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Wimplicit-fallthrough -Wundef)

# Names inside the sources of one folder, and of the small folders of a layer, are different, so several may be
# compiled at once: half the work.
# One who changes a source would wait for the others, so this is for those who only build.
option(MODICUM_UNITY "Compile several sources of a folder at once" OFF)
if(MODICUM_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Half a gigabyte a process, in which the compiler does not stop to collect garbage: a twelfth of its time.
  target_compile_options(modicum_flags INTERFACE --param=ggc-min-heapsize=524288)
endif()

if(MODICUM_WARNINGS_AS_ERRORS)
  target_compile_options(modicum_flags INTERFACE -Werror)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # With Eigen inlined, the optimizer's own warnings are guesses: shown, never fatal.
    target_compile_options(modicum_flags INTERFACE
      -Wno-error=maybe-uninitialized -Wno-error=array-bounds
      -Wno-error=stringop-overflow -Wno-error=stringop-overread)
  endif()
endif()

if(MODICUM_INSTRUMENTATION)
  separate_arguments(instrumentation UNIX_COMMAND "${MODICUM_INSTRUMENTATION}")
  add_compile_options(${instrumentation})
  add_link_options(${instrumentation})
endif()
