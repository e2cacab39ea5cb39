// The state of a sensitivity run as bytes: what was measured, for the same program on the same machine to go on with.
#include "analysis/trials/sensitivity_scores.h"
#include "analysis/trials/trial_codec.h"

namespace visq::analysis {
namespace {

constexpr std::string_view kHead = "visq.sensitivity.state/1\n";

}  // namespace

std::string SensitivityScores::state() const {
  PackWriter writer;
  writer.add_head(kHead);
  for (std::uint64_t trial = 0; trial < cells_.size(); ++trial) {
    for (std::uint64_t r = 0; r < records(); ++r) {
      if (!done(trial, r)) continue;
      const TrialRecord& cell = cells_[trial][r];
      writer.add(trial);
      writer.add(r);
      pack(writer, cell);
    }
  }
  return writer.take();
}

bool SensitivityScores::restore(std::string_view state) {
  if (!state.starts_with(kHead)) return false;
  PackReader reader(state.substr(kHead.size()));
  auto cells = cells_;
  while (!reader.at_end()) {
    std::uint64_t trial = 0, record = 0;
    if (!reader.get(trial) || !reader.get(record) || trial >= cells.size() || record >= records()) return false;
    if (!unpack(reader, outputs_, cells[trial][record])) return false;
  }
  cells_ = std::move(cells);
  return true;
}

}  // namespace visq::analysis
