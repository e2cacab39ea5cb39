// Makes Errors from a format string: `return bad_input("{}: no group '{}'", path, name);`
#pragma once

#include <fmt/core.h>

#include "visq/status.h"

namespace visq {

[[gnu::cold]] Error error_of(Reason reason, fmt::string_view text, fmt::format_args values);

template <class... Args>
Error usage_error(fmt::format_string<Args...> text, Args&&... args) {
  return error_of(Reason::kUsage, text, fmt::make_format_args(args...));
}
template <class... Args>
Error bad_input(fmt::format_string<Args...> text, Args&&... args) {
  return error_of(Reason::kBadInput, text, fmt::make_format_args(args...));
}
template <class... Args>
Error unsupported(fmt::format_string<Args...> text, Args&&... args) {
  return error_of(Reason::kUnsupported, text, fmt::make_format_args(args...));
}
template <class... Args>
Error internal_error(fmt::format_string<Args...> text, Args&&... args) {
  return error_of(Reason::kInternal, text, fmt::make_format_args(args...));
}

}  // namespace visq
