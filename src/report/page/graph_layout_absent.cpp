// In place of graph_layout.cpp where the build leaves Graphviz out.
#include "core/error.h"
#include "report/page/graph_layout.h"

namespace visq::report {

Status lay_out(GraphLayout&) { return unsupported("graph layout: this visqerror was built without Graphviz (VISQ_WITH_GRAPHVIZ)"); }

std::string graphviz_version() { return "Graphviz is not in this build (VISQ_WITH_GRAPHVIZ)"; }

}  // namespace visq::report
