#include "interfaces/serve/http_server.h"

#include <fmt/format.h>
#include <httplib.h>

namespace modicum {
namespace {

constexpr std::size_t largest_body = 4 << 20;
constexpr unsigned threads = 24;  // most of them wait for answers

// Nothing is loaded from elsewhere, nothing is sent elsewhere, nothing is kept.
void forbid_the_rest(httplib::Response& response) {
  response.set_header("Content-Security-Policy",
                      "default-src 'none'; script-src 'self'; style-src 'self'; "
                      "img-src 'self' data: blob:; connect-src 'self'; base-uri 'none'; "
                      "form-action 'none'; frame-ancestors 'none'");
  response.set_header("X-Content-Type-Options", "nosniff");
  response.set_header("Referrer-Policy", "no-referrer");
  response.set_header("Cross-Origin-Resource-Policy", "same-origin");
  response.set_header("Cross-Origin-Opener-Policy", "same-origin");
  response.set_header("Cache-Control", "no-store");
}

}  // namespace

struct HttpServer::Library {
  httplib::Server server;
};

HttpServer::HttpServer(int port) : library_(std::make_unique<Library>()) {
  httplib::Server& server = library_->server;
  server.new_task_queue = [] { return new httplib::ThreadPool(threads); };
  server.set_payload_max_length(largest_body);
  server.set_keep_alive_max_count(10000);
  // The library would let a second server listen on the same port, and take half of the requests.
  server.set_socket_options([](socket_t socket) {
    const int yes = 1;
    ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  });
  server.set_read_timeout(10, 0);
  server.set_write_timeout(10, 0);
  const char* const here = "127.0.0.1";
  port_ = port == 0 ? server.bind_to_any_port(here) : server.bind_to_port(here, port) ? port : -1;
  if (port_ <= 0)
    throw Error(
        fmt::format("port {} of this machine cannot be opened: another program may use it", port));
}

HttpServer::~HttpServer() = default;

void HttpServer::serve(const std::function<SiteResponse(const SiteRequest&)>& respond) {
  const auto handle = [&respond](const httplib::Request& request, httplib::Response& response) {
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

void HttpServer::stop() { library_->server.stop(); }

}  // namespace modicum
