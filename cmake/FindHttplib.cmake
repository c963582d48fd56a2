# Finds cpp-httplib by its pkg-config file, whose definitions must be those the library was compiled
# with. Makes the imported target Httplib::Httplib and sets Httplib_FOUND.

find_package(PkgConfig QUIET)
if(PkgConfig_FOUND)
  pkg_check_modules(Httplib QUIET IMPORTED_TARGET cpp-httplib)
endif()

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Httplib REQUIRED_VARS Httplib_LIBRARIES
  VERSION_VAR Httplib_VERSION)

if(Httplib_FOUND AND NOT TARGET Httplib::Httplib)
  add_library(Httplib::Httplib INTERFACE IMPORTED)
  target_link_libraries(Httplib::Httplib INTERFACE PkgConfig::Httplib)
endif()
