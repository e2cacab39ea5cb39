// Bytes as text (RFC 4648, section 4), for what JSON keeps but nobody reads.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace visq::report {

std::string base64(std::string_view bytes);

/// Nothing where the text is not what base64() gives.
std::optional<std::string> from_base64(std::string_view text);

}  // namespace visq::report
