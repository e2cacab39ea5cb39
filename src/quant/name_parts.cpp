#include "quant/name_parts.h"

#include <algorithm>
#include <cctype>

namespace visq::quant {
namespace {

constexpr std::string_view kPrefixes[] = {"quant_"};
constexpr std::string_view kSuffixes[] = {"_int8",       "_uint8",       "_int16",       "_float32",    "_fp32",  "_quantized", "_quantize",
                                          "_requantize", "_requantized", "_dequantized", "_dequantize", "_quant", "_dequant"};
constexpr std::string_view kSayNothing[] = {"tfl.", "arith.constant"};

/// ":0" behind a name counts an operator's outputs; the first is as good as the operator itself.
std::string_view without_output_number(std::string_view name) { return name.ends_with(":0") ? name.substr(0, name.size() - 2) : name; }

std::string_view stripped(std::string_view name) {
  for (bool again = true; again;) {
    again = false;
    const std::string_view shorter = without_output_number(name);
    again = shorter.size() < name.size() && !shorter.empty();
    if (again) name = shorter;
    for (const std::string_view prefix : kPrefixes) {
      if (name.size() > prefix.size() && name.starts_with(prefix)) name.remove_prefix(prefix.size()), again = true;
    }
    for (const std::string_view suffix : kSuffixes) {
      if (name.size() > suffix.size() && name.ends_with(suffix)) name.remove_suffix(suffix.size()), again = true;
    }
  }
  return name;
}

}  // namespace

std::vector<std::string_view> name_parts(std::string_view name) {
  std::vector<std::string_view> parts;
  while (!name.empty()) {
    const auto end = std::min(name.find(';'), name.size());
    const std::string_view part = stripped(name.substr(0, end));
    name.remove_prefix(std::min(end + 1, name.size()));
    const bool says = !part.empty() && std::none_of(std::begin(kSayNothing), std::end(kSayNothing),
                                                    [&](std::string_view start) { return part.starts_with(start); });
    if (says && std::find(parts.begin(), parts.end(), part) == parts.end()) parts.push_back(part);
  }
  return parts;
}

}  // namespace visq::quant
