#include "core/temporary_name.h"

#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <charconv>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <mutex>
#include <optional>
#include <random>
#include <set>
#include <string_view>

namespace visq {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = ".tmp-";
constexpr double kForgottenSeconds = 24 * 3600;
constexpr std::size_t kLongestStem = 200;  // a name holds 255 bytes

std::string text_of_file(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::uint32_t random_number() { return std::random_device()(); }

/// Of this boot of the machine and this space of process numbers; where there is no /proc, of this process alone.
std::uint32_t this_place() {
  static const std::uint32_t place = [] {
    std::error_code none;
    const std::string boot = text_of_file("/proc/sys/kernel/random/boot_id"), space = fs::read_symlink("/proc/self/ns/pid", none).string();
    return boot.empty() || space.empty() ? random_number() : static_cast<std::uint32_t>(std::hash<std::string>()(boot + space));
  }();
  return place;
}

/// When a process began, in the kernel's ticks since the boot; none: there is no such process.
std::optional<std::uint64_t> start_of(std::uint64_t process) {
  const std::string facts = text_of_file(fmt::format("/proc/{}/stat", process));
  std::size_t at = facts.rfind(')');  // behind the command's name, which may hold anything
  constexpr int kFieldsBetween = 20;
  for (int i = 0; i < kFieldsBetween && at != std::string::npos; ++i) at = facts.find(' ', at + 1);
  if (at == std::string::npos) return std::nullopt;
  std::uint64_t start = 0;
  std::from_chars(facts.data() + at + 1, facts.data() + facts.size(), start);
  return start;
}

struct Maker {
  std::uint64_t place = 0, process = 0, start = 0;
};

/// Who made a temporary, by its name; none: it is none of ours.
std::optional<Maker> maker_of(std::string_view name) {
  const std::size_t mark = name.rfind(kMark);
  if (mark == std::string_view::npos) return std::nullopt;
  name.remove_prefix(mark + kMark.size());
  std::array<std::uint64_t, 4> numbers{};
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), numbers[i], 16);
    if (error != std::errc()) return std::nullopt;
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
    if (name.empty() != (i + 1 == numbers.size()) || (!name.empty() && name.front() != '-')) return std::nullopt;
    if (!name.empty()) name.remove_prefix(1);
  }
  return Maker{numbers[0], numbers[1], numbers[2]};
}

bool has_gone(const Maker& maker, const fs::path& file) {
  if (maker.place == this_place()) return start_of(maker.process) != maker.start;
  struct stat facts {};
  return ::lstat(file.c_str(), &facts) == 0 && std::difftime(std::time(nullptr), facts.st_mtime) > kForgottenSeconds;
}

}  // namespace

std::string temporary_name(const std::string& path) {
  const auto process = static_cast<std::uint64_t>(::getpid());
  const std::size_t folder = path.rfind('/') + 1;  // 0 where there is none
  return fmt::format("{}{}{}{:x}-{:x}-{:x}-{:x}", path.substr(0, folder), path.substr(folder, kLongestStem), kMark, this_place(), process,
                     start_of(process).value_or(0), random_number());
}

void remove_stale_temporaries(const std::string& folder) {
  static std::mutex mutex;
  static std::set<std::string> done;
  {
    const std::lock_guard lock(mutex);
    if (!done.insert(folder).second) return;
  }
  std::error_code error;
  for (fs::directory_iterator entry(folder.empty() ? "." : folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    const auto maker = maker_of(name);
    if (!maker || !has_gone(*maker, entry->path())) continue;
    std::error_code ignored;
    if (entry->is_regular_file(ignored)) {
      fs::remove(entry->path(), ignored);
    } else if (entry->is_directory(ignored) && name.starts_with(kTemporaryFolder)) {
      fs::remove_all(entry->path(), ignored);
    }
  }
}

}  // namespace visq
