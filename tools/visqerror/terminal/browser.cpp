#include "visqerror/terminal/browser.h"

#include <fcntl.h>
#include <spawn.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <vector>

extern char** environ;

namespace visq::tool {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts;
  std::istringstream stream(text);
  for (std::string part; std::getline(stream, part, separator);) {
    if (!part.empty()) parts.push_back(part);
  }
  return parts;
}

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

bool exists(const std::string& program) {
  if (program.find('/') != std::string::npos) return ::access(program.c_str(), X_OK) == 0;
  for (const std::string& folder : split(environment("PATH"), ':')) {
    if (::access((folder + "/" + program).c_str(), X_OK) == 0) return true;
  }
  return false;
}

/// In a session of its own, so that it outlives this process and its terminal; what it prints is nobody's.
bool start(std::vector<std::string> words) {
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
    ::posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_RDWR, 0);
  }
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, pointers[0], &actions, &attributes, pointers.data(), environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error == 0;
}

}  // namespace

bool open_in_browser(const std::string& path) {
  std::error_code error;
  const std::string file = std::filesystem::absolute(path, error).string();
  std::vector<std::string> commands = split(environment("BROWSER"), ':');
  commands.push_back("xdg-open");
  for (const std::string& command : commands) {
    std::vector<std::string> words = split(command, ' ');
    if (words.empty() || !exists(words.front())) continue;
    bool named = false;
    for (std::string& word : words) {
      const std::size_t at = word.find("%s");
      if (at == std::string::npos) continue;
      word.replace(at, 2, file);
      named = true;
    }
    if (!named) words.push_back(file);
    if (start(words)) return true;
  }
  return false;
}

}  // namespace visq::tool
