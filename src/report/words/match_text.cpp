#include "report/words/match_text.h"

#include <fmt/core.h>

namespace visq::report {

std::string how_paired(const MatchReport& match) {
  std::string text = fmt::format("{} by name, {} by structure", match.by_name, match.by_structure);
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count > 0) text += fmt::format(", {} {}", count, what);
  };
  add(static_cast<std::size_t>(match.by_weights), "by weights");
  add(static_cast<std::size_t>(match.by_maps), "by values");
  add(static_cast<std::size_t>(match.by_user), "as told");
  text += fmt::format("; {} unpaired", match.unpaired.size());
  add(match.doubtful.size(), "doubtful");
  return text;
}

std::string evidence_text(const MapComparison& map) {
  std::string text(name(map.paired_by));
  if (map.paired_by == PairedBy::kWeights && map.weight_likeness) text += fmt::format(" (cosine {:.3f})", *map.weight_likeness);
  if (map.paired_by == PairedBy::kMaps && map.map_correlation) text += fmt::format(" (correlation {:.2f})", *map.map_correlation);
  return text;
}

}  // namespace visq::report
