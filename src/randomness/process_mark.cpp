#include "randomness/process_mark.h"

#include <pthread.h>
#include <sys/mman.h>

#include <new>

#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

using Mark = std::atomic<std::uint64_t>;
static_assert(Mark::is_always_lock_free);

// Counts the marks given out; a child inherits the count, so it never repeats an ancestor's mark.
Mark marks_given = 0;
Mark* place = nullptr;

// Two ways to notice a fork, each enough: the kernel fills the page with zeros in every kind of
// child (Linux 4.14 and later), and the C library calls us after fork().
Mark* make_place() {
  void* const page =
      mmap(nullptr, sizeof(Mark), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) throw Error("the operating system gives no memory");
  place = new (page) Mark(0);
#ifdef MADV_WIPEONFORK
  static_cast<void>(madvise(page, sizeof(Mark), MADV_WIPEONFORK));
#endif
  if (pthread_atfork(nullptr, nullptr, [] { place->store(0, std::memory_order_relaxed); }) != 0)
    throw Error("the operating system cannot tell when this process is forked");
  return place;
}

Mark& only_place() {
  static Mark* const only = make_place();
  return *only;
}

}  // namespace

const std::atomic<std::uint64_t>& process_mark_place() { return only_place(); }

std::uint64_t process_mark() {
  Mark& current = only_place();
  std::uint64_t mark = current.load();
  if (mark != 0) return mark;
  const std::uint64_t fresh = ++marks_given;
  // Another thread may have been quicker: then its mark holds.
  return current.compare_exchange_strong(mark, fresh) ? fresh : mark;
}

}  // namespace modicum
