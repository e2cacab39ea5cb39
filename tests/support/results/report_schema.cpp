#include "support/results/report_schema.h"

#include <algorithm>
#include <set>

namespace visq::testing {
namespace {

using nlohmann::json;

class Validator {
 public:
  explicit Validator(const json& root) : root_(root) {}

  void check(const json& schema, const json& value, const std::string& path) {
    for (const auto& [keyword, rule] : schema.items()) check_keyword(keyword, rule, schema, value, path);
  }

  std::vector<std::string> errors;

 private:
  static bool is(const json& value, const std::string& type) {
    if (type == "object") return value.is_object();
    if (type == "array") return value.is_array();
    if (type == "string") return value.is_string();
    if (type == "boolean") return value.is_boolean();
    if (type == "null") return value.is_null();
    if (type == "integer") return value.is_number_integer();
    return type == "number" && value.is_number();
  }

  void fail(const std::string& path, const std::string& what) { errors.push_back(path + ": " + what); }

  void check_keyword(const std::string& keyword, const json& rule, const json& schema, const json& value, const std::string& path) {
    static const std::set<std::string> annotations = {"$schema", "$defs", "title", "description"};
    if (annotations.count(keyword) > 0) return;
    if (keyword == "$ref") {
      check(root_.at(json::json_pointer(rule.get<std::string>().substr(1))), value, path);
    } else if (keyword == "type") {
      const json types = rule.is_array() ? rule : json::array({rule});
      bool any = false;
      for (const auto& type : types) any = any || is(value, type.get<std::string>());
      if (!any) fail(path, "is not of type " + rule.dump());
    } else if (keyword == "const") {
      if (value != rule) fail(path, "is not " + rule.dump());
    } else if (keyword == "enum") {
      if (std::find(rule.begin(), rule.end(), value) == rule.end()) fail(path, value.dump() + " is none of " + rule.dump());
    } else if (keyword == "minimum" || keyword == "maximum") {
      if (value.is_number() && (keyword == "minimum" ? value < rule : value > rule)) fail(path, value.dump() + " is out of range");
    } else if (keyword == "minItems" || keyword == "maxItems") {
      if (value.is_array() && (keyword == "minItems" ? value.size() < rule : value.size() > rule)) fail(path, "has another length");
    } else if (keyword == "items") {
      for (std::size_t i = 0; value.is_array() && i < value.size(); ++i) check(rule, value[i], path + "/" + std::to_string(i));
    } else if (keyword == "required") {
      for (const auto& key : rule) {
        if (value.is_object() && !value.contains(key.get<std::string>())) fail(path, "lacks " + key.dump());
      }
    } else if (keyword == "properties") {
      for (const auto& [key, sub] : rule.items()) {
        if (value.is_object() && value.contains(key)) check(sub, value.at(key), path + "/" + key);
      }
    } else if (keyword == "additionalProperties") {
      if (!value.is_object()) return;
      for (const auto& [key, member] : value.items()) {
        if (schema.contains("properties") && schema.at("properties").contains(key)) continue;
        if (rule == false) {
          fail(path, "has an unknown member \"" + key + "\"");
        } else {
          check(rule, member, path + "/" + key);
        }
      }
    } else {
      fail(path, "the validator does not know the keyword " + keyword);
    }
  }

  const json& root_;
};

}  // namespace

std::vector<std::string> schema_errors(const json& schema, const json& document) {
  Validator validator(schema);
  validator.check(schema, document, "");
  return validator.errors;
}

}  // namespace visq::testing
