#include "report/words/text_table.h"

#include <algorithm>
#include <cstddef>
#include <string_view>

#include "report/words/text.h"

namespace visq::report {
namespace {

/// Cells beyond it stick out of their column: one name of a megabyte would otherwise make every line as long.
constexpr std::size_t kWidestPadded = 1000;

void widen(std::size_t& column, std::size_t cell) {
  if (cell <= kWidestPadded) column = std::max(column, cell);
}

/// One line; the last column is not padded unless it is aligned to the right.
void add_line(std::string& out, const std::vector<Column>& columns, const std::vector<std::size_t>& widths,
              const std::vector<std::string>& cells) {
  std::string line;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const std::size_t taken = width(cells[i]);
    const std::string padding(widths[i] - std::min(widths[i], taken), ' ');
    if (i > 0) line += "  ";
    line += columns[i].right ? padding + cells[i] : cells[i] + padding;
  }
  line.erase(line.find_last_not_of(' ') + 1);
  out += line + "\n";
}

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20; }

std::string csv_cell(const std::string& text, bool number) {
  const bool formula =
      !number && !text.empty() && (std::string_view("=+-@").find(text[0]) != std::string_view::npos || is_control(text[0]));
  std::string cell(formula ? 1 : 0, '\'');
  cell += text;
  if (cell.find_first_of(",\"\r\n") == std::string::npos) return cell;
  std::string quoted = "\"";
  for (const char c : cell) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

}  // namespace

std::string text_table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::string> titles;
  for (const Column& column : columns) titles.push_back(column.title);
  std::vector<std::size_t> widths;
  for (const std::string& title : titles) widths.push_back(width(title));
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) widen(widths[i], width(row[i]));
  }
  std::string out;
  add_line(out, columns, widths, titles);
  for (const auto& row : rows) add_line(out, columns, widths, row);
  return out;
}

std::string csv_table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows) {
  std::string out;
  const auto add_cell = [&](std::size_t column, const std::string& text, bool number) {
    out += csv_cell(text, number);
    out += column + 1 < columns.size() ? ',' : '\n';
  };
  for (std::size_t i = 0; i < columns.size(); ++i) add_cell(i, columns[i].title, false);
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < columns.size(); ++i) add_cell(i, row[i], columns[i].right);
  }
  return out;
}

}  // namespace visq::report
