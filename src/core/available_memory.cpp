#include "core/available_memory.h"

#include <fmt/core.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <fstream>
#include <limits>
#include <string>

#include "core/memory_size.h"
#include "visq/limits.h"

namespace visq {
namespace {

constexpr std::uint64_t kUnlimited = std::numeric_limits<std::uint64_t>::max();

/// The number that a file begins with; `otherwise` where there is none ("max", no such file).
std::uint64_t number_in(const char* path, std::uint64_t otherwise) {
  std::ifstream file(path);
  std::uint64_t number = 0;
  return file >> number ? number : otherwise;
}

std::uint64_t of_the_system() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  for (std::uint64_t kilobytes = 0; file >> key >> kilobytes; std::getline(file, unit)) {
    if (key == "MemAvailable:") return kilobytes * 1024;
  }
  return kUnlimited;
}

std::uint64_t left_of(std::uint64_t limit, std::uint64_t used) { return limit == kUnlimited ? kUnlimited : limit - std::min(limit, used); }

/// As a container sees its own group, in the second and the first version of the interface.
std::uint64_t of_the_control_group() {
  const std::uint64_t second = left_of(number_in("/sys/fs/cgroup/memory.max", kUnlimited), number_in("/sys/fs/cgroup/memory.current", 0));
  const std::uint64_t first = left_of(number_in("/sys/fs/cgroup/memory/memory.limit_in_bytes", kUnlimited),
                                      number_in("/sys/fs/cgroup/memory/memory.usage_in_bytes", 0));
  return std::min(first, second);
}

/// Sizes of this process in bytes, as far as /proc/self/statm tells them; 0 where it does not.
struct ProcessSize {
  std::uint64_t all = 0, data = 0;
};
ProcessSize process_size() {
  std::ifstream file("/proc/self/statm");
  std::array<std::uint64_t, 6> pages{};
  for (std::uint64_t& number : pages) file >> number;
  if (!file) return {};
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return {pages[0] * page, pages[5] * page};
}

std::uint64_t most_of(decltype(RLIMIT_AS) what) {
  rlimit bytes{};
  return ::getrlimit(what, &bytes) != 0 || bytes.rlim_cur == RLIM_INFINITY ? kUnlimited : std::uint64_t{bytes.rlim_cur};
}

/// `ulimit -v` and `ulimit -d` as the program found them: its own sandbox sets narrower ones, for the work at hand.
const std::uint64_t kMostSpace = most_of(RLIMIT_AS), kMostData = most_of(RLIMIT_DATA);

std::uint64_t of_the_process() {
  if (kMostSpace == kUnlimited && kMostData == kUnlimited) return kUnlimited;
  const ProcessSize size = process_size();
  return std::min(left_of(kMostSpace, size.all), left_of(kMostData, size.data));
}

std::atomic<std::uint64_t> claimed{0};

/// The system is asked about this much at a time: it takes a fraction of a millisecond.
constexpr std::uint64_t kUnasked = std::uint64_t{64} << 20;

/// Of the system, not of a limit. Each piece may be small enough, and all of them too much: some memory always stays.
bool fits_system(std::uint64_t bytes) {
  static const auto kept = static_cast<std::uint64_t>((1 - kLargestShare) * static_cast<double>(available_memory()));
  return bytes <= left_of(available_memory(), kept);
}

std::atomic<std::uint64_t> unasked{0};

bool fits_limit(std::uint64_t bytes, std::uint64_t taken) { return taken <= limits().memory && bytes <= limits().memory - taken; }

}  // namespace

std::uint64_t private_memory() { return process_size().data; }

std::uint64_t available_memory() { return std::min({of_the_system(), of_the_control_group(), of_the_process()}); }

bool affordable(std::uint64_t bytes) {
  if (limits().memory > 0) return fits_limit(bytes, claimed);
  return bytes < kUnasked || fits_system(bytes);
}

bool claim_memory(std::uint64_t bytes) {
  if (limits().memory == 0 && (bytes >= kUnasked || (unasked += bytes) >= kUnasked)) {
    if (!fits_system(bytes)) return false;
    unasked = 0;
  }
  std::uint64_t taken = claimed;
  do {
    if (limits().memory > 0 && !fits_limit(bytes, taken)) return false;
  } while (!claimed.compare_exchange_weak(taken, taken + bytes));
  return true;
}

void release_memory(std::uint64_t bytes) { claimed -= bytes; }

std::uint64_t unclaimed_memory() { return limits().memory > 0 ? left_of(limits().memory, claimed) : kUnlimited; }

std::string memory_shortage(std::uint64_t bytes) {
  if (limits().memory > 0) {
    return fmt::format("{} are needed, --memory {} leaves {}", memory_size(bytes), memory_size(limits().memory),
                       memory_size(unclaimed_memory()));
  }
  return fmt::format("{} are needed, {} are available", memory_size(bytes), memory_size(available_memory()));
}

}  // namespace visq
