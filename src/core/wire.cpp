#include "core/wire.h"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "core/as_size.h"

namespace visq {
namespace {

/// Pieces that are larger go their way without a copy.
constexpr std::size_t kBuffer = std::size_t{64} << 10;

void write_all(int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(descriptor, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) ::_exit(0);
    bytes = bytes.subspan(as_size(written));
  }
}

}  // namespace

void WireWriter::number(std::uint64_t value) { bytes(std::as_bytes(std::span(&value, 1))); }

void WireWriter::text(std::string_view text) {
  number(text.size());
  bytes(std::as_bytes(std::span(text)));
}

void WireWriter::bytes(std::span<const std::byte> bytes) {
  if (kept_.size() + bytes.size() > kBuffer) flush();
  if (bytes.size() > kBuffer) return write_all(descriptor_, bytes);
  kept_.insert(kept_.end(), bytes.begin(), bytes.end());
}

void WireWriter::flush() {
  write_all(descriptor_, kept_);
  kept_.clear();
}

WireReader::WireReader(Source source) : source_(std::move(source)), buffer_(kBuffer) {}

std::uint64_t WireReader::number(std::uint64_t most) {
  std::uint64_t value = 0;
  bytes(std::as_writable_bytes(std::span(&value, 1)));
  if (value > most) ok_ = false;
  return ok_ ? value : 0;
}

std::string WireReader::text(std::size_t longest) {
  std::string text(as_size(number(longest)), '\0');
  bytes(std::as_writable_bytes(std::span(text)));
  return ok_ ? text : "";
}

void WireReader::bytes(std::span<std::byte> bytes) {
  while (ok_ && !bytes.empty()) {
    if (begin_ < end_) {
      const std::size_t count = std::min(bytes.size(), end_ - begin_);
      std::memcpy(bytes.data(), buffer_.data() + begin_, count);
      begin_ += count;
      bytes = bytes.subspan(count);
      continue;
    }
    const bool direct = bytes.size() >= kBuffer;
    const std::size_t count = source_(direct ? bytes : std::span(buffer_));
    ok_ = count > 0;
    if (direct) {
      bytes = bytes.subspan(count);
    } else {
      begin_ = 0, end_ = count;
    }
  }
}

}  // namespace visq
