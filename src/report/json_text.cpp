#include "report/json_text.h"

#include <cmath>

#include "report/text.h"

namespace visq::report {

Json json_string(std::string_view text) { return valid_utf8(text); }

Json json_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

std::string json_text(const Json& document) { return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"; }

void JsonMembers::add(std::string_view key, Json value) {
  const std::string name = valid_utf8(key);
  std::string unique = name;
  for (int suffix = 2; !keys_.insert(unique).second; ++suffix) unique = name + "#" + std::to_string(suffix);
  object_.get_ref<Json::object_t&>().emplace_back(std::move(unique), std::move(value));
}

}  // namespace visq::report
