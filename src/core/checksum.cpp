#include "visq/checksum.h"

#include <mutex>

#include "core/file.h"

namespace visq {

struct Checksum::State {
  std::once_flag computed;
  std::shared_ptr<const void> owner;
  std::span<const std::byte> mapped;
  std::string hex;
};

Checksum::Checksum(std::string hex) : state_(std::make_shared<State>()) {
  state_->hex = std::move(hex);
  std::call_once(state_->computed, [] {});
}

Checksum::Checksum(std::shared_ptr<const void> owner, std::span<const std::byte> mapped) : state_(std::make_shared<State>()) {
  state_->owner = std::move(owner);
  state_->mapped = mapped;
}

const std::string& Checksum::hex() const {
  static const std::string none;
  if (!state_) return none;
  std::call_once(state_->computed, [&] {
    state_->hex = mapped_sha256(state_->mapped);
    state_->owner.reset();
  });
  return state_->hex;
}

bool operator==(const Checksum& a, const Checksum& b) { return a.hex() == b.hex(); }

}  // namespace visq
