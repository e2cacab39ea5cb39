// markdown: a summary that fits a comment on a pull request, whatever the models hold: names, rows and the whole are cut.
#include <fmt/core.h>

#include <algorithm>

#include "report/format.h"
#include "report/words/text.h"

namespace visq::report::format_markdown {
namespace {

constexpr std::size_t kListed = 20;           ///< rows of a table, lines of a list
constexpr std::size_t kLongest = 100;         ///< characters of a name or reason
constexpr std::size_t kWholeComment = 60000;  ///< bytes; code hosts take 65,536 characters

/// Foreign text as code that no Markdown reader takes for markup, a link, a mention or the end of a table's cell.
std::string code(std::string_view text) {
  const std::string shown = shortened(printable(text), kLongest);
  if (shown.empty()) return "";
  const bool edges = shown.front() != ' ' && shown.back() != ' ';
  if (edges && shown.find_first_of("`|\\<>&") == std::string::npos) return "`" + shown + "`";
  std::string out = "<code>";
  for (const char c : shown) {
    const bool plain =
        static_cast<unsigned char>(c) >= 0x80 || c == ' ' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    out += plain ? std::string(1, c) : fmt::format("&#{};", static_cast<int>(c));
  }
  return out + "</code>";
}

std::string text_of(const Piece& piece) { return piece.foreign ? code(piece.text) : piece.text; }

std::string text_of(const Line& line) {
  std::string out;
  for (const Piece& piece : line) out += text_of(piece);
  return out;
}

std::string rest(std::size_t all) { return all > kListed ? fmt::format("and {} more\n", all - kListed) : ""; }

std::string list(const std::vector<Line>& lines) {
  std::string out;
  for (std::size_t i = 0; i < std::min(lines.size(), kListed); ++i) out += "- " + text_of(lines[i]) + "\n";
  return lines.size() > kListed ? out + "- " + rest(lines.size()) : out;
}

std::string table(const ReviewTable& data) {
  std::string out = "|", rule = "|";
  for (std::size_t i = 0; i < data.titles.size(); ++i) {
    out += " " + data.titles[i] + " |";
    rule += i < data.numbers ? " --- |" : " ---: |";
  }
  out += "\n" + rule + "\n";
  for (std::size_t i = 0; i < std::min(data.rows.size(), kListed); ++i) {
    out += "|";
    for (const Piece& cell : data.rows[i]) out += " " + text_of(cell) + " |";
    out += "\n";
  }
  return data.rows.size() > kListed ? out + "\n" + rest(data.rows.size()) : out;
}

std::string section(const ReviewSection& part) {
  if (part.table.rows.empty() && part.items.empty() && part.remark.empty()) return "";
  std::string out = fmt::format("\n#### {}\n", part.title);
  if (!part.table.rows.empty()) out += "\n" + table(part.table);
  if (!part.items.empty()) out += "\n" + list(part.items);
  if (!part.remark.empty()) out += "\n" + part.remark + "\n";
  return out;
}

std::vector<OutputFile> write(const Review& review) {
  std::string text = "### " + text_of(review.title) + "\n\n" + text_of(review.subject) + "\n";
  if (review.passed) text += fmt::format("\n**{}**: {}\n", *review.passed ? "Passed" : "Failed", review.verdict);
  if (!review.failures.empty()) text += "\n" + list(review.failures);
  for (const ReviewSection& part : review.sections) {
    const std::string more = section(part);
    if (text.size() + more.size() <= kWholeComment) text += more;
  }
  return {{review.stem + ".md", text}};
}

}  // namespace

std::span<const FormatDef> definitions() {
  static const FormatDef def{{"markdown", "summary for a comment on a pull request", false}, by_review<write>, write};
  return {&def, 1};
}

}  // namespace visq::report::format_markdown
