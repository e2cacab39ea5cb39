// Deep chains as columns side by side.
#pragma once

#include "report/page/graph_layout.h"

namespace visq::report {

/// Cuts a laid out graph that is much deeper than wide where no box and few arrows are in the way, and puts the parts beside each other,
/// from left to right, about as wide as a screen. Arrows into another column go up between the columns. Others stay as they are.
void fold_into_columns(GraphLayout& graph);

}  // namespace visq::report
