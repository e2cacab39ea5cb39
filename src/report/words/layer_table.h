// The layer table: one row per node in graph order.
#pragma once

#include <string>
#include <vector>

#include "report/words/text_table.h"
#include "visq/compare.h"

namespace visq::report {

struct LayerTable {
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;
};

/// All columns, whether computed or not. `number` turns numbers into text; a metric that is undefined is an empty cell, one without any
/// error "inf". Names have control characters and broken UTF-8 made visible.
LayerTable layer_table(const CompareResult& result, std::string (*number)(double));

}  // namespace visq::report
