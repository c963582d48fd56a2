# Finds LAPACKE and OpenBLAS (headers <lapacke.h> and <cblas.h>) and the OpenMP runtime that OpenBLAS
# runs on. Makes the imported target Lapacke::Lapacke and sets Lapacke_FOUND.

find_path(Lapacke_INCLUDE_DIR lapacke.h)
find_path(Lapacke_CBLAS_INCLUDE_DIR cblas.h)
find_library(Lapacke_LIBRARY lapacke)
find_library(Lapacke_OPENBLAS_LIBRARY openblas)
find_library(Lapacke_OPENMP_LIBRARY NAMES gomp libgomp.so.1)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Lapacke
  REQUIRED_VARS Lapacke_LIBRARY Lapacke_OPENBLAS_LIBRARY Lapacke_OPENMP_LIBRARY
                Lapacke_INCLUDE_DIR Lapacke_CBLAS_INCLUDE_DIR)

if(Lapacke_FOUND AND NOT TARGET Lapacke::Lapacke)
  add_library(Lapacke::Lapacke UNKNOWN IMPORTED)
  set_target_properties(Lapacke::Lapacke PROPERTIES
    IMPORTED_LOCATION "${Lapacke_LIBRARY}"
    INTERFACE_INCLUDE_DIRECTORIES "${Lapacke_INCLUDE_DIR};${Lapacke_CBLAS_INCLUDE_DIR}"
    INTERFACE_LINK_LIBRARIES "${Lapacke_OPENBLAS_LIBRARY};${Lapacke_OPENMP_LIBRARY}")
endif()

mark_as_advanced(Lapacke_INCLUDE_DIR Lapacke_CBLAS_INCLUDE_DIR Lapacke_LIBRARY
                 Lapacke_OPENBLAS_LIBRARY Lapacke_OPENMP_LIBRARY)
