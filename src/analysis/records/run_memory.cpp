#include "analysis/records/run_memory.h"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

namespace visq::analysis {
namespace {

/// A line of the system's account of this process, in bytes; 0 where it does not say.
std::uint64_t own_status(std::string_view wanted) {
  std::ifstream file("/proc/self/status");
  std::string key;
  while (file >> key) {
    std::uint64_t kilobytes = 0;
    if (key == wanted && file >> kilobytes) return kilobytes * 1024;
    file.ignore(std::numeric_limits<std::streamsize>::max(), '\n');
  }
  return 0;
}

}  // namespace

RunMemory run_memory(const runtime::LockstepPlan& plan, int threads) {
  RunMemory memory;
  memory.resident = own_status("VmRSS:");
  for (const auto& one : {plan.reference_memory, plan.quantized_memory}) memory.per_thread += one->arena_bytes + one->scratch_bytes;
  memory.threads = threads;
  memory.peak = std::max(own_status("VmHWM:"), memory.resident + memory.per_thread * static_cast<std::uint64_t>(threads));
  return memory;
}

}  // namespace visq::analysis
