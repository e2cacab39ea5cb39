// Things that files number by name: "0", "1", … "10".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "visq/status.h"

namespace visq::data {

/// The number that a name stands for; nothing unless it is decimal digits without leading zeros that fit into int64.
std::optional<std::int64_t> decimal(std::string_view name);

/// How many records there are whose names are 0 to N-1, in any order.
/// Errors: kBadInput, beginning with `place`: a name that is no number, a number that is missing, no name at all.
Result<std::int64_t> count_records(std::span<const std::string> names, std::string_view place);

}  // namespace visq::data
