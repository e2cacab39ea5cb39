// The result of profile as tables, files and JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "visq/profile.h"
#include "visq/report.h"

namespace visq::report {

/// For the terminal: outputs of every operator, with times the slowest operators. `columns`: its width.
std::string profile_text(const ProfileResult& result, std::size_t columns);

/// statistic.txt/.csv of the first model, quantized_statistic of the second, weights of a pair, channels and time on demand. An empty
/// result gives the names of the files to come for `models` models.
std::vector<OutputFile> profile_files(const ProfileResult& result, std::size_t models, bool per_channel, bool time);

/// The document of schema/profile.schema.json.
std::string profile_json(const ProfileResult& result);

}  // namespace visq::report
