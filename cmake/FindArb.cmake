# Finds Arb 2 and the libraries it stands on (FLINT 2, MPFR, GMP), which bring no configuration
# files of their own. Makes the imported target Arb::Arb and sets Arb_FOUND and Arb_VERSION.

find_path(Arb_INCLUDE_DIR arb.h)
find_path(Arb_FLINT_INCLUDE_DIR flint/flint.h)
find_library(Arb_LIBRARY NAMES flint-arb arb)  # Debian calls it flint-arb
find_library(Arb_FLINT_LIBRARY flint)
find_library(Arb_MPFR_LIBRARY mpfr)
find_library(Arb_GMP_LIBRARY gmp)

if(Arb_INCLUDE_DIR)
  file(STRINGS "${Arb_INCLUDE_DIR}/arb.h" version_line REGEX "#define ARB_VERSION ")
  if(version_line MATCHES "\"([0-9.]+)")
    set(Arb_VERSION "${CMAKE_MATCH_1}")
  endif()
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Arb
  REQUIRED_VARS Arb_LIBRARY Arb_FLINT_LIBRARY Arb_MPFR_LIBRARY Arb_GMP_LIBRARY
                Arb_INCLUDE_DIR Arb_FLINT_INCLUDE_DIR
  VERSION_VAR Arb_VERSION)

if(Arb_FOUND AND NOT TARGET Arb::Arb)
  add_library(Arb::Arb UNKNOWN IMPORTED)
  set_target_properties(Arb::Arb PROPERTIES
    IMPORTED_LOCATION "${Arb_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Arb_INCLUDE_DIR};${Arb_FLINT_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${Arb_FLINT_LIBRARY};${Arb_MPFR_LIBRARY};${Arb_GMP_LIBRARY}")
endif()

mark_as_advanced(Arb_INCLUDE_DIR Arb_FLINT_INCLUDE_DIR Arb_LIBRARY Arb_FLINT_LIBRARY
                 Arb_MPFR_LIBRARY Arb_GMP_LIBRARY)
