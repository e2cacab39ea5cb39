// The result of check as text and as JSON.
#pragma once

#include <cstddef>
#include <string>

#include "visq/check.h"

namespace visq::report {

struct CheckTextOptions {
  std::size_t columns = 0;  ///< width of the terminal: findings are wrapped, names shortened, the table of tensors left out. 0: a file
  bool color = false;
};

/// Findings by severity, use counts, and (in files) the table of every output, weight and bias.
std::string check_text(const CheckResult& result, const CheckTextOptions& options);

/// The document of schema/check.schema.json.
std::string check_json(const CheckResult& result);

}  // namespace visq::report
