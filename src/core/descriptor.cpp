#include "core/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>

#include "core/error.h"

namespace visq {

Result<OpenFile> open_regular_file(const std::string& path) {
  Descriptor file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat facts {};
  if (file.get() < 0 || ::fstat(file.get(), &facts) != 0) return bad_input("{}: cannot be read: {}", path, std::strerror(errno));
  if (!S_ISREG(facts.st_mode)) return bad_input("{}: is not a file", path);
  return OpenFile{std::move(file), static_cast<std::uint64_t>(facts.st_size)};
}

}  // namespace visq
