#include "report/page/html_graph.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/as_size.h"
#include "core/error.h"
#include "report/page/graph_columns.h"
#include "report/page/graph_groups.h"
#include "report/page/graph_layout.h"
#include "report/words/text.h"

namespace visq::report {
namespace {

constexpr std::size_t kLabelColumns = 26;
constexpr double kColumnWidth = 6.6, kBoldWidth = 7.9, kBoxHeight = 34, kBoxMargin = 14;
/// Signs before and behind a group's label.
constexpr double kGroupMargin = 44;
/// Room for "1,000 nodes · 1 of 100 alike".
constexpr double kGroupWidth = 158;

Json whole(double value) { return std::lround(value); }

/// An arrow of a level, between members; the level's own group stands for what is outside.
using LevelArrow = std::pair<GroupMember, GroupMember>;

/// Which arrows each group draws: those between its members, and those that come from outside or leave.
std::vector<std::set<LevelArrow>> level_arrows(const Graph& graph, const GroupedGraph& grouped) {
  std::vector<std::set<LevelArrow>> out(grouped.groups.size());
  const auto chain = [&](int node) {
    std::vector<int> groups;
    for (int at = grouped.group_of_node[as_size(node)]; at >= 0; at = grouped.groups[as_size(at)].parent) {
      groups.push_back(at);
    }
    std::reverse(groups.begin(), groups.end());
    return groups;
  };
  /// The member of the group at `depth` of a chain that leads to the node.
  const auto member = [](const std::vector<int>& groups, std::size_t depth, int node) {
    return depth + 1 < groups.size() ? member_of_group(groups[depth + 1]) : node;
  };
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const int to = static_cast<int>(i);
    const std::vector<int> inner = chain(to);
    for (const int from : graph.nodes[i].inputs) {
      const std::vector<int> outer = chain(from);
      std::size_t common = 0;
      while (common + 1 < std::min(inner.size(), outer.size()) && inner[common + 1] == outer[common + 1]) ++common;
      out[as_size(inner[common])].emplace(member(outer, common, from), member(inner, common, to));
      for (std::size_t d = common + 1; d < outer.size(); ++d) {
        out[as_size(outer[d])].emplace(member(outer, d, from), member_of_group(outer[d]));
      }
      for (std::size_t d = common + 1; d < inner.size(); ++d) {
        out[as_size(inner[d])].emplace(member_of_group(inner[d]), member(inner, d, to));
      }
    }
  }
  return out;
}

double box_width(const GraphNode& node) {
  const std::string label = node.names.empty() ? "" : shortened(valid_utf8(node.names.front()), kLabelColumns);
  return std::max(static_cast<double>(width(label)) * kColumnWidth, static_cast<double>(width(valid_utf8(node.op))) * kBoldWidth) +
         kBoxMargin;
}

double box_width(const NodeGroup& group) {
  return std::max(kGroupWidth, static_cast<double>(width(shortened(valid_utf8(group.label), kLabelColumns))) * kBoldWidth + kGroupMargin);
}

class LaidOutGraph {
 public:
  LaidOutGraph(const Graph& graph, const GroupedGraph& grouped)
      : graph_(graph), grouped_(grouped), nodes_(Json::array()), edges_(Json::array()) {
    for (const GraphNode& node : graph.nodes) {
      nodes_.push_back({json_string(node.op), node.names.empty() ? Json("") : json_string(node.names.front()), 0, 0, 0, 0});
    }
    constexpr const char* kKinds[] = {"root", "subgraph", "prefix", "block", "stretch"};
    for (const NodeGroup& group : grouped.groups) {
      groups_.push_back({{"label", json_string(shortened(valid_utf8(group.label), kLabelColumns))},
                         {"kind", kKinds[as_size(group.kind)]},
                         {"parent", group.parent},
                         {"leaves", group.leaves},
                         {"pattern", group.pattern},
                         {"box", {0, 0, 0}}});
    }
  }

  /// Lays out what a group holds.
  Status add_level(int index, const std::set<LevelArrow>& arrows) {
    const NodeGroup& group = grouped_.groups[as_size(index)];
    const GroupMember border = member_of_group(index);
    GraphLayout layout;
    std::map<GroupMember, int> box_of;
    for (const GroupMember member : group.members) {
      box_of[member] = static_cast<int>(layout.boxes.size());
      layout.boxes.push_back({width_of(member), kBoxHeight});
    }
    const int entry = static_cast<int>(layout.boxes.size()), exit = entry + 1;
    const bool entered = std::any_of(arrows.begin(), arrows.end(), [&](const LevelArrow& arrow) { return arrow.first == border; });
    const bool left = std::any_of(arrows.begin(), arrows.end(), [&](const LevelArrow& arrow) { return arrow.second == border; });
    if (entered || left) layout.boxes.resize(layout.boxes.size() + 2, {2, 2});
    for (const auto& [from, to] : arrows) {
      layout.arrows.push_back({from == border ? entry : box_of.at(from), to == border ? exit : box_of.at(to), {}});
    }
    VISQ_TRY(lay_out(layout));
    fold_into_columns(layout);
    for (const auto& [member, box] : box_of) put(member, layout.boxes[as_size(box)]);
    groups_[as_size(index)]["size"] = {whole(layout.width), whole(layout.height)};
    auto path = layout.arrows.begin();
    for (const auto& [from, to] : arrows) add_edge(index, from, to, *path++);
    return {};
  }

  Json take() {
    Json groups = Json::array();
    for (Json& group : groups_) groups.push_back(std::move(group));
    return {{"height", kBoxHeight},
            {"subgraphs", graph_.subgraphs.size()},
            {"nodes", std::move(nodes_)},
            {"groups", std::move(groups)},
            {"edges", std::move(edges_)}};
  }

 private:
  double width_of(GroupMember member) const {
    return member >= 0 ? box_width(graph_.nodes[as_size(member)]) : box_width(grouped_.groups[as_size(-1 - member)]);
  }
  void put(GroupMember member, const LaidOutBox& box) {
    if (member < 0) {
      groups_[as_size(-1 - member)]["box"] = {whole(box.x), whole(box.y), whole(box.width)};
      return;
    }
    Json& node = nodes_[as_size(member)];
    node[2] = whole(box.x);
    node[3] = whole(box.y);
    node[4] = whole(box.width);
    node[5] = grouped_.group_of_node[as_size(member)];
  }
  void add_edge(int level, GroupMember from, GroupMember to, const LaidOutArrow& arrow) {
    Json path = Json::array();
    for (const auto& [x, y] : arrow.path) {
      path.push_back(whole(x));
      path.push_back(whole(y));
    }
    edges_.push_back({level, from, to, std::move(path)});
  }

  const Graph& graph_;
  const GroupedGraph& grouped_;
  Json nodes_, edges_;
  std::vector<Json> groups_;
};

}  // namespace

Json html_graph(const Graph& graph) {
  const GroupedGraph grouped = group_nodes(graph);
  const auto arrows = level_arrows(graph, grouped);
  LaidOutGraph made(graph, grouped);
  for (std::size_t i = 0; i < grouped.groups.size(); ++i) {
    const Status placed = made.add_level(static_cast<int>(i), arrows[i]);
    if (placed.ok()) continue;
    return {{"error", placed.error().message}, {"height", kBoxHeight},    {"subgraphs", graph.subgraphs.size()},
            {"nodes", Json::array()},          {"groups", Json::array()}, {"edges", Json::array()}};
  }
  return made.take();
}

}  // namespace visq::report

namespace visq {

Status can_draw_graphs() {
  report::GraphLayout smallest;
  smallest.boxes.push_back({1, 1});
  return report::lay_out(smallest);
}

}  // namespace visq
