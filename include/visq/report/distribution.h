// The result of distribution as pictures, a page, a table and JSON.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "visq/distribution.h"
#include "visq/report.h"

namespace visq::report {

/// One picture: histograms of the values before and after quantization and of their difference, and a box plot per channel.
std::string distribution_svg(const Distribution& distribution, std::int64_t records);

/// One SVG per tensor, and distribution.html with all of them.
std::vector<OutputFile> distribution_files(const DistributionResult& result);

/// Whether distribution_files() gives a picture such a name: "007-weight-conv1.svg".
bool is_distribution_picture(std::string_view file_name);

/// A line per tensor. `columns`: width of the terminal; 0: nothing is left out.
std::string distribution_text(const DistributionResult& result, std::size_t columns);

/// The document of schema/distribution.schema.json.
std::string distribution_json(const DistributionResult& result);

}  // namespace visq::report
