#include "kernels/custom_options.h"

#include <bit>
#include <cstring>
#include <optional>

namespace visq::kernels {
namespace {

/// Type numbers of the FlexBuffers format.
enum FlexType : unsigned { kInt = 1, kUInt = 2, kFloat = 3, kIndirectInt = 6, kIndirectUInt = 7, kIndirectFloat = 8, kMap = 9, kBool = 26 };

class FlexReader {
 public:
  explicit FlexReader(std::span<const std::byte> bytes) : bytes_(bytes) {}

  /// The map at the root: nothing where the bytes are no such thing.
  std::optional<Attributes> root_map() const {
    const auto width = number(bytes_.size() - 1, 1), packed = number(bytes_.size() - 2, 1);
    if (bytes_.size() < 3 || !width || !packed || !is_width(*width) || *packed >> 2 != kMap || *width > bytes_.size() - 2) {
      return std::nullopt;
    }
    const auto values = follow(bytes_.size() - 2 - *width, *width);
    return values ? read_map(*values, std::size_t{1} << (*packed & 3)) : std::nullopt;
  }

 private:
  static bool is_width(std::size_t width) { return width <= 8 && std::has_single_bit(width); }

  /// The little-endian number of `width` bytes that starts at `at`.
  std::optional<std::uint64_t> number(std::size_t at, std::size_t width) const {
    if (at > bytes_.size() || width > bytes_.size() - at) return std::nullopt;
    std::uint64_t value = 0;
    std::memcpy(&value, bytes_.data() + at, width);
    return value;
  }

  /// Where an offset leads: always to the front.
  std::optional<std::size_t> follow(std::size_t at, std::size_t width) const {
    const auto offset = number(at, width);
    if (!offset || *offset > at) return std::nullopt;
    return at - *offset;
  }

  /// In front of a map's values stand its length, the width of its keys' offsets, and the offset of these.
  std::optional<Attributes> read_map(std::size_t values, std::size_t width) const {
    if (values < 3 * width) return std::nullopt;
    const auto count = number(values - width, width), key_width = number(values - 2 * width, width);
    const auto keys = follow(values - 3 * width, width);
    if (!count || !key_width || !keys || !is_width(*key_width) || *count > bytes_.size()) return std::nullopt;
    Attributes options;
    for (std::size_t i = 0; i < *count; ++i) {
      const auto key = follow(*keys + i * *key_width, *key_width);
      const auto type = number(values + *count * width + i, 1);
      if (!key || !type || !add(options, *key, values + i * width, width, *type)) return std::nullopt;
    }
    return options;
  }

  /// False where the key or the value is not inside the buffer.
  bool add(Attributes& options, std::size_t key, std::size_t at, std::size_t width, std::uint64_t packed) const {
    const auto* name = reinterpret_cast<const char*>(bytes_.data() + key);
    const void* end = std::memchr(name, 0, bytes_.size() - key);
    if (end == nullptr) return false;
    auto type = static_cast<unsigned>(packed >> 2);
    if (type == kIndirectInt || type == kIndirectUInt || type == kIndirectFloat) {
      const auto target = follow(at, width);
      if (!target) return false;
      at = *target;
      width = std::size_t{1} << (packed & 3);
      type -= kIndirectInt - kInt;
    }
    const auto bits = number(at, width);
    if (!bits) return false;
    if (auto value = as_attribute(*bits, type, width)) options.set(name, std::move(*value));
    return true;
  }

  static std::optional<Attribute> as_attribute(std::uint64_t bits, unsigned type, std::size_t width) {
    const int unused = 64 - 8 * static_cast<int>(width);
    switch (type) {
      case kInt:
        return static_cast<std::int64_t>(bits << unused) >> unused;
      case kUInt:
        return static_cast<std::int64_t>(bits);
      case kBool:
        return bits != 0;
      case kFloat:
        if (width == 8) return std::bit_cast<double>(bits);
        if (width == 4) return static_cast<double>(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

  std::span<const std::byte> bytes_;
};

}  // namespace

Result<CustomOptions> CustomOptions::read(const PrepareContext& context) {
  const auto bytes = context.op().custom_options;
  if (bytes.empty()) return CustomOptions(Attributes());
  auto options = FlexReader(bytes).root_map();
  if (!options) return context.fail("its {} bytes of custom options are no FlexBuffer map", bytes.size());
  return CustomOptions(std::move(*options));
}

double CustomOptions::real(std::string_view name, double fallback) const {
  const Attribute* value = options_.find(name);
  if (value == nullptr) return fallback;
  if (const auto* number = std::get_if<double>(value)) return *number;
  if (const auto* number = std::get_if<std::int64_t>(value)) return static_cast<double>(*number);
  return std::get<bool>(*value) ? 1 : 0;
}

std::int64_t CustomOptions::integer(std::string_view name, std::int64_t fallback) const {
  const Attribute* value = options_.find(name);
  if (value != nullptr && std::holds_alternative<std::int64_t>(*value)) return std::get<std::int64_t>(*value);
  constexpr double kLargest = 9e18;
  const double number = real(name, static_cast<double>(fallback));
  return number >= -kLargest && number <= kLargest ? static_cast<std::int64_t>(number) : fallback;
}

}  // namespace visq::kernels
