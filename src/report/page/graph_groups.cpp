#include "report/page/graph_groups.h"

#include <algorithm>
#include <cctype>
#include <map>

#include <fmt/core.h>

#include "core/as_size.h"

namespace visq::report {
namespace {

/// A level with more members than this is cut into stretches of about kStretch members.
constexpr std::size_t kLongLevel = 120, kStretch = 40;
/// Scopes deeper than this are one.
constexpr std::size_t kDeepest = 12;

/// The parts of a name that stand for scopes: "a/b/conv;a/b/relu" is in a and b. Names without slashes are split at dots.
std::vector<std::string> scopes(const std::string& name, char separator) {
  std::vector<std::string> out;
  const std::string first = name.substr(0, name.find(';'));
  std::string part;
  for (const char letter : first) {
    if (letter != separator) {
      part += letter;
      continue;
    }
    if (!part.empty()) out.push_back(part);
    if (out.size() == kDeepest) break;
    part.clear();
  }
  return out;
}

class Grouping {
 public:
  explicit Grouping(const Graph& graph) : graph_(graph) {}

  GroupedGraph make() {
    add_group(-1, NodeGroup::Kind::kRoot, "");
    made_.group_of_node.assign(graph_.nodes.size(), 0);
    const auto slashed = [](const GraphNode& node) { return !node.names.empty() && node.names.front().find('/') != std::string::npos; };
    separator_ = std::any_of(graph_.nodes.begin(), graph_.nodes.end(), slashed) ? '/' : '.';
    place_nodes();
    merge_small(0);
    find_readers();
    divide(0);
    number_patterns();
    finish();
    return std::move(made_);
  }

 private:
  int add_group(int parent, NodeGroup::Kind kind, std::string label) {
    made_.groups.push_back({kind, parent, std::move(label), {}, 0, -1});
    return static_cast<int>(made_.groups.size()) - 1;
  }
  NodeGroup& group(int index) { return made_.groups[as_size(index)]; }

  /// Every node into the group of its scopes, groups into each other as scopes are; inputs and outputs of the main subgraph stay outside.
  void place_nodes() {
    std::map<std::pair<int, std::string>, int> children;
    std::map<int, int> roots{{0, 0}};
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      const GraphNode& node = graph_.nodes[i];
      if (!roots.contains(node.subgraph)) {
        const std::string& name = graph_.subgraphs[as_size(node.subgraph)];
        const int made =
            add_group(0, NodeGroup::Kind::kSubgraph, fmt::format("subgraph {}{}{}", node.subgraph, name.empty() ? "" : " ", name));
        group(0).members.push_back(member_of_group(made));
        roots.emplace(node.subgraph, made);
      }
      int at = roots.at(node.subgraph);
      if (node.kind == GraphNode::Kind::kOperator && !node.names.empty()) {
        for (const std::string& scope : scopes(node.names.front(), separator_)) {
          const auto [found, fresh] = children.try_emplace({at, scope}, 0);
          if (fresh) {
            found->second = add_group(at, NodeGroup::Kind::kPrefix, scope);
            group(at).members.push_back(member_of_group(found->second));
          }
          at = found->second;
        }
      }
      group(at).members.push_back(static_cast<int>(i));
    }
  }

  /// Groups of one member give way to it; a scope that holds everything (a model's name) gives way to what it holds.
  void merge_small(int at) {
    std::vector<GroupMember> kept;
    for (const GroupMember member : group(at).members) {
      if (member >= 0) {
        kept.push_back(member);
        continue;
      }
      const int child = -1 - member;
      merge_small(child);
      NodeGroup& inner = group(child);
      if (inner.kind == NodeGroup::Kind::kPrefix && inner.members.size() == 1) {
        const GroupMember only = inner.members.front();
        if (only < 0) group(-1 - only).label = inner.label + "/" + group(-1 - only).label;
        kept.push_back(only);
      } else {
        kept.push_back(member);
      }
    }
    std::vector<GroupMember> opened;
    const auto groups = std::count_if(kept.begin(), kept.end(), [](GroupMember member) { return member < 0; });
    for (const GroupMember member : kept) {
      const bool all = member < 0 && at == 0 && groups == 1 && group(-1 - member).kind == NodeGroup::Kind::kPrefix;
      if (!all) {
        opened.push_back(member);
        continue;
      }
      const auto& inside = group(-1 - member).members;
      opened.insert(opened.end(), inside.begin(), inside.end());
    }
    group(at).members = std::move(opened);
  }

  void find_readers() {
    readers_.resize(graph_.nodes.size());
    for (std::size_t i = 0; i < graph_.nodes.size(); ++i) {
      for (const int from : graph_.nodes[i].inputs) readers_[as_size(from)].push_back(static_cast<int>(i));
    }
  }

  /// The nodes of a member, of all depths.
  void collect(GroupMember member, std::vector<int>& nodes) {
    if (member >= 0) return nodes.push_back(member);
    for (const GroupMember inner : group(-1 - member).members) collect(inner, nodes);
  }
  std::vector<int> nodes_of(GroupMember member) {
    std::vector<int> nodes;
    collect(member, nodes);
    std::sort(nodes.begin(), nodes.end());
    return nodes;
  }

  /// What a member is made of: operators in graph order, and which of them read each other.
  std::uint64_t structure(GroupMember member) {
    const std::vector<int> nodes = nodes_of(member);
    std::string text;
    for (const int node : nodes) {
      text += graph_.nodes[as_size(node)].op;
      for (const int from : graph_.nodes[as_size(node)].inputs) {
        const auto found = std::lower_bound(nodes.begin(), nodes.end(), from);
        const bool inside = found != nodes.end() && *found == from;
        text += inside ? fmt::format(" {}", found - nodes.begin()) : std::string(" .");
      }
      text += '\n';
    }
    return number_of(text);
  }
  /// The same text, the same number.
  std::uint64_t number_of(const std::string& text) { return numbers_.try_emplace(text, numbers_.size()).first->second; }

  /// In graph order; blocks and stretches inside of the level become groups; then the levels below.
  void divide(int at) {
    sort_members(at);
    divide_level(at);
    const std::vector<GroupMember> members = group(at).members;
    for (const GroupMember member : members) {
      if (member < 0) divide(-1 - member);
    }
  }
  void sort_members(int at) {
    std::vector<std::pair<int, GroupMember>> keyed;
    for (const GroupMember member : group(at).members) {
      const std::vector<int> nodes = nodes_of(member);
      keyed.emplace_back(nodes.empty() ? 0 : nodes.front(), member);
    }
    std::sort(keyed.begin(), keyed.end());
    for (std::size_t i = 0; i < keyed.size(); ++i) group(at).members[i] = keyed[i].second;
  }

  /// Arrows that pass from before place i of the level to i or behind it.
  std::vector<int> crossings(const std::vector<GroupMember>& members) {
    std::map<int, std::size_t> place_of;
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (const int node : nodes_of(members[i])) place_of[node] = i;
    }
    std::vector<int> change(members.size() + 2);
    for (const auto& [node, place] : place_of) {
      std::size_t last = place;
      for (const int reader : readers_[as_size(node)]) {
        const auto found = place_of.find(reader);
        if (found != place_of.end()) last = std::max(last, found->second);
      }
      if (last > place) ++change[place + 1], --change[last + 1];
    }
    std::vector<int> out;
    int crossing = 0;
    for (std::size_t i = 0; i <= members.size(); ++i) out.push_back(crossing += change[i]);
    return out;
  }

  void divide_level(int at) {
    const std::vector<GroupMember> members = group(at).members;
    const std::vector<int> crossing = crossings(members);
    std::vector<std::uint64_t> tokens;
    for (const GroupMember member : members) tokens.push_back(token(member));
    const auto blocks = find_blocks(tokens, crossing);
    std::vector<GroupMember> level;
    std::vector<int> level_crossing;
    std::size_t next = 0;
    for (const auto& [begin, end] : blocks) {
      for (; next < begin; ++next) level.push_back(members[next]), level_crossing.push_back(crossing[next]);
      level_crossing.push_back(crossing[begin]);
      level.push_back(bundle(at, NodeGroup::Kind::kBlock,
                             {members.begin() + static_cast<std::ptrdiff_t>(begin), members.begin() + static_cast<std::ptrdiff_t>(end)}));
      next = end;
    }
    for (; next < members.size(); ++next) level.push_back(members[next]), level_crossing.push_back(crossing[next]);
    if (level.size() > kLongLevel) level = stretches(at, level, level_crossing);
    group(at).members = std::move(level);
  }

  /// Inputs and outputs are in no block; neither are other subgraphs.
  std::uint64_t token(GroupMember member) {
    const bool operators = member >= 0 ? graph_.nodes[as_size(member)].kind == GraphNode::Kind::kOperator
                                       : group(-1 - member).kind != NodeGroup::Kind::kSubgraph;
    return operators ? structure(member) : number_of(fmt::format("only {}", member));
  }

  /// The longest repetition of the level, then those before and behind it, and so on.
  static std::vector<std::pair<std::size_t, std::size_t>> find_blocks(const std::vector<std::uint64_t>& tokens,
                                                                      const std::vector<int>& crossing) {
    std::vector<std::pair<std::size_t, std::size_t>> blocks, open{{0, tokens.size()}};
    while (!open.empty()) {
      const auto [begin, end] = open.back();
      open.pop_back();
      const auto part = [from = begin](const auto& list, std::size_t last) {
        return std::decay_t<decltype(list)>(list.begin() + static_cast<std::ptrdiff_t>(from),
                                            list.begin() + static_cast<std::ptrdiff_t>(last));
      };
      const Repetition found = longest_repetition(part(tokens, end), part(crossing, end + 1));
      if (found.times == 0) continue;
      const std::size_t first = begin + found.begin, last = first + found.period * found.times;
      for (std::size_t at = first; at < last; at += found.period) blocks.emplace_back(at, at + found.period);
      open.emplace_back(begin, first);
      open.emplace_back(last, end);
    }
    std::sort(blocks.begin(), blocks.end());
    return blocks;
  }

  GroupMember bundle(int parent, NodeGroup::Kind kind, std::vector<GroupMember> members) {
    const int made = add_group(parent, kind, "");
    group(made).members = std::move(members);
    return member_of_group(made);
  }

  /// Cuts where fewest arrows cross, at about every kStretch-th member.
  std::vector<GroupMember> stretches(int at, const std::vector<GroupMember>& level, const std::vector<int>& crossing) {
    std::vector<GroupMember> out;
    for (std::size_t begin = 0; begin < level.size();) {
      std::size_t end = level.size();
      if (end - begin > kStretch * 3 / 2) {
        end = begin + kStretch / 2;
        for (std::size_t i = end; i <= begin + kStretch * 3 / 2 && i < level.size(); ++i) {
          const auto off = [&](std::size_t place) {
            return place > begin + kStretch ? place - begin - kStretch : begin + kStretch - place;
          };
          if (std::pair(crossing[i], off(i)) < std::pair(crossing[end], off(end))) end = i;
        }
      }
      out.push_back(bundle(at, NodeGroup::Kind::kStretch,
                           {level.begin() + static_cast<std::ptrdiff_t>(begin), level.begin() + static_cast<std::ptrdiff_t>(end)}));
      begin = end;
    }
    return out;
  }

  void number_patterns() {
    std::map<std::uint64_t, std::vector<int>> alike;
    std::vector<std::uint64_t> order;
    visit(0, [&](int index) {
      const auto kind = group(index).kind;
      if (kind != NodeGroup::Kind::kPrefix && kind != NodeGroup::Kind::kBlock) return;
      const std::uint64_t key = structure(member_of_group(index));
      if (alike[key].empty()) order.push_back(key);
      alike[key].push_back(index);
    });
    int pattern = 0;
    for (const std::uint64_t key : order) {
      if (alike[key].size() < 2) continue;
      for (const int index : alike[key]) group(index).pattern = pattern;
      ++pattern;
    }
  }

  template <class Visit>
  void visit(int at, const Visit& see) {
    if (at != 0) see(at);
    const std::vector<GroupMember> members = group(at).members;
    for (const GroupMember member : members) {
      if (member < 0) visit(-1 - member, see);
    }
  }

  /// Drops groups that gave way, counts leaves, sets parents, and labels what has no scope of its own.
  void finish() {
    std::vector<int> kept{0};
    visit(0, [&](int index) { kept.push_back(index); });
    std::map<int, int> renumbered;
    for (std::size_t i = 0; i < kept.size(); ++i) renumbered[kept[i]] = static_cast<int>(i);
    std::vector<NodeGroup> groups;
    for (const int index : kept) {
      NodeGroup each = group(index);
      const std::vector<int> nodes = nodes_of(member_of_group(index));
      each.leaves = static_cast<int>(nodes.size());
      if (each.label.empty() && each.kind != NodeGroup::Kind::kRoot) each.label = label_of(nodes);
      groups.push_back(std::move(each));
    }
    for (std::size_t i = 0; i < groups.size(); ++i) {
      for (GroupMember& member : groups[i].members) {
        if (member >= 0) {
          made_.group_of_node[as_size(member)] = static_cast<int>(i);
        } else {
          const int child = renumbered.at(-1 - member);
          groups[as_size(child)].parent = static_cast<int>(i);
          member = member_of_group(child);
        }
      }
    }
    made_.groups = std::move(groups);
  }

  /// What the names of all nodes begin with; else which operators they are.
  std::string label_of(const std::vector<int>& nodes) const {
    std::string common;
    const GraphNode& first = graph_.nodes[as_size(nodes.front())];
    if (!first.names.empty()) common = first.names.front();
    for (const int index : nodes) {
      const GraphNode& node = graph_.nodes[as_size(index)];
      const std::string name = node.names.empty() ? "" : node.names.front();
      const auto differs = std::mismatch(common.begin(), common.end(), name.begin(), name.end()).first;
      common.erase(differs, common.end());
    }
    const auto letter = [](unsigned char each) { return std::isalnum(each) != 0; };
    const auto digit = [](unsigned char each) { return std::isdigit(each) != 0; };
    // "block_1" of "block_12" and "block_13" would mislead.
    while (!common.empty() && (digit(static_cast<unsigned char>(common.back())) || !letter(static_cast<unsigned char>(common.back())))) {
      const bool whole = !letter(static_cast<unsigned char>(common.back()));
      common.pop_back();
      if (whole && !common.empty() && letter(static_cast<unsigned char>(common.back()))) break;
    }
    common = common.substr(common.find_last_of('/') + 1);
    const std::string range = fmt::format("{}–{}", first.index, graph_.nodes[as_size(nodes.back())].index);
    constexpr std::size_t kTelling = 4;
    return common.size() >= kTelling ? common + " (" + range + ")" : "operators " + range;
  }

  const Graph& graph_;
  GroupedGraph made_;
  std::vector<std::vector<int>> readers_;
  std::map<std::string, std::uint64_t> numbers_;
  char separator_ = '/';
};

}  // namespace

GroupedGraph group_nodes(const Graph& graph) { return Grouping(graph).make(); }

}  // namespace visq::report
