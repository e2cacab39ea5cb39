// A validator for the part of JSON Schema (draft 2020-12) that the project's schemas use.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace visq::testing {

/// What is wrong with `document`, one line each with the path of the value; empty: valid. A keyword that the validator does not know is
/// reported too, so that a schema cannot ask for something that nobody checks.
std::vector<std::string> schema_errors(const nlohmann::json& schema, const nlohmann::json& document);

}  // namespace visq::testing
