#include "interfaces/serve/http_server.h"

#include <fmt/format.h>
#include <httplib.h>
#include <netinet/tcp.h>
#include <poll.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>

#include "interfaces/pages/page_files.h"
#include "interfaces/pages/report_page.h"
#include "interfaces/serve/served_folders.h"
#include "modicum/release/release_files.h"

namespace modicum {
namespace {

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

constexpr std::size_t largest_body = 4 << 20;
constexpr unsigned threads = 48;  // most of them wait for answers, or for the next question
// So long a whole request may take to arrive, an answer to be taken, and a connection to be idle.
constexpr milliseconds arrival{10000}, departure{20000}, idle{5000};

// As a policy names what stands between two tags: by its hash.
std::string by_hash(const std::string& content) {
  const std::string digits = sha256(content);
  std::string bytes;
  for (std::size_t i = 0; i + 1 < digits.size(); i += 2)
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  return fmt::format("'sha256-{}'", in_base64(bytes));
}

// Nothing is loaded from elsewhere, nothing is sent elsewhere, nothing is kept. Besides files of
// the explorer, the script and the style of reports may run, which are shown in frames.
void forbid_the_rest(httplib::Response& response) {
  static const std::string policy = fmt::format(
      "default-src 'none'; script-src 'self' {}; style-src 'self' {}; "
      "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; form-action 'none'; "
      "frame-ancestors 'none'",
      by_hash(std::string("\n") + report_page_script),
      by_hash(std::string("\n") + page_file("style.css")));
  response.set_header("Content-Security-Policy", policy.c_str());
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Cross-Origin-Resource-Policy", "same-origin");
  response.set_header("Cross-Origin-Opener-Policy", "same-origin");
  response.set_header("Cache-Control", "no-store");
}

// Whether the socket is ready before the time is over.
bool ready_by(socket_t socket, short what, Clock::time_point deadline) {
  for (;;) {
    const auto left = std::chrono::duration_cast<milliseconds>(deadline - Clock::now()).count();
    pollfd one{socket, what, 0};
    const int found = left <= 0 ? 0 : ::poll(&one, 1, static_cast<int>(left));
    if (found < 0 && errno == EINTR) continue;
    return found > 0;
  }
}

// One request and its answer, each within its time: who sends a byte now and then is cut off, which
// the time-outs of the library, one for each byte, would not do.
class BoundedStream : public httplib::Stream {
 public:
  explicit BoundedStream(socket_t socket) : socket_(socket), arrived_(Clock::now() + arrival) {}

  bool is_readable() const override { return ready_by(socket_, POLLIN, arrived_); }
  bool is_writable() const override { return ready_by(socket_, POLLOUT, taken()); }
  ssize_t read(char* into, std::size_t size) override {
    if (first_ == last_) {
      if (!is_readable()) return -1;
      const ssize_t got = ::recv(socket_, buffer_, sizeof buffer_, 0);
      if (got <= 0) return got;
      first_ = 0;
      last_ = static_cast<std::size_t>(got);
    }
    const std::size_t taken = std::min(size, last_ - first_);
    std::copy_n(buffer_ + first_, taken, into);
    first_ += taken;
    return static_cast<ssize_t>(taken);
  }
  ssize_t write(const char* from, std::size_t size) override {
    return is_writable() ? ::send(socket_, from, size, MSG_NOSIGNAL) : -1;
  }
  void get_remote_ip_and_port(std::string&, int&) const override {}
  void get_local_ip_and_port(std::string&, int&) const override {}
  socket_t socket() const override { return socket_; }

  // Bytes of the next request have come with this one.
  bool has_more() const { return first_ != last_; }
  void next_request() {
    arrived_ = Clock::now() + arrival;
    taken_.reset();
  }

 private:
  Clock::time_point taken() const {
    if (!taken_) taken_ = Clock::now() + departure;
    return *taken_;
  }
  socket_t socket_;
  Clock::time_point arrived_;
  mutable std::optional<Clock::time_point> taken_;
  char buffer_[4096];
  std::size_t first_ = 0, last_ = 0;
};

// Connections that have not sent a whole request: when all threads are taken the oldest of them
// makes room for a new one.
class Callers {
 public:
  void wait(socket_t socket) {
    const std::lock_guard lock(mutex_);
    waiting_.emplace(socket, Clock::now());
  }
  void served(socket_t socket) {
    const std::lock_guard lock(mutex_);
    waiting_.erase(socket);
  }
  void hang_up() {
    const std::lock_guard lock(mutex_);
    for (const auto& each : waiting_) ::shutdown(each.first, SHUT_RDWR);
  }
  void begin() { ++open_; }
  void end() { --open_; }
  void make_room() {
    if (open_ < threads) return;
    const std::lock_guard lock(mutex_);
    const auto oldest =
        std::ranges::min_element(waiting_, {}, [](const auto& each) { return each.second; });
    if (oldest == waiting_.end()) return;
    ::shutdown(oldest->first, SHUT_RDWR);  // its own thread closes it
    waiting_.erase(oldest);
  }

 private:
  std::mutex mutex_;
  std::map<socket_t, Clock::time_point> waiting_;
  std::atomic<unsigned> open_ = 0;
};

class RoomyPool : public httplib::TaskQueue {
 public:
  explicit RoomyPool(Callers& callers) : callers_(callers), pool_(threads) {}
  void enqueue(std::function<void()> task) override {
    callers_.make_room();
    callers_.begin();
    pool_.enqueue([this, task = std::move(task)] {
      task();
      callers_.end();
    });
  }
  void shutdown() override { pool_.shutdown(); }

 private:
  Callers& callers_;
  httplib::ThreadPool pool_;
};

class BoundedServer : public httplib::Server {
 public:
  BoundedServer() {
    new_task_queue = [this] { return new RoomyPool(callers_); };
  }
  // The whole request that this thread attends to has come.
  void arrived() { callers_.served(attended); }
  void end() {
    stop();
    callers_.hang_up();
  }

 private:
  bool process_and_close_socket(socket_t socket) override {
    attended = socket;
    const int yes = 1;  // else an answer waits 40 ms for a sign that its head has come
    ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    BoundedStream stream(socket);
    bool closed = false, served = true;
    while (served && !closed) {
      callers_.wait(socket);
      // In this order: end() does not miss a caller who does not see it.
      if (svr_sock_ == INVALID_SOCKET) break;
      if (!stream.has_more() && !ready_by(socket, POLLIN, Clock::now() + idle)) break;
      stream.next_request();
      served = process_request(stream, false, closed, [](httplib::Request&) {});
    }
    callers_.served(socket);
    ::shutdown(socket, SHUT_RDWR);
    ::close(socket);
    return served;
  }
  static thread_local socket_t attended;
  Callers callers_;
};
thread_local socket_t BoundedServer::attended = INVALID_SOCKET;

}  // namespace

struct HttpServer::Library {
  BoundedServer server;
};

HttpServer::HttpServer(int port) : library_(std::make_unique<Library>()) {
  httplib::Server& server = library_->server;
  server.set_payload_max_length(largest_body);
  server.set_keep_alive_max_count(10000);
  // The library would let a second server listen on the same port, and take half of the requests.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  const char* const here = "127.0.0.1";
  port_ = port == 0 ? server.bind_to_any_port(here) : server.bind_to_port(here, port) ? port : -1;
  if (port_ <= 0)
    throw Error(
        fmt::format("port {} of this machine cannot be opened: another program may use it", port));
}

HttpServer::~HttpServer() = default;

void HttpServer::serve(const std::function<SiteResponse(const SiteRequest&)>& respond) {
  const auto handle = [this, &respond](const httplib::Request& request,
                                       httplib::Response& response) {
    library_->server.arrived();
    const SiteResponse answer =
        respond({request.method, request.path, request.get_header_value("Host"),
                 request.get_header_value("Origin"), request.get_header_value("Content-Type"),
                 request.body});
    response.status = answer.status;
    response.set_content(answer.body, answer.type.c_str());
    forbid_the_rest(response);
  };
  httplib::Server& server = library_->server;
  // The library bounds neither bodies in pieces nor compressed ones.
  server.set_pre_routing_handler([](const httplib::Request& request, httplib::Response& response) {
    SiteResponse refusal{0, "", ""};
    if (request.has_header("Transfer-Encoding") || request.has_header("Content-Encoding"))
      refusal = {411, "text/plain; charset=utf-8",
                 "a question must have a length, and no encoding\n"};
    if (refusal.status == 0) return httplib::Server::HandlerResponse::Unhandled;
    response.status = refusal.status;
    response.set_content(refusal.body, refusal.type.c_str());
    return httplib::Server::HandlerResponse::Handled;
  });
  server.Get(".*", handle);
  server.Post(".*", handle);
  server.Delete(".*", handle);
  server.listen_after_bind();
}

void HttpServer::stop() { library_->server.end(); }

}  // namespace modicum
