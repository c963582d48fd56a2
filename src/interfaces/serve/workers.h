// Questions are answered by other processes, one at a time each: a question that takes too long is
// ended with its process, and what a table holds is never in the memory of the server.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "modicum/data/value.h"
#include "modicum/release/progress.h"

namespace modicum {

using Answerer = std::function<Value(const Value& question, Progress& progress)>;

/// Makes processes that answer. It is a process of its own, without threads, made before the server
/// has any: only such a one may be copied safely.
class Nursery {
 public:
  explicit Nursery(Answerer answerer);
  ~Nursery();
  Nursery(const Nursery&) = delete;
  Nursery& operator=(const Nursery&) = delete;

  struct Worker {
    int socket = -1;
    pid_t process = -1;
  };
  /// Throws Error. May be called from any thread.
  Worker make();

 private:
  std::mutex mutex_;
  int socket_ = -1;
  pid_t process_ = -1;
};

/// What became of a question.
struct RunState {
  bool found = true, finished = false;
  std::string what = {};              ///< being done
  std::uint64_t done = 0, total = 0;  ///< of that
  std::string answer = {};            ///< JSON, when finished
};

/// Questions in the order in which they came, `workers` of them at once.
/// One that nobody has asked about for `patience` is given up: its page was closed.
class Runs {
 public:
  Runs(Nursery& nursery, unsigned workers,
       std::chrono::milliseconds patience = std::chrono::seconds(60));
  ~Runs();
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  /// Its number; nothing if too many wait already.
  std::optional<std::uint64_t> begin(std::string question);
  /// After at most so long. An answer can be fetched once.
  RunState wait(std::uint64_t number, std::chrono::milliseconds longest);
  /// Whether there was one.
  bool cancel(std::uint64_t number);

 private:
  struct Run {
    std::string question;
    RunState state = {};
    pid_t process = -1;
    bool cancelled = false;
    int waited_for = 0;                                      // by so many at this moment
    std::chrono::steady_clock::time_point asked_about = {};  // last
  };
  void attend();
  void answer(Run& run, Nursery::Worker& worker, std::unique_lock<std::mutex>& lock);
  void forget_abandoned();
  void give_up(const std::shared_ptr<Run>& run);

  Nursery& nursery_;
  const std::chrono::milliseconds patience_;
  std::mutex mutex_;
  std::condition_variable changed_, ended_;
  bool ending_ = false;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, std::shared_ptr<Run>> runs_;
  std::deque<std::shared_ptr<Run>> waiting_;
  std::vector<std::thread> attendants_;
  std::thread keeper_;
};

}  // namespace modicum
