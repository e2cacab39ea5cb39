#include "model/format_schema.h"

#include <flatbuffers/reflection.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "core/as_size.h"

namespace visq::loader {
namespace {

using flatbuffers::Table;
using EnumNames = std::unordered_map<std::int64_t, std::string>;

/// One field of an options table, and how to read it.
struct FieldPlan {
  std::string name;
  const reflection::Field* field = nullptr;
  const EnumNames* names = nullptr;  ///< of an enumeration, else null
};
using TablePlan = std::vector<FieldPlan>;

/// The element type of a DType whose name is the format's in lower case.
std::optional<DType> dtype_called(std::string lower) {
  std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (int i = 0; i < kDTypeCount; ++i) {
    if (name(static_cast<DType>(i)) == lower) return static_cast<DType>(i);
  }
  return std::nullopt;
}

template <class Out>
std::vector<Out> copy_vector(const flatbuffers::VectorOfAny& source, reflection::BaseType element) {
  std::vector<Out> values(source.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    if constexpr (std::is_floating_point_v<Out>) {
      values[i] = flatbuffers::GetAnyVectorElemF(&source, element, i);
    } else {
      values[i] = flatbuffers::GetAnyVectorElemI(&source, element, i);
    }
  }
  return values;
}

Attribute read_vector(const Table* table, const reflection::Field& field, Budget& budget) {
  const auto element = field.type()->element();
  const auto* source = table != nullptr ? table->GetPointer<const flatbuffers::VectorOfAny*>(field.offset()) : nullptr;
  const bool present = source != nullptr && budget.take(source->size());
  if (flatbuffers::IsFloat(element)) return present ? copy_vector<double>(*source, element) : std::vector<double>();
  return present ? copy_vector<std::int64_t>(*source, element) : std::vector<std::int64_t>();
}

std::string read_string(const Table* table, const reflection::Field& field, Budget& budget) {
  const auto* source = table != nullptr ? table->GetPointer<const flatbuffers::String*>(field.offset()) : nullptr;
  return source != nullptr && budget.take(source->size()) ? source->str() : std::string();
}

Result<Attribute> read_field(const FieldPlan& plan, const Table* table, const Place& place, Budget& budget) {
  const reflection::Field& field = *plan.field;
  const auto type = field.type()->base_type();
  if (type == reflection::Vector) return read_vector(table, field, budget);
  if (type == reflection::String) return Attribute(read_string(table, field, budget));
  if (flatbuffers::IsFloat(type)) {
    return Attribute(table != nullptr ? flatbuffers::GetAnyFieldF(*table, field) : field.default_real());
  }
  const std::int64_t value = table != nullptr ? flatbuffers::GetAnyFieldI(*table, field) : field.default_integer();
  if (plan.names != nullptr) {
    const auto found = plan.names->find(value);
    if (found == plan.names->end()) return place.fail("option {} has the unknown value {}", plan.name, value);
    return Attribute(found->second);
  }
  return type == reflection::Bool ? Attribute(value != 0) : Attribute(value);
}

}  // namespace

struct FormatSchema::Tables {
  std::vector<EnumNames> enums;  ///< by the schema's enum index
  EnumNames operators;
  std::unordered_map<std::int64_t, DType> dtypes;
  std::unordered_map<std::int64_t, TablePlan> options[2];  ///< [OptionUnion][union type]
};

namespace {

TablePlan plan_table(const reflection::Object& object, const std::vector<EnumNames>& enums) {
  TablePlan plan;
  for (const reflection::Field* field : *object.fields()) {
    if (field->deprecated()) continue;
    const bool enumeration = flatbuffers::IsInteger(field->type()->base_type()) && field->type()->index() >= 0;
    plan.push_back({field->name()->str(), field, enumeration ? &enums[as_size(field->type()->index())] : nullptr});
  }
  std::sort(plan.begin(), plan.end(), [](const FieldPlan& a, const FieldPlan& b) { return a.field->id() < b.field->id(); });
  return plan;
}

std::unordered_map<std::int64_t, TablePlan> plan_union(const reflection::Schema& schema, const std::string& union_name,
                                                       const std::vector<EnumNames>& enums) {
  std::unordered_map<std::int64_t, TablePlan> plans;
  for (const reflection::EnumVal* member : *schema.enums()->LookupByKey(union_name.c_str())->values()) {
    if (member->value() == 0) continue;  // NONE
    const auto index = static_cast<flatbuffers::uoffset_t>(member->union_type()->index());
    plans.emplace(member->value(), plan_table(*schema.objects()->Get(index), enums));
  }
  return plans;
}

}  // namespace

FormatSchema::FormatSchema(const std::uint8_t* binary_schema, std::string_view scope) : schema_(*reflection::GetSchema(binary_schema)) {
  auto tables = std::make_unique<Tables>();
  const auto scoped = [&](std::string_view name) { return fmt::format("{}.{}", scope, name); };
  for (const reflection::Enum* definition : *schema_.enums()) {
    EnumNames& names = tables->enums.emplace_back();
    for (const reflection::EnumVal* value : *definition->values()) names.emplace(value->value(), value->name()->str());
    if (definition->name()->str() == scoped("BuiltinOperator")) tables->operators = names;
    if (definition->name()->str() == scoped("TensorType")) {
      for (const auto& [value, name] : names) {
        if (const auto type = dtype_called(name)) tables->dtypes.emplace(value, *type);
      }
    }
  }
  tables->options[0] = plan_union(schema_, scoped("BuiltinOptions"), tables->enums);
  tables->options[1] = plan_union(schema_, scoped("BuiltinOptions2"), tables->enums);
  tables_ = std::move(tables);
}

FormatSchema::~FormatSchema() = default;

std::string FormatSchema::operator_name(std::int64_t code) const {
  const auto found = tables_->operators.find(code);
  return found != tables_->operators.end() ? found->second : fmt::format("UNKNOWN_{}", code);
}

std::optional<DType> FormatSchema::dtype(std::int64_t tensor_type) const {
  const auto found = tables_->dtypes.find(tensor_type);
  return found != tables_->dtypes.end() ? std::optional(found->second) : std::nullopt;
}

Status FormatSchema::read_options(OptionUnion which, std::int64_t type, const Table* table, const Place& place, Budget& budget,
                                  Attributes& attributes) const {
  if (type == 0) return {};
  const auto& plans = tables_->options[as_size(which)];
  const auto found = plans.find(type);
  if (found == plans.end()) {
    return place.fail("{} has the unknown type {}", which == OptionUnion::kBuiltinOptions ? "builtin_options" : "builtin_options_2", type);
  }
  for (const FieldPlan& field : found->second) {
    VISQ_ASSIGN(Attribute value, read_field(field, table, place, budget));
    attributes.set(field.name, std::move(value));
  }
  return {};
}

}  // namespace visq::loader
