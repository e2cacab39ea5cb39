// What messages look like: one line that fits a screen and cannot steer it, whatever names it quotes.
#pragma once

#include <string>
#include <string_view>

#include "report/words/text.h"

namespace visq::tool {

inline std::string readable(std::string_view message) {
  constexpr std::size_t kLongest = 4096;  // characters; a name in a file may have a megabyte
  return report::shortened(report::printable(message), kLongest);
}

}  // namespace visq::tool
