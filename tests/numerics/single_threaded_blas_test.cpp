#include "numerics/single_threaded_blas.h"

#include <cblas.h>
#include <gtest/gtest.h>

#include <thread>

extern "C" int omp_get_max_threads();
extern "C" void omp_set_num_threads(int);

namespace modicum::single_threaded_blas_test {
namespace {

// OpenBLAS on OpenMP asks this before each call.
TEST(SingleThreadedBlas, LastsAsLongAsItLivesAndInItsThreadOnly) {
  const int before = omp_get_max_threads(), in_blas = openblas_get_num_threads();
  omp_set_num_threads(3);
  {
    const SingleThreadedBlas outer;
    EXPECT_EQ(omp_get_max_threads(), 1);
    {
      const SingleThreadedBlas inner;
      EXPECT_EQ(omp_get_max_threads(), 1);
    }
    EXPECT_EQ(omp_get_max_threads(), 1);
    int elsewhere = 0;
    std::thread([&] { elsewhere = omp_get_max_threads(); }).join();
    EXPECT_EQ(elsewhere, before);
  }
  EXPECT_EQ(omp_get_max_threads(), 3);
  omp_set_num_threads(before);
  EXPECT_EQ(openblas_get_num_threads(), in_blas);
}

}  // namespace
}  // namespace modicum::single_threaded_blas_test
