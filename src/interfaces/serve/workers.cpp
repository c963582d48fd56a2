#include "interfaces/serve/workers.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>

#include "modicum/data/json.h"
#include "modicum/numerics/errors.h"

namespace modicum {
namespace {

constexpr std::size_t most_waiting = 256;

// Lines of JSON over a socket.
class Line {
 public:
  explicit Line(int socket) : socket_(socket) {}

  bool send(std::string_view text) const {
    while (!text.empty()) {
      const ssize_t sent = ::send(socket_, text.data(), text.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno == EINTR) continue;
      if (sent <= 0) return false;
      text.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
  }

  // Without its end; nothing at the end of all.
  std::optional<std::string> receive() {
    for (;;) {
      const auto end = rest_.find('\n');
      if (end != std::string::npos) {
        std::string line = rest_.substr(0, end);
        rest_.erase(0, end + 1);
        return line;
      }
      char piece[65536];
      const ssize_t got = ::recv(socket_, piece, sizeof piece, 0);
      if (got < 0 && errno == EINTR) continue;
      if (got <= 0) return std::nullopt;
      rest_.append(piece, static_cast<std::size_t>(got));
    }
  }

 private:
  int socket_;
  std::string rest_;
};

// Tells the server, at most ten times a second.
class ToldProgress : public Progress {
 public:
  explicit ToldProgress(const Line& line) : line_(line) {}
  void begin(std::string_view what) override {
    what_ = what;
    tell(0, 0);
  }
  void report(std::uint64_t done, std::uint64_t total) override {
    const auto now = std::chrono::steady_clock::now();
    if (now - told_ < std::chrono::milliseconds(100)) return;
    told_ = now;
    tell(done, total);
  }

 private:
  void tell(std::uint64_t done, std::uint64_t total) const {
    line_.send(json_line({{"progress",
                           {{"what", what_},
                            {"done", static_cast<double>(done)},
                            {"total", static_cast<double>(total)}}}}));
  }
  const Line& line_;
  std::string what_;
  std::chrono::steady_clock::time_point told_ = {};
};

// The life of a worker.
[[noreturn]] void answer_all(int socket, const Answerer& answerer) {
  Line line(socket);
  while (const auto text = line.receive()) {
    Value answer;
    try {
      ToldProgress progress(line);
      answer = answerer(parse_json(*text), progress);
    } catch (const std::exception& error) {
      answer = Value{{"error", {{"message", error.what()}, {"code", 1}}}};
    }
    if (!line.send(json_line({{"result", std::move(answer)}}))) break;
  }
  ::_exit(0);
}

void send_worker(int to, int socket, pid_t process) {
  iovec content{&process, sizeof process};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof socket)] = {};
  msghdr message = {};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof socket);
  std::memcpy(CMSG_DATA(header), &socket, sizeof socket);
  ::sendmsg(to, &message, MSG_NOSIGNAL);
}

// The life of the nursery: a byte asks for a worker.
[[noreturn]] void raise_workers(int socket, const Answerer& answerer) {
  std::signal(SIGCHLD, SIG_IGN);  // nobody waits for them
  std::signal(SIGINT, SIG_IGN);   // the server decides when all ends
  char asked;
  for (;;) {
    const ssize_t got = ::recv(socket, &asked, 1, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) ::_exit(0);
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) ::_exit(1);
    const pid_t process = ::fork();
    if (process == 0) {
      ::close(socket);
      ::close(ends[0]);
      std::signal(SIGCHLD, SIG_DFL);
      answer_all(ends[1], answerer);
    }
    ::close(ends[1]);
    send_worker(socket, process < 0 ? -1 : ends[0], process);
    ::close(ends[0]);
  }
}

}  // namespace

Nursery::Nursery(Answerer answerer) {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
    throw Error("no socket could be made");
  process_ = ::fork();
  if (process_ < 0) throw Error("no process could be made");
  if (process_ == 0) {
    ::close(ends[0]);
    raise_workers(ends[1], answerer);
  }
  ::close(ends[1]);
  socket_ = ends[0];
}

Nursery::~Nursery() {
  ::close(socket_);
  ::waitpid(process_, nullptr, 0);
}

Nursery::Worker Nursery::make() {
  const std::lock_guard lock(mutex_);
  Worker worker;
  const char ask = 'w';
  iovec content{&worker.process, sizeof worker.process};
  alignas(cmsghdr) char room[CMSG_SPACE(sizeof worker.socket)] = {};
  msghdr message = {};
  message.msg_iov = &content;
  message.msg_iovlen = 1;
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  if (::send(socket_, &ask, 1, MSG_NOSIGNAL) != 1 ||
      ::recvmsg(socket_, &message, MSG_CMSG_CLOEXEC) != static_cast<ssize_t>(sizeof(pid_t)))
    throw Error("no process could be made");
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  if (header == nullptr || worker.process <= 0) throw Error("no process could be made");
  std::memcpy(&worker.socket, CMSG_DATA(header), sizeof worker.socket);
  return worker;
}

Runs::Runs(Nursery& nursery, unsigned workers, std::chrono::milliseconds patience)
    : nursery_(nursery), patience_(patience) {
  for (unsigned i = 0; i < workers; ++i) attendants_.emplace_back([this] { attend(); });
  keeper_ = std::thread([this] { forget_abandoned(); });
}

Runs::~Runs() {
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
    for (const auto& [number, run] : runs_)
      if (run->process > 0) ::kill(run->process, SIGKILL);
  }
  changed_.notify_all();
  ended_.notify_all();
  for (std::thread& each : attendants_) each.join();
  keeper_.join();
}

std::optional<std::uint64_t> Runs::begin(std::string question) {
  const std::lock_guard lock(mutex_);
  if (waiting_.size() >= most_waiting || runs_.size() >= 2 * most_waiting) return std::nullopt;
  const auto run = std::make_shared<Run>();
  run->question = std::move(question);
  run->asked_about = std::chrono::steady_clock::now();
  runs_.emplace(++last_, run);
  waiting_.push_back(run);
  changed_.notify_all();
  return last_;
}

RunState Runs::wait(std::uint64_t number, std::chrono::milliseconds longest) {
  std::unique_lock lock(mutex_);
  const auto found = runs_.find(number);
  if (found == runs_.end()) return {.found = false};
  const std::shared_ptr<Run> run = found->second;
  ++run->waited_for;
  changed_.wait_for(lock, longest, [&] { return run->state.finished || ending_; });
  --run->waited_for;
  run->asked_about = std::chrono::steady_clock::now();
  RunState state = run->state;
  if (state.finished) runs_.erase(number);
  return state;
}

void Runs::give_up(const std::shared_ptr<Run>& run) {
  run->cancelled = true;
  if (run->process > 0) ::kill(run->process, SIGKILL);
  std::erase(waiting_, run);
}

bool Runs::cancel(std::uint64_t number) {
  const std::lock_guard lock(mutex_);
  const auto found = runs_.find(number);
  if (found == runs_.end()) return false;
  give_up(found->second);
  runs_.erase(found);
  return true;
}

// Of pages that were closed: what is in work for them, and answers that nobody fetched.
void Runs::forget_abandoned() {
  std::unique_lock lock(mutex_);
  while (!ending_) {
    const auto now = std::chrono::steady_clock::now();
    std::erase_if(runs_, [&](const auto& each) {
      const bool abandoned =
          each.second->waited_for == 0 && now - each.second->asked_about > patience_;
      if (abandoned) give_up(each.second);
      return abandoned;
    });
    ended_.wait_for(lock, patience_ / 4, [&] { return ending_; });
  }
}

void Runs::attend() {
  Nursery::Worker worker;
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ending_ || !waiting_.empty(); });
    if (ending_) break;
    const std::shared_ptr<Run> run = waiting_.front();
    waiting_.pop_front();
    answer(*run, worker, lock);
    run->state.finished = true;
    run->process = -1;
    changed_.notify_all();
  }
  if (worker.socket >= 0) ::close(worker.socket);
}

void Runs::answer(Run& run, Nursery::Worker& worker, std::unique_lock<std::mutex>& lock) {
  const auto failed = [&](const char* message) {
    run.state.answer = json_line({{"error", {{"message", message}, {"code", 1}}}});
  };
  lock.unlock();
  if (worker.socket < 0) {
    try {
      worker = nursery_.make();
    } catch (const Error&) {
      lock.lock();
      return failed("no process could be made");
    }
  }
  lock.lock();
  run.process = worker.process;
  if (run.cancelled || ending_) return failed("cancelled");
  const std::string question = run.question;
  lock.unlock();
  Line line(worker.socket);
  bool open = line.send(question);
  std::optional<std::string> result;
  while (open && !result) {
    auto text = line.receive();
    if (!text) break;
    // Lines of results begin so, and are passed on as they are.
    constexpr std::string_view start = "{\"result\":";
    if (text->starts_with(start)) {
      result = text->substr(start.size(), text->size() - start.size() - 1);
      break;
    }
    const Value told = parse_json(*text);
    const std::lock_guard again(mutex_);
    const Value& progress = told.at("progress");
    run.state.what = progress.at("what").text();
    run.state.done = static_cast<std::uint64_t>(progress.at("done").number());
    run.state.total = static_cast<std::uint64_t>(progress.at("total").number());
  }
  lock.lock();
  if (result) run.state.answer = std::move(*result);
  if (result && !run.cancelled) return;
  // A worker that was told to end may still look alive.
  ::close(worker.socket);
  worker = {};
  if (!result)
    failed("the process that worked on it ended; what a ledger was charged for it stays spent");
}

}  // namespace modicum
