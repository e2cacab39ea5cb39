#include "report/words/fitted_table.h"

#include <algorithm>

#include "report/words/text.h"

namespace visq::report {
namespace {

/// A name of this many characters can be told from its neighbours; down to it names give way to columns.
constexpr std::size_t kLegibleName = 24;
constexpr std::size_t kNarrowestName = 12;

std::size_t widest(const FittedColumn& column, const std::vector<std::vector<std::string>>& rows, std::size_t index) {
  std::size_t result = width(column.column.title);
  for (const auto& row : rows) result = std::max(result, width(row[index]));
  return result;
}

}  // namespace

std::string fitted_table(const std::vector<FittedColumn>& columns, const std::vector<std::vector<std::string>>& rows, std::size_t width) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < columns.size(); ++i) widths.push_back(widest(columns[i], rows, i));
  std::vector<bool> kept(columns.size(), true);
  const auto needed = [&](std::size_t name_limit) {
    std::size_t sum = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if (kept[i]) sum += 2 + (columns[i].name ? std::min(widths[i], name_limit) : widths[i]);
    }
    return sum == 0 ? sum : sum - 2;
  };
  const auto is_least = [&](std::size_t i, std::size_t j) {
    return (kept[i] ? columns[i].priority : 0) < (kept[j] ? columns[j].priority : 0);
  };
  while (width > 0 && needed(kLegibleName) > width) {
    std::size_t least = 0;
    for (std::size_t i = 1; i < columns.size(); ++i) least = is_least(least, i) ? i : least;
    if (!kept[least] || columns[least].priority == 0) break;
    kept[least] = false;
  }
  std::size_t limit = std::max<std::size_t>(kNarrowestName, *std::max_element(widths.begin(), widths.end()));
  while (width > 0 && limit > kNarrowestName && needed(limit) > width) --limit;
  std::vector<Column> shown;
  std::vector<std::vector<std::string>> cells(rows.size());
  for (std::size_t i = 0; i < columns.size(); ++i) {
    if (!kept[i]) continue;
    shown.push_back(columns[i].column);
    std::vector<std::string> column;
    for (const auto& row : rows) column.push_back(row[i]);
    if (columns[i].name) shorten_apart(column, limit);
    for (std::size_t r = 0; r < rows.size(); ++r) cells[r].push_back(std::move(column[r]));
  }
  return text_table(shown, cells);
}

}  // namespace visq::report
