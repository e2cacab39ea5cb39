// Runs a fuzz target on files, and on all files in folders, for compilers without libFuzzer. Ends as the target ends.
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "fuzz/fuzz_input.h"

namespace {

namespace fs = std::filesystem;

/// One input that takes longer is a finding.
constexpr double kMostSeconds = 5;

/// False where it took too long.
bool replay(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes(std::istreambuf_iterator<char>(file), {});
  std::fprintf(stderr, "%s\n", path.c_str());  // the last one that is named is the one that failed
  const std::clock_t start = std::clock();
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size());
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  if (seconds > kMostSeconds) std::fprintf(stderr, "%s: took %.1f s\n", path.c_str(), seconds);
  return seconds <= kMostSeconds;
}

}  // namespace

int main(int argc, char** argv) {
  bool ok = true;
  int files = 0;
  for (int i = 1; i < argc; ++i) {
    if (!fs::exists(argv[i])) continue;  // models that are not everywhere, targets without findings so far
    if (!fs::is_directory(argv[i])) {
      ok = replay(argv[i]) && ok, ++files;
      continue;
    }
    for (const auto& entry : fs::recursive_directory_iterator(argv[i])) {
      if (entry.is_regular_file()) ok = replay(entry.path()) && ok, ++files;
    }
  }
  std::printf("%d files replayed\n", files);
  return ok && files > 0 ? 0 : 1;
}
