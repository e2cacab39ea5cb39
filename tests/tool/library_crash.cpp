// Preloaded into a program: the call VISQ_CRASH_AT (read, pread) on a file whose name ends as VISQ_CRASH_IN says ends in the signal
// VISQ_CRASH_BY, as in a library that trips over what the file holds.
#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

template <class Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

void crash_if_chosen(std::string_view call, int descriptor) {
  const char* const chosen = std::getenv("VISQ_CRASH_AT");
  const char* const ending = std::getenv("VISQ_CRASH_IN");
  const char* const signal = std::getenv("VISQ_CRASH_BY");
  if (chosen == nullptr || ending == nullptr || signal == nullptr || call != chosen) return;
  std::array<char, 4096> name{};
  const ssize_t length = ::readlink(("/proc/self/fd/" + std::to_string(descriptor)).c_str(), name.data(), name.size());
  if (length > 0 && std::string_view(name.data(), static_cast<std::size_t>(length)).ends_with(ending)) ::raise(std::atoi(signal));
}

}  // namespace

extern "C" {

ssize_t read(int descriptor, void* data, size_t size) {
  crash_if_chosen("read", descriptor);
  return original<decltype(read)>("read")(descriptor, data, size);
}

ssize_t pread(int descriptor, void* data, size_t size, off_t offset) {
  crash_if_chosen("pread", descriptor);
  return original<decltype(pread)>("pread")(descriptor, data, size, offset);
}

ssize_t pread64(int descriptor, void* data, size_t size, off64_t offset) {
  crash_if_chosen("pread", descriptor);
  return original<decltype(pread64)>("pread64")(descriptor, data, size, offset);
}

}  // extern "C"
