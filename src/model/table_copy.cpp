#include "model/table_copy.h"

#include <flatbuffers/reflection.h>

#include <algorithm>

#include "core/as_size.h"

namespace visq::loader {
namespace {

using flatbuffers::FlatBufferBuilder;
using flatbuffers::Offset;
using flatbuffers::String;
using flatbuffers::Table;
using flatbuffers::uoffset_t;
using flatbuffers::VectorOfAny;
template <class T>
using Offsets = flatbuffers::Vector<Offset<T>>;

/// What the field that says a union's type is called.
std::string type_field_of(const reflection::Field& of_union) { return of_union.name()->str() + "_type"; }

reflection::BaseType base(const reflection::Field& field) { return field.type()->base_type(); }

std::vector<const reflection::Field*> fields_in_order(const reflection::Object& type) {
  std::vector<const reflection::Field*> fields(type.fields()->begin(), type.fields()->end());
  std::sort(fields.begin(), fields.end(), [](const auto* a, const auto* b) { return a->id() < b->id(); });
  return fields;
}

/// Elements of the schema's type, from numbers.
std::vector<std::byte> narrowed(const std::vector<std::int64_t>& values, reflection::BaseType element) {
  const std::size_t width = flatbuffers::GetTypeSize(element);
  std::vector<std::byte> elements(values.size() * width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    flatbuffers::SetAnyValueI(element, reinterpret_cast<std::uint8_t*>(elements.data()) + i * width, values[i]);
  }
  return elements;
}

/// A scalar's bits, as they lie in a file, become a field.
template <class Bits>
void add_bits(const std::uint8_t* data, const reflection::Field& field, FlatBufferBuilder& builder) {
  builder.AddElement(field.offset(), flatbuffers::ReadScalar<Bits>(data));
}

}  // namespace

TableCopy::TableCopy(const reflection::Schema& schema, const Table* source) : TableCopy(&schema, schema.root_table(), source) {}

std::vector<std::string> TableCopy::fields() const {
  std::vector<std::string> names;
  for (const Field* field : *type_->fields()) names.push_back(field->name()->str());
  return names;
}

const reflection::Field* TableCopy::find(std::string_view field) const { return type_->fields()->LookupByKey(std::string(field).c_str()); }

const reflection::Field& TableCopy::at(std::string_view field) const {
  const auto* found = find(field);
  FLATBUFFERS_ASSERT(found != nullptr);
  return *found;
}

template <class T>
const T* TableCopy::changed(const Field& field) const {
  const auto change = changes_.find(&field);
  return change != changes_.end() ? std::get_if<T>(&change->second) : nullptr;
}

std::span<const std::byte> TableCopy::elements_in(const Field& field) const {
  if (const auto* own = changed<std::vector<std::byte>>(field)) return *own;
  if (const auto* set = changed<std::span<const std::byte>>(field)) return *set;
  if (source_ == nullptr || is_changed(field)) return {};
  const auto* vector = source_->GetPointer<const VectorOfAny*>(field.offset());
  if (vector == nullptr) return {};
  return std::as_bytes(std::span(vector->Data(), vector->size() * flatbuffers::GetTypeSize(field.type()->element())));
}

std::vector<std::int64_t> TableCopy::integers(std::string_view name) const {
  const Field& field = at(name);
  if (base(field) != reflection::Vector) {
    if (const auto* number = changed<std::int64_t>(field)) return {*number};
    const bool copied = source_ != nullptr && !is_changed(field);
    return {copied ? flatbuffers::GetAnyFieldI(*source_, field) : field.default_integer()};
  }
  const auto elements = elements_in(field);
  const std::size_t width = flatbuffers::GetTypeSize(field.type()->element());
  std::vector<std::int64_t> values(elements.size() / width);
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto* data = reinterpret_cast<const std::uint8_t*>(elements.data()) + i * width;
    values[i] = flatbuffers::GetAnyValueI(field.type()->element(), data);
  }
  return values;
}

void TableCopy::set_integers(std::string_view name, const std::vector<std::int64_t>& values) {
  const Field& field = at(name);
  if (values.empty()) {
    changes_[&field] = Dropped{};
  } else if (base(field) == reflection::Vector) {
    changes_[&field] = narrowed(values, field.type()->element());
  } else {
    changes_[&field] = values[0];
  }
}

void TableCopy::set_elements(std::string_view field, std::span<const std::byte> elements) {
  if (elements.empty()) return drop(field);
  changes_[&at(field)] = elements;
}

const reflection::Object* TableCopy::type_in(const Field& field) const {
  const auto object = [&](std::int32_t index) { return schema_->objects()->Get(static_cast<uoffset_t>(index)); };
  if (base(field) != reflection::Union) return object(field.type()->index());
  const std::int64_t type = integer(type_field_of(field));
  const auto* member = schema_->enums()->Get(static_cast<uoffset_t>(field.type()->index()))->values()->LookupByKey(type);
  return type != 0 && member != nullptr ? object(member->union_type()->index()) : nullptr;
}

std::vector<TableCopy> TableCopy::tables_in(const Field& field) const {
  if (const auto* set = changed<std::vector<TableCopy>>(field)) return *set;
  const auto* type = type_in(field);
  std::vector<TableCopy> tables;
  if (source_ == nullptr || is_changed(field) || type == nullptr) return tables;
  if (base(field) != reflection::Vector) {
    if (const auto* table = source_->GetPointer<const Table*>(field.offset())) tables.push_back(TableCopy(schema_, type, table));
  } else if (const auto* vector = source_->GetPointer<const Offsets<Table>*>(field.offset())) {
    tables.reserve(vector->size());
    for (const Table* table : *vector) tables.push_back(TableCopy(schema_, type, table));
  }
  return tables;
}

std::optional<TableCopy> TableCopy::table(std::string_view field) const {
  auto tables = tables_in(at(field));
  return tables.empty() ? std::nullopt : std::optional(std::move(tables[0]));
}

TableCopy TableCopy::fresh(std::string_view field) const { return {schema_, type_in(at(field)), nullptr}; }

void TableCopy::set_table(std::string_view field, TableCopy table) { set_tables(field, {std::move(table)}); }

std::vector<TableCopy> TableCopy::tables(std::string_view field) const { return tables_in(at(field)); }

void TableCopy::set_tables(std::string_view field, std::vector<TableCopy> tables) { changes_[&at(field)] = std::move(tables); }

void TableCopy::drop(std::string_view field) { changes_[&at(field)] = Dropped{}; }

void TableCopy::drop_all_but(std::initializer_list<std::string_view> fields) {
  for (const Field* field : *type_->fields()) {
    if (std::find(fields.begin(), fields.end(), field->name()->string_view()) == fields.end()) changes_[field] = Dropped{};
  }
}

bool TableCopy::is_written(const Field& field) const {
  if (field.deprecated() || changed<Dropped>(field) != nullptr) return false;
  if (const auto* number = changed<std::int64_t>(field)) return *number != field.default_integer();
  if (is_changed(field)) return true;
  if (base(field) == reflection::UType) {
    const auto name = field.name()->string_view();
    return is_written(at(name.substr(0, name.rfind("_type"))));
  }
  if (source_ == nullptr || !source_->CheckField(field.offset())) return false;
  return base(field) != reflection::Union || type_in(field) != nullptr;
}

void TableCopy::write_scalar(const Field& field, FlatBufferBuilder& builder) const {
  const auto* number = changed<std::int64_t>(field);
  const auto bits = narrowed({number != nullptr ? *number : 0}, base(field));
  const auto* data = number != nullptr ? reinterpret_cast<const std::uint8_t*>(bits.data()) : source_->GetAddressOf(field.offset());
  switch (flatbuffers::GetTypeSize(base(field))) {
    case 1:
      return add_bits<std::uint8_t>(data, field, builder);
    case 2:
      return add_bits<std::uint16_t>(data, field, builder);
    case 4:
      return add_bits<std::uint32_t>(data, field, builder);
    default:
      return add_bits<std::uint64_t>(data, field, builder);
  }
}

uoffset_t TableCopy::write_vector(const Field& field, FlatBufferBuilder& builder) const {
  const auto element = field.type()->element();
  if (element == reflection::Obj) {
    std::vector<Offset<Table>> written;
    for (const TableCopy& table : tables_in(field)) written.push_back(table.write(builder));
    return builder.CreateVector(written).o;
  }
  if (element == reflection::String) {
    std::vector<Offset<String>> written;
    for (const String* text : *source_->GetPointer<const Offsets<String>*>(field.offset())) written.push_back(builder.CreateString(text));
    return builder.CreateVector(written).o;
  }
  const auto elements = elements_in(field);
  const std::size_t width = flatbuffers::GetTypeSize(element);
  const auto* attributes = field.attributes();
  const auto* align = attributes != nullptr ? attributes->LookupByKey("force_align") : nullptr;
  if (align != nullptr) builder.ForceVectorAlignment(elements.size() / width, width, as_size(std::stoi(align->value()->str())));
  builder.StartVector(elements.size() / width, width);
  builder.PushBytes(reinterpret_cast<const std::uint8_t*>(elements.data()), elements.size());
  return builder.EndVector(elements.size() / width);
}

uoffset_t TableCopy::write_outside(const Field& field, FlatBufferBuilder& builder) const {
  switch (base(field)) {
    case reflection::String:
      return builder.CreateString(source_->GetPointer<const String*>(field.offset())).o;
    case reflection::Vector:
      return write_vector(field, builder);
    default:
      return tables_in(field).at(0).write(builder).o;
  }
}

Offset<Table> TableCopy::write(FlatBufferBuilder& builder) const {
  std::vector<const Field*> scalars;
  std::vector<std::pair<const Field*, uoffset_t>> outside;
  for (const Field* field : fields_in_order(*type_)) {
    if (!is_written(*field)) continue;
    if (base(*field) <= reflection::Double) {
      scalars.push_back(field);
    } else {
      outside.emplace_back(field, write_outside(*field, builder));
    }
  }
  // The widest first leaves no gaps.
  const auto width = [](const Field* field) { return flatbuffers::GetTypeSize(base(*field)); };
  std::stable_sort(scalars.begin(), scalars.end(), [&](const Field* a, const Field* b) { return width(a) > width(b); });
  const auto narrow = std::find_if(scalars.begin(), scalars.end(), [&](const Field* field) { return width(field) < sizeof(uoffset_t); });
  const uoffset_t start = builder.StartTable();
  std::for_each(scalars.begin(), narrow, [&](const Field* field) { write_scalar(*field, builder); });
  for (const auto& [field, offset] : outside) builder.AddOffset(field->offset(), Offset<void>(offset));
  std::for_each(narrow, scalars.end(), [&](const Field* field) { write_scalar(*field, builder); });
  return builder.EndTable(start);
}

std::string write_flatbuffer(const TableCopy& root, const char* identifier, std::size_t expected) {
  FlatBufferBuilder builder(expected);
  builder.Finish(root.write(builder), identifier);
  return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
}

}  // namespace visq::loader
