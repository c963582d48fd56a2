// completion: what a shell needs to complete commands, options and their words, asked of the
// program itself, so that it is never out of date.
#include <fmt/format.h>

#include <algorithm>

#include "interfaces/job.h"

namespace modicum {
namespace {

enum class Shell { bash, zsh, fish, words };

const Choices<Shell>& shells() {
  static const Choices<Shell> all{
      {"bash", Shell::bash, "source <(modicum completion bash)"},
      {"zsh", Shell::zsh, "source <(modicum completion zsh)"},
      {"fish", Shell::fish, "modicum completion fish | source"},
      {"words", Shell::words, "what can replace the last of the words after --"}};
  return all;
}

struct CompletionJob {
  std::vector<std::string> shell = {};  // then, for `words`, those typed so far

  void fields(Fields& fields) {
    std::string help = "for which shell";
    std::vector<std::string> names;
    for (const Choice<Shell>& each : shells()) {
      help += fmt::format("\n{}: {}", each.word, each.help);
      names.push_back(each.word);
    }
    fields.add("shell", shell, help).shown_as("SHELL").positional().required().words = names;
  }
};

constexpr const char* bash_script = R"(_modicum() {
  local IFS=$'\n'
  COMPREPLY=($(modicum completion words -- "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
  if ((${#COMPREPLY[@]} == 0)); then compopt -o default; fi
}
complete -F _modicum modicum
)";

constexpr const char* zsh_script = R"(#compdef modicum
_modicum() {
  local -a found
  found=("${(@f)$(modicum completion words -- "${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n ${found[1]} ]]; then compadd -- $found; else _files; fi
}
if [[ ${funcstack[1]} == _modicum ]]; then _modicum "$@"; else compdef _modicum modicum; fi
)";

constexpr const char* fish_script = R"(function __modicum_words
    set -l typed (commandline -opc) (commandline -ct)
    modicum completion words -- $typed[2..-1] 2>/dev/null
end
complete -c modicum -a '(__modicum_words)'
)";

std::string option_of(const std::string& name) {
  return in_style("`" + name + "`", NameStyle::option);
}

// The command that the words begin with, and how many of them it takes.
std::pair<std::string, std::size_t> command_of(const std::vector<std::string>& words) {
  std::string name;
  std::size_t used = 0;
  for (; used + 1 < words.size(); ++used) {
    const std::string longer = name.empty() ? words[used] : name + " " + words[used];
    if (find_job(longer) == nullptr) break;
    name = longer;
  }
  return {name, used};
}

std::vector<std::string> candidates(const std::vector<std::string>& words) {
  std::vector<std::string> found;
  if (words.empty()) return found;
  const std::string& last = words.back();
  const auto [name, used] = command_of(words);
  const auto offer = [&](const std::string& word) {
    if (word.starts_with(last)) found.push_back(word);
  };
  if (used + 1 == words.size())
    for (const JobKind* child : children_of(name))
      offer(child->name.substr(name.empty() ? 0 : name.size() + 1));
  const JobKind* kind = name.empty() ? nullptr : find_job(name);
  if (kind == nullptr || !kind->make) return found;
  const std::unique_ptr<Job> job = kind->make();
  Fields fields;
  job->fields(fields);
  const std::string before = words.size() > 1 ? words[words.size() - 2] : "";
  for (const Field& field : fields.all()) {
    const std::string option = option_of(field.name);
    if (option == before && !field.words.empty()) {
      found.clear();
      for (const std::string& word : field.words) offer(word);
      return found;
    }
    if (field.is_positional && used + 1 == words.size())
      for (const std::string& word : field.words) offer(word);
    if (!field.is_positional && last.starts_with("-")) offer(option);
  }
  if (last.starts_with("-"))
    for (const char* common : {"--help", "--json", "--quiet"}) offer(common);
  return found;
}

Reply run(const CompletionJob& job, Progress&) {
  std::vector<std::string> names;
  for (const Choice<Shell>& each : shells()) names.push_back(each.word);
  const Shell shell = shells()[place_of_word("shell", job.shell.front(), names)].value;
  const std::vector<std::string> typed(job.shell.begin() + 1, job.shell.end());
  if (shell != Shell::words && !typed.empty())
    throw UsageError("only the name of a shell may be given");
  Reply reply;
  switch (shell) {
    case Shell::bash:
      reply.text = bash_script;
      break;
    case Shell::zsh:
      reply.text = zsh_script;
      break;
    case Shell::fish:
      reply.text = fish_script;
      break;
    case Shell::words: {
      const std::vector<std::string> found = candidates(typed);
      reply.tell("words", found);
      reply.text = "";
      for (const std::string& word : found) *reply.text += word + "\n";
      return reply;
    }
  }
  reply.tell("script", *reply.text);
  return reply;
}

}  // namespace

std::vector<JobKind> completion_jobs() {
  return {job_kind<CompletionJob>("completion", "a completion script for a shell",
                                  "  source <(modicum completion bash)")};
}

}  // namespace modicum
