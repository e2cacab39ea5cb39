// What a file format calls its operators, types and options, read from the format's own schema by reflection, so that no operator
// is named in the loader: an operator added to schema/*.fbs loads with all its options.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "model/budget.h"
#include "model/place.h"
#include "visq/model.h"

namespace flatbuffers {
class Table;
}
namespace reflection {
struct Schema;
}

namespace visq::loader {

/// The two unions that hold operator options.
enum class OptionUnion { kBuiltinOptions, kBuiltinOptions2 };

class FormatSchema {
 public:
  /// `binary_schema` is the compiled schema (bfbs), `scope` its namespace: "visq.tflite".
  FormatSchema(const std::uint8_t* binary_schema, std::string_view scope);
  ~FormatSchema();
  FormatSchema(const FormatSchema&) = delete;
  FormatSchema& operator=(const FormatSchema&) = delete;

  /// "CONV_2D"; "UNKNOWN_<code>" for a code that the schema does not have.
  std::string operator_name(std::int64_t code) const;
  /// Nothing for a value that the schema does not have.
  std::optional<DType> dtype(std::int64_t tensor_type) const;

  /// Adds all fields of an options table that the verifier has passed; a null table means all defaults. Enumerations by name.
  /// Errors: a union type or an enumeration's value that the schema does not have.
  Status read_options(OptionUnion which, std::int64_t type, const flatbuffers::Table* table, const Place& place, Budget& budget,
                      Attributes& attributes) const;

  /// The compiled schema.
  const reflection::Schema& compiled() const { return schema_; }

 private:
  struct Tables;
  const reflection::Schema& schema_;
  std::unique_ptr<const Tables> tables_;
};

}  // namespace visq::loader
