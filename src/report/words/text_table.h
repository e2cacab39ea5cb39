// Tables of aligned columns for text files and terminals.
#pragma once

#include <string>
#include <vector>

namespace visq::report {

struct Column {
  std::string title;
  bool right = false;  ///< numbers are aligned to the right
};

/// Lines of cells padded to the width of their columns, two spaces between columns, no trailing spaces.
std::string text_table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows);

/// RFC 4180 lines. Cells that need it are quoted. Words that a spreadsheet would take for a formula (starting with = + - @ or a
/// control character) get an apostrophe in front; numbers stay as they are.
std::string csv_table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows);

}  // namespace visq::report
