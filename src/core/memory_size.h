// Amounts of memory as users write and read them: 512M, 2G.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace visq {

/// "512M": whole bytes, or K, M, G, T of 1024 each (either case, an "iB" or "B" behind it allowed). Nothing where it is no such amount, 0,
/// or more than 64 bits hold.
std::optional<std::uint64_t> parse_memory_size(std::string_view text);

/// The smallest whole number of K, M, G or T (up to four digits) that holds so many bytes: what it says is always enough.
std::string memory_size(std::uint64_t bytes);

}  // namespace visq
