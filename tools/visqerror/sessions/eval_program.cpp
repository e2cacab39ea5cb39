#include "visqerror/sessions/eval_program.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "core/as_size.h"
#include "core/error.h"
#include "model/printable.h"
#include "visq/dump.h"
#include "visqerror/outputs/staged_folder.h"
#include "visqerror/terminal/interrupt.h"

extern char** environ;

namespace visq::tool {
namespace {

/// More than this is no number; it is read, and forgotten.
constexpr std::size_t kMostKept = 4096;
constexpr std::size_t kShown = 60;

/// Both ends of a pipe, closed at the end of its scope.
struct Pipe {
  int read = -1, write = -1;

  Pipe() {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) == 0) read = ends[0], write = ends[1];
  }
  ~Pipe() {
    close_write();
    if (read >= 0) ::close(read);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_write() {
    if (write >= 0) ::close(write);
    write = -1;
  }
};

/// Starts `sh -c 'COMMAND "$1"' sh FILE`: the file's name is never looked at by the shell. The system's error number, 0 where it started.
int start(const std::string& command, const std::string& file, int stdout_end, pid_t& child) {
  std::string script = command + " \"$1\"", shell = "sh", option = "-c", argument = file;
  char* const words[] = {shell.data(), option.data(), script.data(), shell.data(), argument.data(), nullptr};
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, stdout_end, STDOUT_FILENO);
  ::posix_spawnattr_init(&attributes);
  sigset_t ignored_here;
  sigemptyset(&ignored_here);
  sigaddset(&ignored_here, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &ignored_here);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error = ::posix_spawn(&child, "/bin/sh", &actions, &attributes, words, environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  return error;
}

std::string read_all(int descriptor) {
  std::string text;
  char buffer[4096];
  while (true) {
    const ssize_t count = ::read(descriptor, buffer, sizeof buffer);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    if (text.size() < kMostKept) text.append(buffer, as_size(count));
  }
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kSpace = " \t\r\n";
  const auto first = text.find_first_not_of(kSpace);
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(kSpace) - first + 1);
}

}  // namespace

Result<double> run_eval_program(const std::string& command, const std::string& file) {
  Pipe pipe;
  pid_t child = -1;
  const int error = pipe.read < 0 ? errno : start(command, file, pipe.write, child);
  if (error != 0) return bad_input("--eval: '{}' cannot be run: {}", command, std::strerror(error));
  pipe.close_write();
  const std::string output = read_all(pipe.read);
  const int status = wait_for(child);
  if (WIFSIGNALED(status)) return bad_input("--eval: '{}' was ended by signal {}", command, WTERMSIG(status));
  if (WEXITSTATUS(status) != 0) return bad_input("--eval: '{}' ended with exit code {}", command, WEXITSTATUS(status));
  const std::string_view text = trimmed(output);
  if (text.empty()) return bad_input("--eval: '{}' printed nothing, expected one number", command);
  double value = 0;
  const auto [end, code] = std::from_chars(text.data() + (text[0] == '+' ? 1 : 0), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return bad_input("--eval: '{}' printed '{}', expected one number", command, printable(text, kShown));
  }
  return value;
}

Result<double> judge_outputs(const std::string& command, const std::string& model, Mode mode,
                             const std::function<Status(MapSink& sink)>& send) {
  VISQ_ASSIGN(const StagedFolder folder, StagedFolder::create(std::filesystem::temp_directory_path().string()));
  const std::string path = folder / "outputs.h5";
  VISQ_ASSIGN(const auto file, DumpWriter::create(path, model, mode));
  VISQ_TRY(send(*file));
  VISQ_TRY(file->commit());
  if (interrupted()) return bad_input("--eval: interrupted");
  return run_eval_program(command, path);
}

}  // namespace visq::tool
