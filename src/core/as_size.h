// Formats count in signed integers, containers in std::size_t.
#pragma once

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace visq {

/// A number that is not negative, or an enumerator, as a size or as a position in a container.
template <class T>
requires std::integral<T> || std::is_enum_v<T>
constexpr std::size_t as_size(T value) { return static_cast<std::size_t>(value); }

}  // namespace visq
