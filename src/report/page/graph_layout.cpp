#include "report/page/graph_layout.h"

#include <fmt/core.h>
#include <graphviz/gvc.h>
#include <graphviz/gvplugin.h>

#include <algorithm>
#include <memory>
#include <sstream>

#include "core/as_size.h"
#include "core/error.h"

extern "C" gvplugin_library_t gvplugin_dot_layout_LTX_library;  // of the library that the program is linked with

namespace visq::report {
namespace {

/// Graphviz measures positions in points, sizes in inches.
constexpr double kPointsPerInch = 72;

struct FreeContext {
  void operator()(GVC_t* context) const { gvFreeContext(context); }
};
using Context = std::unique_ptr<GVC_t, FreeContext>;

/// Graphviz with its layout engine `dot` and nothing else: it looks for no plugins, so none can be missing at run time.
Context make_context() {
  static const lt_symlist_t engines[] = {{"gvplugin_dot_layout_LTX_library", &gvplugin_dot_layout_LTX_library}, {nullptr, nullptr}};
  constexpr int kLoadNothing = 0;
  return Context(gvContextPlugins(engines, kLoadNothing));
}

struct CloseGraph {
  void operator()(Agraph_t* graph) const { agclose(graph); }
};
using Drawing = std::unique_ptr<Agraph_t, CloseGraph>;

/// Graphviz takes texts that it only reads as char*.
char* text(const char* constant) { return const_cast<char*>(constant); }

void set_default(Agraph_t* graph, int kind, const char* attribute, const char* value) { agattr(graph, kind, text(attribute), text(value)); }

/// The graph as Graphviz knows it: boxes without labels, so that no font matters.
Drawing make_graph(const GraphLayout& layout, std::vector<Agnode_t*>& nodes, std::vector<Agedge_t*>& edges) {
  Drawing graph(agopen(text("graph"), Agdirected, nullptr));
  set_default(graph.get(), AGRAPH, "nodesep", "0.25");
  set_default(graph.get(), AGRAPH, "ranksep", "0.35");
  set_default(graph.get(), AGNODE, "shape", "box");
  set_default(graph.get(), AGNODE, "fixedsize", "true");
  set_default(graph.get(), AGNODE, "label", "");
  set_default(graph.get(), AGNODE, "width", "1");
  set_default(graph.get(), AGNODE, "height", "0.5");
  set_default(graph.get(), AGEDGE, "arrowhead", "none");
  set_default(graph.get(), AGEDGE, "tailport", "s");
  set_default(graph.get(), AGEDGE, "headport", "n");
  for (std::size_t i = 0; i < layout.boxes.size(); ++i) {
    std::string name = fmt::format("{}", i);
    nodes.push_back(agnode(graph.get(), name.data(), 1));
    agset(nodes.back(), text("width"), fmt::format("{:.4f}", layout.boxes[i].width / kPointsPerInch).data());
    agset(nodes.back(), text("height"), fmt::format("{:.4f}", layout.boxes[i].height / kPointsPerInch).data());
  }
  for (const LaidOutArrow& arrow : layout.arrows) {
    edges.push_back(agedge(graph.get(), nodes[as_size(arrow.from)], nodes[as_size(arrow.to)], nullptr, 1));
  }
  return graph;
}

/// The numbers of an attribute such as "1.5,2 3,4".
std::vector<double> numbers(void* object, const char* attribute) {
  const char* value = agget(object, text(attribute));
  std::string list = value == nullptr ? "" : value;
  std::replace(list.begin(), list.end(), ',', ' ');
  std::istringstream stream(list);
  stream.imbue(std::locale::classic());
  std::vector<double> out;
  for (double number = 0; stream >> number;) out.push_back(number);
  return out;
}

/// Reads places back. Graphviz' y grows upwards.
Status take_places(Agraph_t* graph, const std::vector<Agnode_t*>& nodes, const std::vector<Agedge_t*>& edges, GraphLayout& layout) {
  const std::vector<double> box = numbers(graph, "bb");
  if (box.size() != 4) return internal_error("graph layout: Graphviz gave no bounding box");
  layout.width = box[2] - box[0];
  layout.height = box[3] - box[1];
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const std::vector<double> place = numbers(nodes[i], "pos");
    if (place.size() != 2) return internal_error("graph layout: Graphviz gave node {} no place", i);
    layout.boxes[i].x = place[0] - box[0];
    layout.boxes[i].y = box[3] - place[1];
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    const std::vector<double> points = numbers(edges[i], "pos");
    for (std::size_t p = 0; p + 1 < points.size(); p += 2) layout.arrows[i].path.emplace_back(points[p] - box[0], box[3] - points[p + 1]);
  }
  return {};
}

}  // namespace

Status lay_out(GraphLayout& layout) {
  if (layout.boxes.empty()) return {};
  agseterr(AGMAX);  // nothing on stderr: we say ourselves what went wrong
  const Context context = make_context();
  if (!context) return internal_error("graph layout: Graphviz does not start");
  std::vector<Agnode_t*> nodes;
  std::vector<Agedge_t*> edges;
  const Drawing graph = make_graph(layout, nodes, edges);
  if (gvLayout(context.get(), graph.get(), "dot") != 0) {
    return internal_error("graph layout: Graphviz' engine 'dot' gives up on {} boxes and {} arrows", layout.boxes.size(),
                          layout.arrows.size());
  }
  attach_attrs(graph.get());
  const Status taken = take_places(graph.get(), nodes, edges, layout);
  gvFreeLayout(context.get(), graph.get());
  return taken;
}

std::string graphviz_version() {
  const Context context = make_context();
  return context ? fmt::format("Graphviz {}", gvcVersion(context.get())) : "Graphviz (does not start)";
}

}  // namespace visq::report
