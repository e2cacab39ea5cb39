// JSON files that are read back: results, rankings, visq.json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "visq/status.h"

namespace visq::report {

/// Errors: kBadInput where the file cannot be read or is not JSON.
Result<nlohmann::json> read_json(const std::string& path);

/// A member of an object; null where it has none, or is none.
const nlohmann::json* member(const nlohmann::json* object, const char* key);

}  // namespace visq::report
