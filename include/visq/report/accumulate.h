// The result of accumulate as text, table, picture and JSON.
#pragma once

#include <cstddef>
#include <string>

#include "visq/accumulate.h"

namespace visq::report {

/// "all but A,B" for what is kept float, else the words as typed.
std::string curve_label(const AccumulateCurve& curve);

/// "A, B and 3 more", as many members as `columns` take, the first always; nothing for a curve that its label says all of.
std::string members_text(const AccumulateCurve& curve, std::size_t columns);

/// A legend with every curve's members and its value at the output, then every node in graph order. `columns`: width of the terminal; 0:
/// a file.
std::string accumulate_text(const AccumulateResult& result, std::size_t columns);

/// Every node and metric, with all digits.
std::string accumulate_csv(const AccumulateResult& result);

/// One plot per metric, one line per curve.
std::string accumulate_svg(const AccumulateResult& result);

/// The document of schema/accumulate.schema.json.
std::string accumulate_json(const AccumulateResult& result);

}  // namespace visq::report
