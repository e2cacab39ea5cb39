#include "report/words/text.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <set>

namespace visq::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD

/// A character and the bytes that it takes; no bytes where the text does not start with a well-formed character.
struct Character {
  std::uint32_t code = 0;
  std::size_t bytes = 0;
};

Character next_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i])); };
  const std::uint32_t lead = byte(0);
  if (lead < 0x80) return {lead, 1};
  const std::size_t bytes = lead >> 5 == 0x6 ? 2 : lead >> 4 == 0xE ? 3 : lead >> 3 == 0x1E ? 4 : 0;
  if (bytes == 0 || text.size() < bytes) return {};
  std::uint32_t code = lead & (0x7FU >> bytes);
  for (std::size_t i = 1; i < bytes; ++i) {
    if (byte(i) >> 6 != 0x2) return {};
    code = code << 6 | (byte(i) & 0x3FU);
  }
  constexpr std::uint32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (code < kSmallest[bytes] || code > 0x10FFFF || surrogate) return {};
  return {code, bytes};
}

/// Calls `visit(code, text)` for every character of the text; U+FFFD stands for what is none.
template <class Visit>
void for_each_character(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const Character character = next_character(text);
    if (character.bytes == 0) {
      visit(std::uint32_t{0xFFFD}, kReplacement);
      text.remove_prefix(1);
    } else {
      visit(character.code, text.substr(0, character.bytes));
      text.remove_prefix(character.bytes);
    }
  }
}

bool is_control(std::uint32_t code) { return code < 0x20 || (code >= 0x7F && code <= 0x9F); }

/// Line and paragraph separators, and marks that turn the direction of what follows.
bool is_layout_mark(std::uint32_t code) {
  return code == 0x2028 || code == 0x2029 || (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069) || code == 0xFEFF;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string out;
  for_each_character(text, [&](std::uint32_t, std::string_view bytes) { out += bytes; });
  return out;
}

std::string printable(std::string_view text) {
  std::string out;
  for_each_character(text, [&](std::uint32_t code, std::string_view bytes) {
    if (is_control(code)) {
      out += fmt::format("\\x{:02x}", code);
    } else if (is_layout_mark(code)) {
      out += fmt::format("\\u{:04x}", code);
    } else {
      out += bytes;
    }
  });
  return out;
}

std::size_t width(std::string_view utf8) {
  std::size_t count = 0;
  for_each_character(utf8, [&](std::uint32_t, std::string_view) { ++count; });
  return count;
}

namespace {

/// The first `head` characters, "…", and the last ones, `columns` in all.
std::string cut_behind(const std::string& utf8, std::size_t head, std::size_t columns) {
  const std::size_t all = width(utf8);
  if (all <= columns) return utf8;
  const std::size_t kept = columns > 0 ? columns - 1 : 0, tail = kept - head;
  std::string out;
  std::size_t position = 0;
  for_each_character(utf8, [&](std::uint32_t, std::string_view bytes) {
    if (position == head) out += "…";
    if (position < head || position >= all - tail) out += bytes;
    ++position;
  });
  return out;
}

/// Characters before the "…" where nothing speaks for another place.
std::size_t usual_head(std::size_t columns) { return columns > 0 ? (columns - 1) / 3 : 0; }

}  // namespace

std::string shortened(const std::string& utf8, std::size_t columns) { return cut_behind(utf8, usual_head(columns), columns); }

void shorten_apart(std::vector<std::string>& names, std::size_t columns) {
  const std::set<std::string> full(names.begin(), names.end());
  std::map<std::string, std::string> open, done;  // by full name: how it is cut so far; where that is unlike all others
  for (const std::string& name : full) open[name] = shortened(name, columns);
  for (std::size_t step = 0; !open.empty() && step < columns; ++step) {
    const std::size_t head = step == 0 ? usual_head(columns) : step - 1;
    std::map<std::string, int> uses;
    for (const std::string& name : full) ++uses[cut_behind(name, head, columns)];
    for (auto it = open.begin(); it != open.end();) {
      std::string cut = cut_behind(it->first, head, columns);
      if (uses[cut] > 1) {
        ++it;
        continue;
      }
      done[it->first] = std::move(cut);
      it = open.erase(it);
    }
  }
  done.merge(open);
  for (std::string& name : names) name = done.at(name);
}

std::string wrapped(std::string_view utf8, std::size_t columns, std::size_t indent) {
  std::string out;
  std::size_t column = indent;
  while (!utf8.empty()) {
    const std::size_t end = std::min(utf8.find(' '), utf8.size());
    const std::string_view word = utf8.substr(0, end);
    const std::size_t size = width(word);
    if (column > indent && columns > 0 && column + 1 + size > columns) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) out += ' ', ++column;
    out += word;
    column += size;
    utf8.remove_prefix(std::min(end + 1, utf8.size()));
  }
  return out;
}

std::string plural(std::int64_t count, std::string_view thing) { return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s"); }

std::string exact(double value) {
  if (std::isnan(value)) return "nan";  // never "-nan"
  return fmt::format("{}", value);
}

std::string brief(double value) {
  if (std::isnan(value)) return "nan";
  return fmt::format("{:.4g}", value);
}

std::string escape_html(std::string_view utf8) {
  std::string out;
  for (const char c : utf8) {
    switch (c) {
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '&':
        out += "&amp;";
        break;
      case '"':
        out += "&quot;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string shell_word(std::string_view text) {
  const auto plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           std::string_view("_-./+=:,@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return std::string(text);
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

}  // namespace visq::report
