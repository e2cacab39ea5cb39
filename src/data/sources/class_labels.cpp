#include "data/sources/class_labels.h"

#include <algorithm>

#include "core/as_size.h"
#include "core/error.h"
#include "data/sources/convert.h"

namespace visq::data {

Result<std::vector<std::int64_t>> one_hot_labels(std::span<const std::int64_t> values, std::int64_t columns, const std::string& place) {
  std::vector<std::int64_t> labels;
  for (; !values.empty(); values = values.subspan(as_size(columns))) {
    const auto row = values.first(as_size(columns));
    const auto one = std::find(row.begin(), row.end(), 1);
    if (one == row.end() || std::count(row.begin(), row.end(), 0) != columns - 1) {
      return bad_input("{}: row {} of {} values is not a single 1 among zeros; labels are one class per record, or such a row per record",
                       place, labels.size(), columns);
    }
    labels.push_back(one - row.begin());
  }
  return labels;
}

Result<std::vector<std::int64_t>> to_labels(const Array& array, const std::string& place) {
  const auto integers = to_integers(array, DType::kInt64);
  if (!integers.ok()) return bad_input("{}: {}", place, integers.error().message);
  const auto values = integers->values<std::int64_t>();
  const Shape& shape = array.shape;
  const std::int64_t records = shape.rank() == 0 ? 1 : shape[0];
  if (static_cast<std::int64_t>(values.size()) == records) return std::vector<std::int64_t>(values.begin(), values.end());
  if (shape.rank() != 2) {
    return bad_input("{}: shape {} holds no labels; expected one class per record, or a row with a single 1 per record", place,
                     to_string(shape));
  }
  return one_hot_labels(values, shape[1], place);
}

}  // namespace visq::data
