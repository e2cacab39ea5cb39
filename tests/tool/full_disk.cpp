// Preloaded into a program: from the N-th call on that takes room on a disk (N: VISQ_FULL_FROM) the disk is full. Terminals and pipes are
// left alone; calls that give files and folders their names count, for names take room too.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>

namespace {

template <class Function>
Function* original(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

bool full() {
  static const char* const text = std::getenv("VISQ_FULL_FROM");
  static const long first = text != nullptr ? std::atol(text) : -1;
  static std::atomic<long> calls{0};
  if (first < 0 || calls++ < first) return false;
  errno = ENOSPC;
  return true;
}

/// A call of open() or its kin that makes a file takes room, and has a mode behind its flags.
int open_unless_full(const char* name, const char* path, int flags, std::va_list more) {
  const bool makes = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  const mode_t mode = makes ? va_arg(more, mode_t) : 0;
  if (makes && full()) return -1;
  return original<int(const char*, int, ...)>(name)(path, flags, mode);
}

bool on_disk(int descriptor) {
  struct stat facts {};
  return ::fstat(descriptor, &facts) == 0 && S_ISREG(facts.st_mode);
}

}  // namespace

extern "C" {

ssize_t write(int descriptor, const void* data, size_t size) {
  return on_disk(descriptor) && full() ? -1 : original<decltype(write)>("write")(descriptor, data, size);
}

ssize_t pwrite(int descriptor, const void* data, size_t size, off_t offset) {
  return on_disk(descriptor) && full() ? -1 : original<decltype(pwrite)>("pwrite")(descriptor, data, size, offset);
}

ssize_t pwrite64(int descriptor, const void* data, size_t size, off64_t offset) {
  return on_disk(descriptor) && full() ? -1 : original<decltype(pwrite64)>("pwrite64")(descriptor, data, size, offset);
}

int fsync(int descriptor) { return on_disk(descriptor) && full() ? -1 : original<decltype(fsync)>("fsync")(descriptor); }

int rename(const char* from, const char* to) { return full() ? -1 : original<decltype(rename)>("rename")(from, to); }

int mkdir(const char* path, mode_t mode) { return full() ? -1 : original<decltype(mkdir)>("mkdir")(path, mode); }

int open(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const int result = open_unless_full("open", path, flags, more);
  va_end(more);
  return result;
}

int open64(const char* path, int flags, ...) {
  std::va_list more;
  va_start(more, flags);
  const int result = open_unless_full("open64", path, flags, more);
  va_end(more);
  return result;
}

}  // extern "C"
