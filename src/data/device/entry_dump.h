// Dumps of which it is known from the beginning what they hold: a list per record.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "visq/dump.h"

namespace visq::data {

struct DumpEntry {
  DumpTensor tensor;
  /// Reads the elements, in the tensor's type and shape. Errors: begin with `place`.
  std::function<Result<Array>(const std::string& place)> read;
};

/// By record.
using DumpEntries = std::map<std::int64_t, std::vector<DumpEntry>>;

/// Errors: a record in which two tensors have one name and index; no record at all.
Result<std::unique_ptr<DumpReader>> entry_dump(std::string path, DumpEntries entries);

}  // namespace visq::data
