// The result of recommend as text, JSON and picture.
#pragma once

#include <cstddef>
#include <string>

#include "visq/recommend.h"

namespace visq::report {

/// Repairs, then the front with the chosen set. `columns`: width of the terminal; 0: a file, in which every set is spelled out.
std::string recommend_text(const RecommendResult& result, std::size_t columns);

/// The document of schema/recommend.schema.json.
std::string recommend_json(const RecommendResult& result);

/// SQNR over added bytes (of weights and feature maps; left of 0: saved), as predicted and as simulated, the chosen point marked.
std::string recommend_svg(const RecommendResult& result);

}  // namespace visq::report
