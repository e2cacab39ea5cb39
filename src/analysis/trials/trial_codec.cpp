#include "analysis/trials/trial_codec.h"

namespace visq::analysis {

void pack(PackWriter& writer, const TrialRecord& record) {
  writer.add(record.steps);
  for (const OutputRecord& output : record.outputs) {
    writer.add(output.stats);
    writer.add(output.differing);
    writer.add(output.non_finite);
    writer.add(static_cast<std::uint8_t>(output.integer ? 1 : 0));
    writer.add_text(output.not_compared);
  }
}

bool unpack(PackReader& reader, std::size_t outputs, TrialRecord& record) {
  if (!reader.get(record.steps)) return false;
  record.outputs.resize(outputs);
  for (OutputRecord& output : record.outputs) {
    std::uint8_t integer = 0;
    if (!reader.get(output.stats) || !reader.get(output.differing) || !reader.get(output.non_finite) || !reader.get(integer) ||
        !reader.get_text(output.not_compared)) {
      return false;
    }
    output.integer = integer != 0;
  }
  return true;
}

}  // namespace visq::analysis
