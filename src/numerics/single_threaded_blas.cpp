#include "numerics/single_threaded_blas.h"

#include <cblas.h>

// Of the OpenMP runtime below OpenBLAS, whose header comes with a compiler.
extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int);

namespace modicum {

// OpenBLAS built on OpenMP takes the number of threads from OpenMP's setting for the calling
// thread. Its own openblas_set_num_threads changes that too, but with it shared buffers that calls
// in other threads are using. Built on threads of its own, which nothing here does, it has only a
// setting for all: changed once and for good.
SingleThreadedBlas::SingleThreadedBlas() : threads_before_(omp_get_max_threads()) {
  static const bool switched_off =
      openblas_get_parallel() == OPENBLAS_THREAD && (openblas_set_num_threads(1), true);
  static_cast<void>(switched_off);
  omp_set_num_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas() { omp_set_num_threads(threads_before_); }

}  // namespace modicum
