#include "data/single_threaded_blas.h"

#include <cblas.h>

#include <mutex>

namespace modicum::data {
namespace {

std::mutex mutex;
int users = 0, threads_before = 1;

}  // namespace

SingleThreadedBlas::SingleThreadedBlas() {
  const std::lock_guard lock(mutex);
  if (users++ == 0) threads_before = openblas_get_num_threads();
  openblas_set_num_threads(1);
}

SingleThreadedBlas::~SingleThreadedBlas() {
  const std::lock_guard lock(mutex);
  if (--users == 0) openblas_set_num_threads(threads_before);
}

// A thread of ours is either new, or the one whose SingleThreadedBlas lives: that set it already.
void single_threaded_blas_here() {
  thread_local bool done = false;
  if (done) return;
  const std::lock_guard lock(mutex);
  openblas_set_num_threads(1);
  done = true;
}

}  // namespace modicum::data
