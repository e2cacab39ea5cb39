// A table of a flatbuffer that is to be written again, by reflection over the format's schema: what was not changed is copied field by
// field, so that a field which the project does not know the meaning of is kept too, and nothing is generated for any of the tables.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace reflection {
struct Field;
struct Object;
struct Schema;
}  // namespace reflection

namespace visq::loader {

/// Fields are called as in the schema, and must be there. Refers to the source, which the verifier has passed, and to bytes that were set:
/// they must outlive it. Left out are deprecated fields, which the verifier has not looked at, and unions of which type or table is
/// missing.
class TableCopy {
 public:
  /// The schema's root table; without a source no field is set.
  TableCopy(const reflection::Schema& schema, const flatbuffers::Table* source);

  std::vector<std::string> fields() const;
  bool has_field(std::string_view field) const { return find(field) != nullptr; }

  /// The numbers in a vector of integers, or the one of an integer field, its default where it is not set.
  std::vector<std::int64_t> integers(std::string_view field) const;
  std::int64_t integer(std::string_view field) const { return integers(field).at(0); }
  /// Sets either. An empty vector is left out.
  void set_integers(std::string_view field, const std::vector<std::int64_t>& values);
  void set_integer(std::string_view field, std::int64_t value) { set_integers(field, {value}); }

  /// Sets a vector of scalars to elements as they lie in memory. An empty one is left out.
  void set_elements(std::string_view field, std::span<const std::byte> elements);

  /// The table in a field, or in a union.
  std::optional<TableCopy> table(std::string_view field) const;
  /// A table for a field, with nothing in it.
  TableCopy fresh(std::string_view field) const;
  void set_table(std::string_view field, TableCopy table);

  std::vector<TableCopy> tables(std::string_view field) const;
  void set_tables(std::string_view field, std::vector<TableCopy> tables);

  void drop(std::string_view field);
  void drop_all_but(std::initializer_list<std::string_view> fields);

  /// Writes the table and all that it refers to.
  flatbuffers::Offset<flatbuffers::Table> write(flatbuffers::FlatBufferBuilder& builder) const;

 private:
  using Field = reflection::Field;
  struct Dropped {};
  /// What a field is instead of what it was.
  using Change = std::variant<Dropped, std::int64_t, std::vector<std::byte>, std::span<const std::byte>, std::vector<TableCopy>>;

  TableCopy(const reflection::Schema* schema, const reflection::Object* type, const flatbuffers::Table* source)
      : schema_(schema), type_(type), source_(source) {}

  const Field* find(std::string_view field) const;
  const Field& at(std::string_view field) const;
  /// The change of a field, or null; a value of its own type.
  template <class T>
  const T* changed(const Field& field) const;
  bool is_changed(const Field& field) const { return changes_.contains(&field); }
  /// The tables of what is in a field: its type, of a union the one that its type field says (null where that is none).
  const reflection::Object* type_in(const Field& field) const;
  std::vector<TableCopy> tables_in(const Field& field) const;
  std::span<const std::byte> elements_in(const Field& field) const;
  bool is_written(const Field& field) const;
  void write_scalar(const Field& field, flatbuffers::FlatBufferBuilder& builder) const;
  flatbuffers::uoffset_t write_outside(const Field& field, flatbuffers::FlatBufferBuilder& builder) const;
  flatbuffers::uoffset_t write_vector(const Field& field, flatbuffers::FlatBufferBuilder& builder) const;

  const reflection::Schema* schema_;
  const reflection::Object* type_;
  const flatbuffers::Table* source_;
  std::map<const Field*, Change> changes_;
};

/// A file whose root is the table. `expected` is how many bytes it will have at least.
std::string write_flatbuffer(const TableCopy& root, const char* identifier, std::size_t expected);

}  // namespace visq::loader
