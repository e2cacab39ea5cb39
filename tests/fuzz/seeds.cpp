// Writes the seeds of the model target: the operator cases of tests/opcases, one small model per file.
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "support/models/operator_cases.h"

int main(int argc, char** argv) {
  using namespace visq::testing;
  constexpr std::size_t kMostBytes = 16 << 10;
  if (argc != 2) return 2;
  std::filesystem::create_directories(argv[1]);
  int written = 0;
  for (const CaseName& name : case_names()) {
    const std::string model = load_case(name).model;
    if (model.size() > kMostBytes) continue;
    std::ofstream(std::filesystem::path(argv[1]) / ("case-" + std::to_string(written++)), std::ios::binary) << model;
  }
  std::printf("%d models\n", written);
  return written > 0 ? 0 : 1;
}
