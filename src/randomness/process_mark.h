// How a piece of memory can tell that it was copied into a forked process.
#pragma once

#include <atomic>
#include <cstdint>

namespace modicum {

/// Where the mark of this process is kept: 0 in a child that has just been forked. Looking costs
/// one load, where getpid would cost a system call.
const std::atomic<std::uint64_t>& process_mark_place();

/// The mark of this process; never 0, and different from those of all its ancestors.
std::uint64_t process_mark();

}  // namespace modicum
