#include "report/json/json_text.h"

#include <fmt/core.h>

#include <cmath>

#include "report/words/text.h"

namespace visq::report {

Json json_string(std::string_view text) { return valid_utf8(text); }

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

/// JSON asks for an escape below U+0020 only, but U+007F and U+0080 to U+009F (two bytes, the first 0xC2) steer a terminal too. They can
/// stand nowhere but in strings.
std::string json_text(const Json& document, int indent) {
  const std::string text = document.dump(indent, ' ', false, Json::error_handler_t::replace);
  std::string shown;
  shown.reserve(text.size() + 1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const auto second = i + 1 < text.size() ? static_cast<unsigned char>(text[i + 1]) : 0xFFU;
    if (byte == 0x7F) {
      shown += "\\u007f";
    } else if (byte == 0xC2 && second < 0xA0) {
      shown += fmt::format("\\u00{:02x}", second);
      ++i;
    } else {
      shown += text[i];
    }
  }
  return shown + "\n";
}

void JsonMembers::add(std::string_view key, Json value) {
  const std::string name = valid_utf8(key);
  std::string unique = name;
  for (int suffix = 2; !keys_.insert(unique).second; ++suffix) unique = name + "#" + std::to_string(suffix);
  object_.get_ref<Json::object_t&>().emplace_back(std::move(unique), std::move(value));
}

}  // namespace visq::report
