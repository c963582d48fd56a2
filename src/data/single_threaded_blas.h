// OpenBLAS without threads of its own, for use below threads of ours.
#pragma once

namespace modicum::data {

/// While one of these lives, OpenBLAS computes in the thread that calls it, provided that thread
/// has called `single_threaded_blas_here`. Afterwards it is as before.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;
};

/// To be called in every thread before its first call of BLAS. OpenBLAS built on OpenMP takes the
/// number of threads from OpenMP's setting for the calling thread, whatever was set in another
/// thread, and each such change rebuilds its shared buffers.
void single_threaded_blas_here();

}  // namespace modicum::data
