// Makes Errors from a format string: `return bad_input("{}: no group '{}'", path, name);`
#pragma once

#include <fmt/core.h>

#include "visq/status.h"

namespace visq {

template <class... Args>
Error usage_error(fmt::format_string<Args...> text, Args&&... args) {
  return {Reason::kUsage, fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Error bad_input(fmt::format_string<Args...> text, Args&&... args) {
  return {Reason::kBadInput, fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Error unsupported(fmt::format_string<Args...> text, Args&&... args) {
  return {Reason::kUnsupported, fmt::format(text, std::forward<Args>(args)...)};
}
template <class... Args>
Error internal_error(fmt::format_string<Args...> text, Args&&... args) {
  return {Reason::kInternal, fmt::format(text, std::forward<Args>(args)...)};
}

}  // namespace visq
