# Finds the header of libpq, PostgreSQL's library for clients (<libpq-fe.h>). Makes the imported target
# Libpq::Libpq and sets Libpq_FOUND. The library itself is loaded when it is needed.

find_path(Libpq_INCLUDE_DIR libpq-fe.h PATH_SUFFIXES postgresql)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Libpq REQUIRED_VARS Libpq_INCLUDE_DIR)

if(Libpq_FOUND AND NOT TARGET Libpq::Libpq)
  add_library(Libpq::Libpq INTERFACE IMPORTED)
  set_target_properties(Libpq::Libpq PROPERTIES
    INTERFACE_INCLUDE_DIRECTORIES "${Libpq_INCLUDE_DIR}")
endif()

mark_as_advanced(Libpq_INCLUDE_DIR)
