// The graph as the page's script draws it: groups, and where everything lies in each of them.
#pragma once

#include "report/json/json_text.h"
#include "visq/graph.h"

namespace visq::report {

/// {"nodes": [[operator, name, x, y, width, group]…], parallel to graph.nodes;
///  "groups": [{label, kind, parent, leaves, pattern, box: [x, y, width], size: [width, height]}…], the first is the root;
///  "edges": [[group, from, to, [x, y…]]…], "height": of every box, "subgraphs": how many}.
/// Places are centres, downwards, in the coordinates of the group around. `from` and `to` name nodes (≥ 0) and closed groups (-1 - index);
/// the group around itself stands for its own border, on whose top the arrows from outside enter and from whose bottom they leave. Where
/// the graph cannot be laid out, it has no nodes, and "error" says why.
Json html_graph(const Graph& graph);

}  // namespace visq::report
