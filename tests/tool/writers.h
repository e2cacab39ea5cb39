// Every command that writes, with what it writes: for tests of what can go wrong meanwhile.
#pragma once

#include <string>
#include <vector>

#include "tool/tool_support.h"

namespace visq::testing {

struct Writer {
  std::string command;
  std::vector<std::string> more{};
  bool pair = true;
};

inline const std::vector<Writer>& writers() {
  static const std::vector<Writer> list = {{"compare", {"-o", "out", "--origin"}},
                                           {"sensitivity", {"-o", "out", "--types", "all"}},
                                           {"accumulate", {"-o", "out"}},
                                           {"partial", {"-o", "out"}},
                                           {"badcase", {"-o", "out"}},
                                           {"profile", {"-o", "out", "--write", "tensorboard=out/board"}},
                                           {"distribution", {"-o", "out"}},
                                           {"diagnose", {"-o", "out"}},
                                           {"recommend", {"-o", "out", "--write-model", "fixed.tflite"}},
                                           {"extract", {"-o", "out", "--nodes", "stem/Relu"}},
                                           {"report", {"-o", "out", "--quick"}},
                                           {"run", {"-o", "maps.h5"}, false}};
  return list;
}

inline std::vector<std::string> words_of(const Writer& writer, const std::string& records) {
  std::vector<std::string> words{writer.command, kFp32};
  if (writer.pair) words.push_back(kInt8);
  words.insert(words.end(), {"-d", kData, "--records", records});
  words.insert(words.end(), writer.more.begin(), writer.more.end());
  return words;
}

/// Runs the tool below a shell: `script` starts it as "$0" "$@".
inline ProcessResult run_in_shell(const std::string& script, std::vector<std::string> words, const std::string& folder) {
  words.insert(words.begin(), {"bash", "-c", script, VISQ_BINARY});
  return run_process(words, {.folder = folder});
}

}  // namespace visq::testing
