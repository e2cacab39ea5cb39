// What is usually wrong with labels: they count from 1, or name the classes in another order.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace visq::diagnosis {

/// A way to read the labels under which a model is right more often.
struct LabelReading {
  std::string words;     ///< follows "where": "labels count from 1 (--label-offset -1)"
  double right = 0;      ///< share of the records
  bool guessed = false;  ///< fitted to the model's own answers: chance has a part in it
};

/// `best`: the model's best class of every record; `labels` as they are read now, with `offset` (--label-offset). Readings that are no
/// better than that are left out.
std::vector<LabelReading> label_readings(std::span<const std::int64_t> best, std::span<const std::int64_t> labels, std::int64_t classes,
                                         std::int64_t offset);

/// The share of the most frequent label: what a model is right in that always says the same.
double chance_of(std::span<const std::int64_t> labels);

}  // namespace visq::diagnosis
