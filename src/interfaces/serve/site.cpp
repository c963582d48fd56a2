#include "interfaces/serve/site.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "interfaces/pages/page_files.h"
#include "modicum/data/json.h"

namespace modicum {

namespace {

using std::chrono::milliseconds;

// So long a question may take before the page is told to come back for the answer.
constexpr milliseconds patience{400};
constexpr milliseconds long_patience{1000};

SiteResponse plain(int status, std::string_view text) {
  return {status, "text/plain; charset=utf-8", std::string(text) + "\n"};
}

const char* type_of(std::string_view name) {
  if (name.ends_with(".html")) return "text/html; charset=utf-8";
  if (name.ends_with(".js")) return "text/javascript; charset=utf-8";
  if (name.ends_with(".css")) return "text/css; charset=utf-8";
  if (name.ends_with(".svg")) return "image/svg+xml";
  return "text/plain; charset=utf-8";
}

SiteResponse file_named(std::string_view name) {
  if (name.empty()) name = "index.html";
  const char* const text = page_file(name);
  if (text == nullptr) return plain(404, "there is no such page");
  return {200, type_of(name), text};
}

// Takes as long for a wrong one as for the right one.
bool same_secret(std::string_view a, std::string_view b) {
  if (a.size() != b.size()) return false;
  unsigned char difference = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    difference = static_cast<unsigned char>(difference | (a[i] ^ b[i]));
  return difference == 0;
}

SiteResponse told(std::uint64_t number, RunState state) {
  if (!state.found) return plain(404, "there is no such question");
  if (state.finished) return {200, SiteResponse{}.type, std::move(state.answer)};
  return {202, SiteResponse{}.type,
          json_line({{"running", static_cast<double>(number)},
                     {"what", state.what},
                     {"done", static_cast<double>(state.done)},
                     {"total", static_cast<double>(state.total)}})};
}

std::optional<std::uint64_t> number_in(std::string_view text) {
  std::uint64_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || text.empty())
    return std::nullopt;
  return number;
}

}  // namespace

Site::Site(std::string token, int port, Runs& runs)
    : prefix_("/" + std::move(token) + "/"),
      hosts_{fmt::format("127.0.0.1:{}", port), fmt::format("localhost:{}", port)},
      runs_(runs) {}

bool Site::is_ours(const SiteRequest& request) const {
  const bool host = request.host == hosts_[0] || request.host == hosts_[1];
  return host && (request.origin.empty() || request.origin == "http://" + request.host);
}

SiteResponse Site::respond(const SiteRequest& request) {
  if (!is_ours(request)) return plain(403, "only pages of this server may ask");
  const std::string_view path = request.path;
  if (!same_secret(path.substr(0, prefix_.size()), prefix_))
    return plain(403, "the address must be the one that modicum serve printed");
  const std::string_view name = path.substr(prefix_.size());
  if (name.starts_with("api/")) return api(request, name.substr(4));
  if (request.method != "GET" && request.method != "HEAD") return plain(405, "only GET");
  return file_named(name);
}

SiteResponse Site::api(const SiteRequest& request, std::string_view what) {
  if (what == "ask") {
    if (request.method != "POST") return plain(405, "only POST");
    if (!request.content_type.starts_with("application/json"))
      return plain(415, "a question must be JSON");
    std::string question;
    try {
      question = json_line(parse_json(request.body));
    } catch (const Error& error) {
      return plain(400, error.what());
    }
    const auto number = runs_.begin(std::move(question));
    if (!number) return plain(503, "too many questions wait already");
    return told(*number, runs_.wait(*number, patience));
  }
  if (!what.starts_with("runs/")) return plain(404, "there is no such question");
  const auto number = number_in(what.substr(5));
  if (!number) return plain(404, "there is no such question");
  if (request.method == "DELETE")
    return runs_.cancel(*number) ? SiteResponse{200, SiteResponse{}.type, "{}\n"}
                                 : plain(404, "there is no such question");
  if (request.method != "GET") return plain(405, "only GET and DELETE");
  return told(*number, runs_.wait(*number, long_patience));
}

}  // namespace modicum
