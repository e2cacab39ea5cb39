#include "report/page/graph_columns.h"

#include <algorithm>
#include <cmath>

#include "core/as_size.h"

namespace visq::report {
namespace {

/// Width by height of the part of a screen that shows the graph.
constexpr double kScreen = 1.8;
/// Graphs no higher than this are read as they are.
constexpr double kReadable = 900;
/// Between columns; arrows go up there.
constexpr double kAisle = 44;
/// How far arrows go straight on before they turn into the aisle.
constexpr double kTurn = 16;
/// A cut is looked for this far around where it would ideally be, in parts of a column's height.
constexpr double kReach = 0.2;

double top(const LaidOutBox& box) { return box.y - box.height / 2; }
double bottom(const LaidOutBox& box) { return box.y + box.height / 2; }

/// Heights between two boxes where no box is, ascending.
std::vector<double> free_heights(const GraphLayout& graph) {
  std::vector<const LaidOutBox*> boxes;
  for (const LaidOutBox& box : graph.boxes) boxes.push_back(&box);
  std::sort(boxes.begin(), boxes.end(), [](const auto* a, const auto* b) { return top(*a) < top(*b); });
  std::vector<double> found;
  double reached = boxes.empty() ? 0 : bottom(*boxes.front());
  for (const LaidOutBox* box : boxes) {
    if (top(*box) > reached) found.push_back((reached + top(*box)) / 2);
    reached = std::max(reached, bottom(*box));
  }
  return found;
}

int arrows_across(const GraphLayout& graph, double height) {
  return static_cast<int>(std::count_if(graph.arrows.begin(), graph.arrows.end(), [&](const LaidOutArrow& arrow) {
    return graph.boxes[as_size(arrow.from)].y < height && graph.boxes[as_size(arrow.to)].y > height;
  }));
}

/// Where the columns end, but for the last.
std::vector<double> cuts(const GraphLayout& graph, int columns) {
  const std::vector<double> free = free_heights(graph);
  const double each = graph.height / columns;
  std::vector<double> out;
  for (int i = 1; i < columns; ++i) {
    const double ideal = i * each;
    const auto cost = [&](double height) { return arrows_across(graph, height) + std::abs(height - ideal) / each; };
    const auto first = std::lower_bound(free.begin(), free.end(), ideal - kReach * each);
    const auto last = std::upper_bound(first, free.end(), ideal + kReach * each);
    if (first == last) continue;
    out.push_back(*std::min_element(first, last, [&](double a, double b) { return cost(a) < cost(b); }));
  }
  return out;
}

/// A part of the graph, and how far it moves.
struct NodeColumn {
  double from = 0, left = 0, right = 0, by_x = 0, by_y = 0;
};

std::vector<NodeColumn> columns_of(const GraphLayout& graph, const std::vector<double>& cuts) {
  std::vector<NodeColumn> columns(cuts.size() + 1);
  double place = 0;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    NodeColumn& column = columns[i];
    column.from = i == 0 ? 0 : cuts[i - 1];
    const double to = i < cuts.size() ? cuts[i] : graph.height;
    double left = graph.width, right = 0, first = to;
    for (const LaidOutBox& box : graph.boxes) {
      if (box.y < column.from || box.y > to) continue;
      left = std::min(left, box.x - box.width / 2);
      right = std::max(right, box.x + box.width / 2);
      first = std::min(first, top(box));
    }
    for (const LaidOutArrow& arrow : graph.arrows) {
      if (graph.boxes[as_size(arrow.from)].y < column.from || graph.boxes[as_size(arrow.to)].y > to) continue;
      for (const auto& [x, y] : arrow.path) {
        left = std::min(left, x);
        right = std::max(right, x);
      }
    }
    column.by_x = place - left;
    column.by_y = i == 0 ? 0 : kTurn - first;
    column.left = place;
    column.right = place + std::max(0.0, right - left);
    place = column.right + kAisle;
  }
  return columns;
}

std::size_t column_at(const std::vector<NodeColumn>& columns, double y) {
  std::size_t at = 0;
  while (at + 1 < columns.size() && y > columns[at + 1].from) ++at;
  return at;
}

/// Down, over into the aisle left of the target, up, and over to the target.
std::vector<std::pair<double, double>> through_aisle(const LaidOutBox& from, const LaidOutBox& to, double aisle) {
  const double start = bottom(from), low = start + kTurn, end = top(to), high = end - kTurn / 2;
  return {{from.x, start},       {from.x, low},         {aisle, low},  {aisle, start - kTurn}, {aisle, start - kTurn},
          {aisle, high + kTurn}, {aisle, high + kTurn}, {aisle, high}, {to.x, high},           {to.x, end}};
}

void move(GraphLayout& graph, const std::vector<NodeColumn>& columns) {
  std::vector<std::size_t> column_of;
  for (LaidOutBox& box : graph.boxes) {
    column_of.push_back(column_at(columns, box.y));
    box.x += columns[column_of.back()].by_x;
    box.y += columns[column_of.back()].by_y;
  }
  for (LaidOutArrow& arrow : graph.arrows) {
    const std::size_t from = column_of[as_size(arrow.from)], to = column_of[as_size(arrow.to)];
    if (from != to) {
      arrow.path = through_aisle(graph.boxes[as_size(arrow.from)], graph.boxes[as_size(arrow.to)], columns[to].left - kAisle / 2);
      continue;
    }
    for (auto& [x, y] : arrow.path) {
      x += columns[from].by_x;
      y += columns[from].by_y;
    }
  }
  graph.width = columns.back().right;
  graph.height = 0;
  for (const LaidOutBox& box : graph.boxes) graph.height = std::max(graph.height, bottom(box) + kTurn);
}

}  // namespace

void fold_into_columns(GraphLayout& graph) {
  if (graph.height < kReadable) return;
  const int columns = static_cast<int>(std::lround(std::sqrt(graph.height * kScreen / (graph.width + kAisle))));
  if (columns < 2) return;
  const std::vector<double> found = cuts(graph, columns);
  if (!found.empty()) move(graph, columns_of(graph, found));
}

}  // namespace visq::report
