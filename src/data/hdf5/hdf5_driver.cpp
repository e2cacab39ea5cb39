#include "data/hdf5/hdf5_driver.h"

#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <string_view>

#include "core/as_size.h"

namespace visq::hdf5 {
namespace {

/// What the library is given along with the name.
struct Given {
  int file;
  haddr_t size;
  const char* name;  ///< nothing is opened under another one
};

/// The library reads headers of some hundred bytes, several for each record, mostly one behind the other: they are taken from a piece of
/// the file that was read at once.
constexpr std::size_t kPiece = std::size_t{32} << 10;

/// The library knows its first member only.
struct Opened {
  H5FD_t base;
  int file;
  haddr_t allocated, size;
  haddr_t kept_from, kept_to;
  std::array<char, kPiece> kept;
};

Opened& opened(H5FD_t* file) { return *reinterpret_cast<Opened*>(file); }
const Opened& opened(const H5FD_t* file) { return *reinterpret_cast<const Opened*>(file); }

H5FD_t* open(const char* name, unsigned flags, hid_t access, haddr_t) {
  const auto* given = static_cast<const Given*>(H5Pget_driver_info(access));
  const bool wanted = given != nullptr && (flags & H5F_ACC_RDWR) == 0 && std::string_view(name) == given->name;
  if (!wanted) return nullptr;
  auto* file = new (std::nothrow) Opened;
  if (file == nullptr) return nullptr;
  file->base = {};
  file->file = given->file;
  file->allocated = file->kept_from = file->kept_to = 0;
  file->size = given->size;
  return &file->base;
}

herr_t close(H5FD_t* file) {
  delete &opened(file);
  return 0;
}

/// No two are the same to the library: each has its own descriptor.
int compare(const H5FD_t* a, const H5FD_t* b) { return a < b ? -1 : (a > b ? 1 : 0); }

herr_t query(const H5FD_t*, unsigned long* flags) {
  if (flags != nullptr) *flags = H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE;
  return 0;
}

haddr_t get_eoa(const H5FD_t* file, H5FD_mem_t) { return opened(file).allocated; }

herr_t set_eoa(H5FD_t* file, H5FD_mem_t, haddr_t address) {
  opened(file).allocated = address;
  return 0;
}

haddr_t get_eof(const H5FD_t* file, H5FD_mem_t) { return opened(file).size; }

/// Behind the end stand zeros, as the library's own driver has it. False where the system cannot read.
bool read_at(int file, haddr_t address, char* to, std::size_t size) {
  while (size > 0) {
    const ssize_t count = ::pread(file, to, size, static_cast<off_t>(address));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    to += count, address += static_cast<haddr_t>(count), size -= as_size(count);
  }
  std::memset(to, 0, size);
  return true;
}

herr_t read(H5FD_t* base, H5FD_mem_t, hid_t, haddr_t address, std::size_t size, void* buffer) {
  Opened& file = opened(base);
  if (size > kPiece / 4) return read_at(file.file, address, static_cast<char*>(buffer), size) ? 0 : -1;
  if (address < file.kept_from || address + size > file.kept_to) {
    file.kept_from = file.kept_to = address;
    if (!read_at(file.file, address, file.kept.data(), kPiece)) return -1;
    file.kept_to = address + kPiece;
  }
  std::memcpy(buffer, file.kept.data() + (address - file.kept_from), size);
  return 0;
}

herr_t write(H5FD_t*, H5FD_mem_t, hid_t, haddr_t, std::size_t, const void*) { return -1; }

/// A file that another program writes is refused; file systems without locks have none.
herr_t lock(H5FD_t* file, hbool_t) { return ::flock(opened(file).file, LOCK_SH | LOCK_NB) == 0 || errno == ENOSYS ? 0 : -1; }

herr_t unlock(H5FD_t* file) { return ::flock(opened(file).file, LOCK_UN) == 0 || errno == ENOSYS ? 0 : -1; }

hid_t driver() {
  static const hid_t id = [] {
    H5FD_class_t type{};
    type.name = "descriptor";
    type.maxaddr = (haddr_t{1} << 62) - 1;
    type.fc_degree = H5F_CLOSE_WEAK;
    type.fapl_size = sizeof(Given);
    type.open = open, type.close = close, type.cmp = compare, type.query = query;
    type.get_eoa = get_eoa, type.set_eoa = set_eoa, type.get_eof = get_eof;
    type.read = read, type.write = write, type.lock = lock, type.unlock = unlock;
    constexpr H5FD_mem_t kOneKind[H5FD_MEM_NTYPES] = H5FD_FLMAP_DICHOTOMY;
    std::copy(std::begin(kOneKind), std::end(kOneKind), type.fl_map);
    return H5FDregister(&type);
  }();
  return id;
}

}  // namespace

Handle open_descriptor(const OpenFile& file, const std::string& name) {
  const Given given{file.descriptor.get(), static_cast<haddr_t>(file.size), name.c_str()};
  const Handle access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
  if (!access || H5Pset_driver(access.get(), driver(), &given) < 0) return {};
  return {H5Fopen(name.c_str(), H5F_ACC_RDONLY, access.get()), H5Fclose};
}

}  // namespace visq::hdf5
