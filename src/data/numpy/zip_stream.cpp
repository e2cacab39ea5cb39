// The bytes of one entry of a zip file, inflated while they are read.
#include <zlib.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <vector>

#include "core/error.h"
#include "data/numpy/zip.h"

namespace visq::data {
namespace {

constexpr std::size_t kPackedBytes = 32 << 10, kPlainBytes = 64 << 10;
constexpr std::size_t kLocalHeader = 30;

/// A number of two bytes, little-endian.
std::size_t two_bytes(const std::array<char, kLocalHeader>& header, std::size_t place) {
  return static_cast<unsigned char>(header[place]) + (static_cast<std::size_t>(static_cast<unsigned char>(header[place + 1])) << 8);
}

class EntryBuffer final : public std::streambuf {
 public:
  EntryBuffer(std::ifstream file, const ZipEntry& entry, std::uint64_t begin)
      : file_(std::move(file)), entry_(entry), begin_(begin), packed_(kPackedBytes), plain_(kPlainBytes) {
    start();
  }
  ~EntryBuffer() override { stop(); }
  EntryBuffer(const EntryBuffer&) = delete;
  EntryBuffer& operator=(const EntryBuffer&) = delete;

 protected:
  int_type underflow() override {
    if (gptr() < egptr()) return traits_type::to_int_type(*gptr());
    const std::size_t count = broken_ ? 0 : entry_.deflated ? inflate_some() : copy_some();
    if (broken_) tell_damage();
    if (count == 0) return traits_type::eof();
    made_ += count;
    checksum_ = crc32(checksum_, reinterpret_cast<const Bytef*>(plain_.data()), static_cast<uInt>(count));
    if (made_ == entry_.size && from_begin_ && checksum_ != entry_.checksum) {
      broken_ = true;
      tell_damage();
    }
    setg(plain_.data(), plain_.data(), plain_.data() + count);
    return traits_type::to_int_type(*gptr());
  }

  pos_type seekpos(pos_type position, std::ios_base::openmode) override {
    const auto wanted = static_cast<std::uint64_t>(std::streamoff(position));
    if (std::streamoff(position) < 0 || wanted > entry_.size) return pos_type(off_type(-1));
    if (!entry_.deflated) return jump(wanted);
    const auto left = static_cast<std::uint64_t>(egptr() - eback());
    if (wanted < made_ - left) start();
    while (wanted > made_) {
      setg(nullptr, nullptr, nullptr);
      if (underflow() == traits_type::eof()) return pos_type(off_type(-1));
    }
    if (egptr() != nullptr) setg(eback(), egptr() - static_cast<std::ptrdiff_t>(made_ - wanted), egptr());
    return position;
  }

 private:
  /// The stream around this one catches it, and is bad() from then on.
  [[noreturn]] static void tell_damage() { throw std::ios_base::failure("damaged"); }

  void start() {
    stop();
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(begin_));
    left_ = entry_.packed;
    made_ = 0;
    checksum_ = crc32(0, nullptr, 0);
    from_begin_ = true;
    broken_ = !file_.good();
    setg(nullptr, nullptr, nullptr);
    if (!entry_.deflated) return;
    inflater_ = z_stream{};
    open_ = inflateInit2(&inflater_, -MAX_WBITS) == Z_OK;  // negative: without zlib's own header
    broken_ = broken_ || !open_;
  }
  void stop() {
    if (open_) inflateEnd(&inflater_);
    open_ = false;
  }

  /// Of what is not packed: any place costs the same. Its checksum is then not looked at.
  pos_type jump(std::uint64_t position) {
    file_.clear();
    file_.seekg(static_cast<std::streamoff>(begin_ + position));
    left_ = entry_.packed - position;
    made_ = position;
    from_begin_ = false;
    setg(nullptr, nullptr, nullptr);
    return file_.good() ? pos_type(static_cast<off_type>(position)) : pos_type(off_type(-1));
  }

  std::size_t read_packed(std::vector<char>& into) {
    const auto count = static_cast<std::streamsize>(std::min<std::uint64_t>(left_, into.size()));
    file_.read(into.data(), count);
    const auto got = static_cast<std::size_t>(file_.gcount());
    left_ -= got;
    return got;
  }
  std::size_t copy_some() { return read_packed(plain_); }

  std::size_t inflate_some() {
    inflater_.next_out = reinterpret_cast<Bytef*>(plain_.data());
    inflater_.avail_out = static_cast<uInt>(std::min<std::uint64_t>(plain_.size(), entry_.size - made_));
    const std::size_t wanted = inflater_.avail_out;
    while (inflater_.avail_out > 0) {
      if (inflater_.avail_in == 0) {
        inflater_.avail_in = static_cast<uInt>(read_packed(packed_));
        inflater_.next_in = reinterpret_cast<Bytef*>(packed_.data());
      }
      const int state = inflate(&inflater_, Z_NO_FLUSH);
      if (state == Z_STREAM_END) break;
      if (state != Z_OK) {
        broken_ = true;
        break;
      }
    }
    return wanted - inflater_.avail_out;
  }

  std::ifstream file_;
  const ZipEntry entry_;
  const std::uint64_t begin_;  ///< of the packed bytes in the file
  std::uint64_t left_ = 0;     ///< packed bytes that were not read yet
  std::uint64_t made_ = 0;     ///< bytes up to the end of what stands in plain_
  uLong checksum_ = 0;
  bool from_begin_ = true, broken_ = false, open_ = false;
  z_stream inflater_{};
  std::vector<char> packed_, plain_;
};

class EntryStream final : public std::istream {
 public:
  explicit EntryStream(std::unique_ptr<EntryBuffer> buffer) : std::istream(buffer.get()), buffer_(std::move(buffer)) {}

 private:
  std::unique_ptr<EntryBuffer> buffer_;
};

}  // namespace

Result<std::unique_ptr<std::istream>> open_zip_entry(const std::string& path, const ZipEntry& entry, const std::string& place) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, kLocalHeader> header{};
  file.seekg(static_cast<std::streamoff>(entry.header));
  file.read(header.data(), kLocalHeader);
  if (!file || !std::string_view(header.data(), header.size()).starts_with(kZipSignature)) {
    return bad_input("{}: is cut off or damaged", place);
  }
  const std::uint64_t begin = entry.header + kLocalHeader + two_bytes(header, 26) + two_bytes(header, 28);  // behind name and extra part
  return std::unique_ptr<std::istream>(std::make_unique<EntryStream>(std::make_unique<EntryBuffer>(std::move(file), entry, begin)));
}

std::string inflating_library() { return std::string("zlib ") + zlibVersion(); }

}  // namespace visq::data
