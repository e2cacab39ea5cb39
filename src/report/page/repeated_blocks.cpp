// Finds blocks that repeat: ResNet's stages, a transformer's layers.
#include <algorithm>
#include <limits>

#include "report/page/graph_groups.h"

namespace visq::report {
namespace {

/// A block of fewer nodes says nothing.
constexpr std::size_t kShortest = 3;
/// Longer blocks are not looked for: the search takes tokens times this.
constexpr std::size_t kLongest = 400;

/// A row of one token over and over is no repetition of blocks.
bool monotonous(const std::vector<std::uint64_t>& tokens, std::size_t begin, std::size_t period) {
  const auto first = tokens.begin() + static_cast<std::ptrdiff_t>(begin);
  return std::all_of(first, first + static_cast<std::ptrdiff_t>(period), [&](std::uint64_t token) { return token == *first; });
}

/// The best repetition of one period: tokens equal to those a period later, in a row as long as possible.
Repetition of_period(const std::vector<std::uint64_t>& tokens, const std::vector<int>& crossing, std::size_t period) {
  Repetition best;
  std::size_t alike = 0;
  for (std::size_t i = 0; i + period <= tokens.size(); ++i) {
    const bool same = i + period < tokens.size() && tokens[i] == tokens[i + period];
    if (same) ++alike;
    if (same && i + period + 1 < tokens.size()) continue;
    const std::size_t end = same ? i + 1 : i, begin = end - alike;
    const std::size_t times = alike / period + 1;
    if (times >= 2 && times * period > best.times * best.period && !monotonous(tokens, begin, period)) {
      // The row is longer than whole periods by `slack`: it may begin anywhere in it.
      const std::size_t slack = alike % period;
      best = {begin, period, times};
      int fewest = std::numeric_limits<int>::max();
      for (std::size_t shift = 0; shift <= slack; ++shift) {
        int crossed = 0;
        for (std::size_t block = 0; block <= times; ++block) crossed += crossing[begin + shift + block * period];
        if (crossed < fewest) {
          fewest = crossed;
          best.begin = begin + shift;
        }
      }
    }
    alike = 0;
  }
  return best;
}

}  // namespace

Repetition longest_repetition(const std::vector<std::uint64_t>& tokens, const std::vector<int>& crossing) {
  Repetition best;
  for (std::size_t period = kShortest; period <= std::min(kLongest, tokens.size() / 2); ++period) {
    const Repetition found = of_period(tokens, crossing, period);
    if (found.times * found.period > best.times * best.period) best = found;
  }
  return best;
}

}  // namespace visq::report
