// Results as compare and badcase wrote them, read back: to hold two against each other (visq/diff.h), or to join parts (visq/merge.h).
#pragma once

#include <string>

#include "visq/diff.h"
#include "visq/merge.h"

namespace visq::report {

/// A result of compare, as far as the file tells: what it does not say of models, data and modes stays open.
/// Errors: kBadInput naming the file and the key that is missing or of the wrong type.
Result<StoredResult> read_result(const std::string& path);

/// A fresh result as its file would be read: names as JSON holds them.
StoredResult stored_as_written(const CompareResult& result);

/// A result of compare or badcase over a part of the records, made with per_record.
/// Errors: kBadInput naming the file: it is no such result, or was made without per_record; also where any of what it is of is missing.
Result<Part> read_part(const std::string& path);

}  // namespace visq::report
