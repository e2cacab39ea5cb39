#include "diagnosis/whole/label_errors.h"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "core/as_size.h"

namespace visq::diagnosis {
namespace {

/// An order of classes is fitted only where there are so many records per class.
constexpr std::int64_t kRecordsPerClass = 10;
constexpr std::size_t kNamedLabels = 4;

double share(std::size_t count, std::size_t all) { return all > 0 ? static_cast<double>(count) / static_cast<double>(all) : 0; }

double right_with_offset(std::span<const std::int64_t> best, std::span<const std::int64_t> labels, std::int64_t offset) {
  std::size_t right = 0;
  for (std::size_t i = 0; i < labels.size(); ++i) right += best[i] == labels[i] + offset ? 1U : 0U;
  return share(right, labels.size());
}

/// Gives each label the class that the model says most often for it, the clearest first, each class once.
LabelReading best_order(std::span<const std::int64_t> best, std::span<const std::int64_t> labels) {
  std::map<std::pair<std::int64_t, std::int64_t>, std::size_t> counts;
  for (std::size_t i = 0; i < labels.size(); ++i) ++counts[{labels[i], best[i]}];
  std::vector<std::tuple<std::size_t, std::int64_t, std::int64_t>> cells;
  for (const auto& [cell, count] : counts) cells.emplace_back(count, cell.first, cell.second);
  std::sort(cells.rbegin(), cells.rend());
  std::map<std::int64_t, std::int64_t> class_of, label_of;
  std::size_t right = 0, named = 0;
  std::string examples;
  for (const auto& [count, label, found] : cells) {
    if (class_of.contains(label) || label_of.contains(found)) continue;
    class_of[label] = found, label_of[found] = label;
    right += count;
    if (label != found && named++ < kNamedLabels) examples += fmt::format("{}{} as {}", examples.empty() ? "" : ", ", label, found);
  }
  return {fmt::format("the classes stand in another order (label {})", examples), named > 0 ? share(right, labels.size()) : 0, true};
}

}  // namespace

std::vector<LabelReading> label_readings(std::span<const std::int64_t> best, std::span<const std::int64_t> labels, std::int64_t classes,
                                         std::int64_t offset) {
  std::vector<LabelReading> readings;
  if (labels.empty() || best.size() != labels.size()) return readings;
  const double now = right_with_offset(best, labels, 0);
  const auto add = [&](LabelReading reading) {
    if (reading.right > now) readings.push_back(std::move(reading));
  };
  add({fmt::format("labels count from 1 (--label-offset {})", offset - 1), right_with_offset(best, labels, -1), false});
  add({fmt::format("class 0 is the background's, and labels do not count it (--label-offset {})", offset + 1),
       right_with_offset(best, labels, 1), false});
  if (static_cast<std::int64_t>(labels.size()) >= kRecordsPerClass * classes) add(best_order(best, labels));
  return readings;
}

double chance_of(std::span<const std::int64_t> labels) {
  std::map<std::int64_t, std::size_t> counts;
  std::size_t most = 0;
  for (const std::int64_t label : labels) most = std::max(most, ++counts[label]);
  return share(most, labels.size());
}

}  // namespace visq::diagnosis
