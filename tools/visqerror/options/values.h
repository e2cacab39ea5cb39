// Values of options: words of the command line turned into numbers, names and ranges. Errors are kUsage and name the option.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "visq/metrics.h"
#include "visq/mode.h"
#include "visq/post_process.h"
#include "visq/run.h"
#include "visq/status.h"
#include "visqerror/terminal/console.h"

namespace visq::tool {

/// A whole number in [low, high].
Result<std::int64_t> parse_integer(const std::string& option, const std::string& text, std::int64_t low, std::int64_t high);

/// An amount of memory: 512M, 2G …; 0 for an empty text.
Result<std::uint64_t> parse_memory(const std::string& option, const std::string& text);

/// A finite number.
Result<double> parse_number(const std::string& option, const std::string& text);

/// Seconds of a time: 90s, 2m, 1.5h; a number alone is seconds.
Result<double> parse_duration(const std::string& option, const std::string& text);

/// --records: the first N, or [A, B), or the K worst. Neither set: all.
struct RecordSelection {
  std::optional<RecordRange> range;
  std::int64_t worst = 0;
};
Result<RecordSelection> parse_records(const std::string& text);

/// The selected records of `count` that there are: partly outside is clamped with a warning; wholly outside is kBadInput.
Result<RecordRange> clamp_records(const RecordSelection& selection, std::int64_t count, const std::string& data, const Console& console);

/// A metric by its name.
Result<Metric> parse_metric(const std::string& option, const std::string& name);

/// --post; kNone where it is not given.
Result<PostProcess> parse_post(const std::string& text);

/// "fp32", "fake-quant" or "integer".
Result<Mode> parse_mode(const std::string& option, const std::string& text);

}  // namespace visq::tool
