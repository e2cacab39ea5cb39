// What `compare --origin` says on the terminal about where errors come from.
#pragma once

#include <string>
#include <vector>

#include "visq/compare.h"

namespace visq::report {

/// True where the comparison looked for the origin of errors.
bool has_origins(const CompareResult& result);

/// How many maps the table lists, of how many, and by what: "Where errors come from: 10 of 31 maps, …".
std::string origin_title(const CompareResult& result, std::size_t rows);

/// The `rows` maps that create most, at most `width` columns wide, and what its numbers are.
std::string origin_table(const CompareResult& result, std::size_t rows, std::size_t width);

/// The nodes that create most of the error of the model's outputs, in one sentence; empty where no output has an error.
std::string origin_sentence(const CompareResult& result);

/// Operators' maps that were compared but whose error has no known origin, one line each.
std::vector<std::string> origin_gaps(const CompareResult& result);

}  // namespace visq::report
