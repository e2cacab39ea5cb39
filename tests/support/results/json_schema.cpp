#include "support/results/json_schema.h"

#include <fmt/core.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <set>

namespace visq::testing {
namespace {

using nlohmann::json;

bool has_type(const json& value, const std::string& type) {
  if (type == "integer") return value.is_number_integer();
  return type == (value.is_number() ? "number" : value.type_name());
}

/// A check of one keyword: empty, or what is wrong.
class Checker {
 public:
  explicit Checker(const json& root) : root_(root) {}

  std::string check(const json& schema, const json& value, const std::string& path) const {
    static const std::set<std::string> kSilent{"$schema", "$defs", "title", "description"};
    for (const auto& [keyword, rule] : schema.items()) {
      if (kSilent.count(keyword) > 0) continue;
      const auto found = kKeywords.find(keyword);
      if (found == kKeywords.end()) return fmt::format("{}: keyword {} is not understood", path, keyword);
      const std::string wrong = (this->*found->second)(schema, rule, value, path);
      if (!wrong.empty()) return wrong;
    }
    return {};
  }

 private:
  using Check = std::string (Checker::*)(const json& schema, const json& rule, const json& value, const std::string& path) const;

  static std::string fail_unless(bool good, const std::string& path, const json& rule) {
    return good ? "" : fmt::format("{}: does not meet {}", path, rule.dump());
  }

  std::string reference(const json&, const json& rule, const json& value, const std::string& path) const {
    return check(root_.at(json::json_pointer(rule.get<std::string>().substr(1))), value, path);
  }
  std::string type(const json&, const json& rule, const json& value, const std::string& path) const {
    const json types = rule.is_array() ? rule : json::array({rule});
    return fail_unless(std::any_of(types.begin(), types.end(), [&](const json& one) { return has_type(value, one); }), path, rule);
  }
  std::string constant(const json&, const json& rule, const json& value, const std::string& path) const {
    return fail_unless(value == rule, path, rule);
  }
  std::string enumeration(const json&, const json& rule, const json& value, const std::string& path) const {
    return fail_unless(std::find(rule.begin(), rule.end(), value) != rule.end(), path, rule);
  }
  std::string minimum(const json&, const json& rule, const json& value, const std::string& path) const {
    return fail_unless(!value.is_number() || value >= rule, path, rule);
  }
  std::string maximum(const json&, const json& rule, const json& value, const std::string& path) const {
    return fail_unless(!value.is_number() || value <= rule, path, rule);
  }
  std::string min_items(const json&, const json& rule, const json& value, const std::string& path) const {
    return fail_unless(!value.is_array() || value.size() >= rule, path, rule);
  }
  std::string max_items(const json&, const json& rule, const json& value, const std::string& path) const {
    return fail_unless(!value.is_array() || value.size() <= rule, path, rule);
  }
  std::string required(const json&, const json& rule, const json& value, const std::string& path) const {
    const auto missing = std::find_if(rule.begin(), rule.end(), [&](const json& key) { return !value.contains(key.get<std::string>()); });
    return missing == rule.end() || !value.is_object() ? "" : fmt::format("{}: {} is missing", path, missing->dump());
  }
  std::string items(const json&, const json& rule, const json& value, const std::string& path) const {
    if (!value.is_array()) return {};
    for (std::size_t i = 0; i < value.size(); ++i) {
      if (auto wrong = check(rule, value[i], fmt::format("{}/{}", path, i)); !wrong.empty()) return wrong;
    }
    return {};
  }
  std::string properties(const json&, const json& rule, const json& value, const std::string& path) const {
    if (!value.is_object()) return {};
    for (const auto& [key, member] : rule.items()) {
      if (!value.contains(key)) continue;
      if (auto wrong = check(member, value[key], path + "/" + key); !wrong.empty()) return wrong;
    }
    return {};
  }
  std::string additional(const json& schema, const json& rule, const json& value, const std::string& path) const {
    if (!value.is_object() || rule == true) return {};
    for (const auto& [key, member] : value.items()) {
      if (schema.contains("properties") && schema["properties"].contains(key)) continue;
      if (rule == false) return fmt::format("{}: {} is not expected", path, key);
      if (auto wrong = check(rule, member, path + "/" + key); !wrong.empty()) return wrong;
    }
    return {};
  }

  static const std::map<std::string, Check> kKeywords;
  const json& root_;
};

const std::map<std::string, Checker::Check> Checker::kKeywords{
    {"$ref", &Checker::reference},        {"type", &Checker::type},
    {"const", &Checker::constant},        {"enum", &Checker::enumeration},
    {"minimum", &Checker::minimum},       {"maximum", &Checker::maximum},
    {"minItems", &Checker::min_items},    {"maxItems", &Checker::max_items},
    {"required", &Checker::required},     {"items", &Checker::items},
    {"properties", &Checker::properties}, {"additionalProperties", &Checker::additional},
};

}  // namespace

std::string schema_violation(const std::string& schema_file, const json& document) {
  std::ifstream file(fmt::format("{}/schema/{}", VISQ_SOURCE_DIR, schema_file));
  const json schema = json::parse(file, nullptr, false);
  if (schema.is_discarded()) return schema_file + ": cannot be read";
  return Checker(schema).check(schema, document, "");
}

}  // namespace visq::testing
