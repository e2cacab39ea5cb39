// What every run of the tool owes to whoever started it, whatever was asked.
#pragma once

#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "support/runs/process.h"
#include "support/runs/sanitized.h"

namespace visq::testing {

/// Runs the tool in `folder` and expects an answer: no crash, no fault of our own (exit code 5), an end within 10 s of work, no words of a
/// library, and no more lines than somebody reads. The exit code; none where one of these does not hold.
inline std::optional<int> answer(const std::vector<std::string>& arguments, const TemporaryFolder& folder, const std::string& subject) {
  // Mostly of the processor's time: other programs may keep the machine busy.
  std::vector<std::string> words{"timeout", "-s", "KILL", kSanitized ? "1000" : "100", "prlimit", kSanitized ? "--cpu=100" : "--cpu=10"};
  // A map of gigabytes is no fault where there is memory for it; filling it is not what these runs are for.
  if (!kSanitized) words.push_back("--data=2147483648");
  words.push_back(VISQ_BINARY);
  words.insert(words.end(), arguments.begin(), arguments.end());
  const ProcessResult run = run_process(words, {.folder = folder.path().string()});
  std::string line;
  for (const std::string& word : arguments) line += " '" + word + "'";
  bool library = false;
  for (const char* word : {"std::", "vector::", "basic_string::"}) library = library || run.err.find(word) != std::string::npos;
  const bool good = run.exit_code <= 4 && run.err.size() <= 2000 && !library;
  EXPECT_TRUE(good) << subject << ": exit code " << run.exit_code << ", " << run.err.size() << " bytes of messages:" << line << "\n"
                    << run.err.substr(0, 2000);
  return good ? std::optional<int>(run.exit_code) : std::nullopt;
}

}  // namespace visq::testing
