// Preloaded into a program: the call VISQ_CRASH_AT (read, pread) on the file VISQ_CRASH_IN ends in the signal VISQ_CRASH_BY, or never where
// that is 0, as in a library that trips over what the file holds.
#include <dlfcn.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string_view>

namespace {

template <class Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

struct stat chosen_file {};

/// Before main(): where the file is read, none can be looked for any more.
__attribute__((constructor)) void find_file() {
  const char* const path = std::getenv("VISQ_CRASH_IN");
  if (path != nullptr) static_cast<void>(::stat(path, &chosen_file));
}

void crash_if_chosen(std::string_view call, int descriptor) {
  const char* const chosen = std::getenv("VISQ_CRASH_AT");
  const char* const signal = std::getenv("VISQ_CRASH_BY");
  if (chosen == nullptr || signal == nullptr || call != chosen) return;
  struct stat file {};
  if (::syscall(SYS_fstat, descriptor, &file) != 0 || file.st_ino != chosen_file.st_ino || file.st_dev != chosen_file.st_dev) return;
  for (volatile bool spins = std::atoi(signal) == 0; spins;) {
  }
  ::raise(std::atoi(signal));
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
