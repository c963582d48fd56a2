// Tasks on several threads whose results are used in the order of the tasks.
#pragma once

#include <functional>

namespace modicum::data {

/// What is done with the result of a task, in order. May be empty.
using Finish = std::function<void()>;
using Task = std::function<Finish()>;

/// Calls `next` for one task after the other, one call at a time, until it returns an empty one.
/// Tasks run on this thread and threads - 1 others (0: one for each core); their Finish run one at
/// a time in the order of the tasks. At most `tasks_in_flight(threads)` tasks are started and not
/// finished, which bounds the memory.
///
/// If `next`, a task or a Finish throws, no more tasks are started, those before it are still
/// finished, and the first exception in the order of the tasks is rethrown.
void run_in_order(unsigned threads, const std::function<Task()>& next);

unsigned threads_used(unsigned threads);
inline std::size_t tasks_in_flight(unsigned threads) { return 2 * std::size_t{threads} + 2; }

}  // namespace modicum::data
