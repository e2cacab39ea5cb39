// Where the boxes and arrows of a layered graph go.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "visq/status.h"

namespace visq::report {

/// A box; `x`, `y` are its centre, downwards, in the units of its size.
struct LaidOutBox {
  double width = 0, height = 0;
  double x = 0, y = 0;
};

/// An arrow between two boxes (indices). `path`: a start and cubic curves, x and y of each point.
struct LaidOutArrow {
  int from = 0, to = 0;
  std::vector<std::pair<double, double>> path;
};

struct GraphLayout {
  double width = 0, height = 0;
  std::vector<LaidOutBox> boxes;
  std::vector<LaidOutArrow> arrows;
};

/// Fills in the places, by Graphviz' `dot`: sources on top, arrows downwards. The same graph always gets the same picture.
/// Errors: kInternal where Graphviz fails, kUnsupported where this build has no Graphviz. Not to be
/// called from several threads at once.
Status lay_out(GraphLayout& graph);

std::string graphviz_version();  ///< "Graphviz 2.43.0"

}  // namespace visq::report
