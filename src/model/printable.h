// Names from files as they may be shown: nothing in them can move a terminal's cursor or break a one-line message.
#pragma once

#include <string>
#include <string_view>

namespace visq {

/// `text` with control characters and bytes that are no valid UTF-8 written as \xNN. Anything beyond `limit` bytes is cut off with "…".
std::string printable(std::string_view text, std::size_t limit = 256);

}  // namespace visq
