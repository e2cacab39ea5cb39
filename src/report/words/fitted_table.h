// Tables for terminals: columns give way by priority, then names are shortened.
#pragma once

#include <string>
#include <vector>

#include "report/words/text_table.h"

namespace visq::report {

struct FittedColumn {
  Column column;
  int priority = 0;   ///< the largest goes first; 0: never
  bool name = false;  ///< cells are shortened in their middle where that is needed
};

/// A text table at most `columns` wide, as far as columns of priority 0 allow. 0: nothing gives way.
std::string fitted_table(const std::vector<FittedColumn>& columns, const std::vector<std::vector<std::string>>& rows, std::size_t width);

}  // namespace visq::report
