// Whether a JSON document keeps to its schema, for the schemas in schema/.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace visq::testing {

/// The first place where `document` breaks the schema of that file name in schema/, as "/path: what"; empty where it keeps to it.
/// Understands the keywords that our schemas use; any other keyword is reported as a failure of the schema itself.
std::string schema_violation(const std::string& schema_file, const nlohmann::json& document);

}  // namespace visq::testing
