// The pages and what they ask, as a function of a request: no sockets here.
#pragma once

#include <string>
#include <string_view>

#include "interfaces/serve/workers.h"

namespace modicum {

struct SiteRequest {
  std::string method, path;  ///< path without the question mark and what follows
  std::string host, origin, content_type, body;
};

struct SiteResponse {
  int status = 200;
  std::string type = "application/json; charset=utf-8";
  std::string body = {};
};

/// Every address begins with a secret, /TOKEN/: whoever does not know it gets nothing, and a page
/// of another origin cannot ask with it. The host must be this machine by a name that no other site
/// can take (DNS rebinding).
class Site {
 public:
  Site(std::string token, int port, Runs& runs);
  SiteResponse respond(const SiteRequest& request);

 private:
  SiteResponse api(const SiteRequest& request, std::string_view what);
  bool is_ours(const SiteRequest& request) const;

  std::string prefix_;
  std::string hosts_[2];
  Runs& runs_;
};

}  // namespace modicum
