#include "model/call_attribute.h"
#include "visq/model.h"

namespace visq {
namespace {

/// The field's value as T, or the fallback where it is absent or of another type.
template <class T>
T value_or(const Attribute* field, T fallback) {
  const T* value = field != nullptr ? std::get_if<T>(field) : nullptr;
  return value != nullptr ? *value : fallback;
}

}  // namespace

void Attributes::set(std::string name, Attribute value) { fields_.emplace_back(std::move(name), std::move(value)); }

const Attribute* Attributes::find(std::string_view name) const {
  for (const auto& [key, value] : fields_) {
    if (key == name) return &value;
  }
  return nullptr;
}

std::int64_t Attributes::integer(std::string_view name, std::int64_t fallback) const { return value_or(find(name), fallback); }
double Attributes::real(std::string_view name, double fallback) const { return value_or(find(name), fallback); }
bool Attributes::flag(std::string_view name, bool fallback) const { return value_or(find(name), fallback); }

std::string_view Attributes::text(std::string_view name, std::string_view fallback) const {
  const Attribute* field = find(name);
  const auto* value = field != nullptr ? std::get_if<std::string>(field) : nullptr;
  return value != nullptr ? std::string_view(*value) : fallback;
}

std::span<const std::int64_t> Attributes::integers(std::string_view name) const {
  const Attribute* field = find(name);
  const auto* value = field != nullptr ? std::get_if<std::vector<std::int64_t>>(field) : nullptr;
  return value != nullptr ? std::span<const std::int64_t>(*value) : std::span<const std::int64_t>();
}

std::vector<std::int64_t> called_subgraphs(const Operator& op) {
  std::vector<std::int64_t> called;
  for (const auto& [name, value] : op.attributes.all()) {
    if (!loader::names_subgraphs(name)) continue;
    if (const auto* index = std::get_if<std::int64_t>(&value)) called.push_back(*index);
    if (const auto* indices = std::get_if<std::vector<std::int64_t>>(&value)) called.insert(called.end(), indices->begin(), indices->end());
  }
  return called;
}

}  // namespace visq
