// Text that comes from models, made fit for each kind of output, and numbers as text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace visq::report {

/// Valid UTF-8: every byte that is not part of a well-formed character becomes U+FFFD.
std::string valid_utf8(std::string_view text);

/// One line that no terminal obeys: valid UTF-8 with control characters (C0, DEL, C1) and line or direction marks written as \xNN or
/// \uNNNN.
std::string printable(std::string_view text);

/// Columns on a terminal, one per character.
std::size_t width(std::string_view utf8);

/// At most `columns` wide: a part gives way to "…", behind the first third, since the end of a tensor's name says most.
std::string shortened(const std::string& utf8, std::size_t columns);

/// The same for names that stand in one list, and are to be told apart there: a part that two of them do not have in common stays, as far
/// as any place for the "…" allows.
void shorten_apart(std::vector<std::string>& names, std::size_t columns);

/// Words of `utf8` in lines of at most `columns` (0: one line), of which all but the first begin with `indent` spaces; the first starts
/// behind `indent` columns too. A word that is longer stays whole.
std::string wrapped(std::string_view utf8, std::size_t columns, std::size_t indent);

/// "1 record", "3 records".
std::string plural(std::int64_t count, std::string_view thing);

/// Shortest text that reads back as the same double; "inf", "-inf", "nan".
std::string exact(double value);
/// Four significant digits.
std::string brief(double value);

/// <, >, & and " as entities, for Graphviz' HTML-like labels.
std::string escape_html(std::string_view utf8);

/// A word of a shell's command line, quoted only where that is needed.
std::string shell_word(std::string_view text);

}  // namespace visq::report
