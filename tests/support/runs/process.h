// Runs a program and keeps what it said.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace visq::testing {

struct ProcessResult {
  int exit_code = -1;  ///< 128 + the signal's number where one ended it
  std::string out, err;
};

struct ProcessOptions {
  std::string folder{};        ///< working folder; empty: as the test
  bool close_stdout = false;   ///< stdout is a pipe whose reader has gone
  std::string stdout_file{};   ///< stdout goes to this file instead
  int signal_after_start = 0;  ///< sent once the program has written something to stderr; 0: none
};

/// Runs `words[0]` (looked up in PATH) with the other words as arguments, and waits for it.
ProcessResult run_process(const std::vector<std::string>& words, const ProcessOptions& options = {});

/// Runs the tool under test.
ProcessResult run_tool(std::vector<std::string> arguments, const ProcessOptions& options = {});

/// A fresh folder that is removed with all its content at the end of its scope.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  std::string operator/(const std::string& name) const { return (path_ / name).string(); }
  /// Names of everything in it, sorted, relative.
  std::vector<std::string> content() const;

 private:
  std::filesystem::path path_;
};

std::string read_text(const std::string& path);
void write_text(const std::string& path, const std::string& content);

}  // namespace visq::testing
