// JSON as our outputs write it: valid UTF-8, finite numbers or null, keys in the order given.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <unordered_set>

namespace visq::report {

using Json = nlohmann::ordered_json;

/// A string value; bytes that are not UTF-8 become U+FFFD.
Json json_string(std::string_view text);

/// A finite number, or null.
Json json_number(double value);

/// The text of a document, indented by two (or in one line, -1), shortest numbers that read back as the same double, with a newline at the
/// end. Nothing in it steers a terminal.
std::string json_text(const Json& document, int indent = 2);

/// An object with many members: appends without searching for the key, which an ordered object does on every insertion.
class JsonMembers {
 public:
  /// Adds a member. Where the key is taken already (names that differ only in broken bytes), "#2", "#3" … is appended.
  void add(std::string_view key, Json value);
  Json take() { return std::move(object_); }

 private:
  Json object_ = Json::object();
  std::unordered_set<std::string> keys_;
};

}  // namespace visq::report
