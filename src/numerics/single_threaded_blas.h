// OpenBLAS without threads of its own: they would spin while they wait, which costs seconds on a
// busy machine, compete with threads of ours, and results would depend on their number.
#pragma once

namespace modicum {

/// While one of these lives, BLAS and LAPACK compute in the thread that made it and in no other.
/// To be made where they are called, and in that thread. Other threads are not concerned, and
/// afterwards everything is as before.
class SingleThreadedBlas {
 public:
  SingleThreadedBlas();
  ~SingleThreadedBlas();
  SingleThreadedBlas(const SingleThreadedBlas&) = delete;
  SingleThreadedBlas& operator=(const SingleThreadedBlas&) = delete;

 private:
  int threads_before_;
};

}  // namespace modicum
