// HTTP on this machine alone. The library behind it is known to http_server.cpp only.
#pragma once

#include <functional>
#include <memory>

#include "interfaces/serve/site.h"

namespace modicum {

class HttpServer {
 public:
  /// `port` 0 takes any that is free. Throws Error if it cannot be had.
  explicit HttpServer(int port);
  ~HttpServer();
  HttpServer(const HttpServer&) = delete;
  HttpServer& operator=(const HttpServer&) = delete;

  int port() const { return port_; }
  /// Until stop() is called, from another thread.
  void serve(const std::function<SiteResponse(const SiteRequest&)>& respond);
  void stop();

 private:
  struct Library;
  std::unique_ptr<Library> library_;
  int port_ = 0;
};

}  // namespace modicum
