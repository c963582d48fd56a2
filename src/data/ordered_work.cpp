#include "data/ordered_work.h"

#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <exception>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace modicum::data {
namespace {

struct Outcome {
  Finish finish;
  std::exception_ptr failure;
  bool is_there = false;
};

class OrderedWork {
 public:
  OrderedWork(std::size_t window, const std::function<Task()>& next)
      : window_(window), next_(next), waiting_(window) {}

  void work() {
    Task task;
    std::uint64_t index = 0;
    while (start(task, index)) {
      Outcome outcome;
      try {
        outcome.finish = task();
      } catch (...) {
        outcome.failure = std::current_exception();
      }
      task = nullptr;  // frees what it holds before the results are used
      deliver(index, std::move(outcome));
    }
  }

  std::exception_ptr failure() const { return failure_; }

 private:
  // Waits for room, then takes the next task; false when there are no more.
  bool start(Task& task, std::uint64_t& index) {
    const std::lock_guard one_at_a_time(start_mutex_);
    {
      std::unique_lock lock(mutex_);
      room_.wait(lock, [&] { return stopped_ || started_ - finished_ < window_; });
      if (stopped_) return false;
      index = started_;
    }
    Outcome outcome;
    try {
      task = next_();
    } catch (...) {
      outcome.failure = std::current_exception();
    }
    {
      const std::lock_guard lock(mutex_);
      stopped_ = stopped_ || !task;
      if (task || outcome.failure) ++started_;
    }
    if (outcome.failure) deliver(index, std::move(outcome));
    return static_cast<bool>(task);
  }

  // Keeps the outcome until its turn. One thread at a time uses those whose turn has come. Takes no
  // memory: nobody would catch what a thread throws here.
  void deliver(std::uint64_t index, Outcome outcome) noexcept {
    std::unique_lock lock(mutex_);
    if (outcome.failure) stopped_ = true;
    outcome.is_there = true;
    waiting_[index % window_] = std::move(outcome);
    if (finishing_) return;
    finishing_ = true;
    while (waiting_[finished_ % window_].is_there && !failure_) {
      const Outcome first = std::exchange(waiting_[finished_ % window_], {});
      lock.unlock();
      std::exception_ptr failure = first.failure;
      try {
        if (!failure && first.finish) first.finish();
      } catch (...) {
        failure = std::current_exception();
      }
      lock.lock();
      failure_ = failure;
      stopped_ = stopped_ || failure;
      ++finished_;
      room_.notify_all();
    }
    finishing_ = false;
    room_.notify_all();
  }

  const std::uint64_t window_;
  const std::function<Task()>& next_;
  std::mutex start_mutex_;  // held while next_ runs
  std::mutex mutex_;        // guards what follows
  std::condition_variable room_;
  std::uint64_t started_ = 0, finished_ = 0;
  bool stopped_ = false, finishing_ = false;
  std::vector<Outcome> waiting_;  // by their index, which is less than a window ahead
  std::exception_ptr failure_;
};

}  // namespace

unsigned threads_used(unsigned threads) {
  constexpr unsigned most = 256;
  return std::clamp(threads != 0 ? threads : std::thread::hardware_concurrency(), 1u, most);
}

void run_in_order(unsigned threads, const std::function<Task()>& next) {
  threads = threads_used(threads);
  OrderedWork work(tasks_in_flight(threads), next);
  std::vector<std::thread> others;
  others.reserve(threads);
  try {
    while (others.size() + 1 < threads) others.emplace_back([&work] { work.work(); });
  } catch (const std::exception&) {
    // The system has no more threads to give, or no memory for them: fewer do the same work.
  }
  work.work();
  for (std::thread& other : others) other.join();
  if (work.failure()) std::rethrow_exception(work.failure());
}

}  // namespace modicum::data
