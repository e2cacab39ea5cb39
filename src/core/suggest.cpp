#include "core/suggest.h"
#include "core/joined.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

namespace visq {

int edit_distance(std::string_view a, std::string_view b) {
  // Optimal string alignment; three rows of the table are enough.
  std::vector<int> before(b.size() + 1), previous(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) previous[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({previous[j] + 1, row[j - 1] + 1, previous[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    before = previous;
    previous = row;
  }
  return previous[b.size()];
}

std::string suggestion(std::string_view word, std::span<const std::string_view> candidates) {
  constexpr std::size_t kFew = 15;
  std::string_view nearest;
  int best = std::max(2, static_cast<int>(word.size()) / 3) + 1;
  for (const std::string_view candidate : candidates) {
    const int distance = edit_distance(word, candidate);
    if (distance < best && distance < static_cast<int>(candidate.size())) {
      best = distance;
      nearest = candidate;
    }
  }
  if (!nearest.empty()) return fmt::format("; did you mean '{}'?", nearest);
  if (candidates.empty() || candidates.size() > kFew) return "";
  return fmt::format("; one of: {}", joined(candidates, ", "));
}

}  // namespace visq
