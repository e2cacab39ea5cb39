// What an array or a table says about the classes of records.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "visq/status.h"
#include "visq/tensor.h"

namespace visq::data {

/// The classes of an array of shape N (or N x 1 …): its values, whole numbers of any type; of N x C: the place of the only 1 in each row,
/// whose other values are 0. Errors: kBadInput, beginning with `place`: other shapes, rows that are not so.
Result<std::vector<std::int64_t>> to_labels(const Array& array, const std::string& place);

/// The place of the only 1 in each row of `columns` values. Errors: as above.
Result<std::vector<std::int64_t>> one_hot_labels(std::span<const std::int64_t> values, std::int64_t columns, const std::string& place);

}  // namespace visq::data
