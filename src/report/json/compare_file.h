// Reads the result.json that `visqerror compare` writes.
#pragma once

#include <string>

#include "visq/diff.h"
#include "visq/status.h"

namespace visq::report {

/// Errors: kBadInput naming the file and the key that is missing or of the wrong type.
Result<StoredResult> read_compare_file(const std::string& path);

/// A fresh result as its file would be read: names as JSON holds them.
StoredResult stored_as_written(const CompareResult& result);

}  // namespace visq::report
