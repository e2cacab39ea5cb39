// Which file a result is of: the SHA-256 of its bytes, computed only where somebody asks for it.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

namespace visq {

/// SHA-256 of a file's content. Copies share one computation, which the first call of hex() makes: what never shows it never pays for it.
/// Calls may come from several threads.
class Checksum {
 public:
  /// Of no file.
  Checksum() = default;
  /// As somebody else computed it.
  explicit Checksum(std::string hex);
  /// Of a mapped file; `owner` keeps it mapped as long as it may have to be read.
  Checksum(std::shared_ptr<const void> owner, std::span<const std::byte> mapped);

  /// 64 digits in lower case; empty: of no file.
  const std::string& hex() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// Whether both are of the same content, as far as they say.
bool operator==(const Checksum& a, const Checksum& b);

}  // namespace visq
