// JSON files that are read back: results, rankings, visq.json.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "visq/status.h"

namespace visq::report {

/// What is read: keys in any order.
using PlainJson = nlohmann::json;

/// Errors: kBadInput where the file cannot be read or is not JSON.
Result<PlainJson> read_json(const std::string& path);

/// A member of an object; null where it has none, or is none.
const PlainJson* member(const PlainJson* object, const char* key);

}  // namespace visq::report
