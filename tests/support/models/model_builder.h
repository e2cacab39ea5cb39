// Models made from text, for tests: the content of a model as JSON in the names of schema/*.fbs. Nothing is checked beyond the schema,
// so broken models can be built as easily as sound ones.
#pragma once

#include <string>
#include <string_view>

#include "visq/model.h"

namespace visq::testing {

/// The bytes of a model file. Keys need no quotes; enumerations by name or number; constants as arrays of bytes:
///   {version: 3, operator_codes: [{builtin_code: "RELU"}], subgraphs: [{tensors: […], operators: […]}], buffers: [{}]}
/// Fails the running test, and gives an empty string, where the text does not fit the schema.
std::string build_model(std::string_view format, const std::string& json);

/// A file that exists as long as this object, in the system's folder for temporary files.
class TemporaryModel {
 public:
  explicit TemporaryModel(std::string_view bytes);
  ~TemporaryModel();
  TemporaryModel(const TemporaryModel&) = delete;
  TemporaryModel& operator=(const TemporaryModel&) = delete;
  const std::string& path() const { return path_; }
  /// Replaces the content.
  void write(std::string_view bytes) const;

 private:
  std::string path_;
};

/// Loads bytes through a temporary file; the path in messages is written as "m".
Result<Model> load_bytes(std::string_view bytes);

/// What load_model says about bytes, with the path as "m"; empty where it loads.
std::string load_error(std::string_view bytes);

/// Empty where two models hold the same (paths, formats, versions and file sizes aside), else what differs first.
std::string first_difference(const Model& a, const Model& b);

}  // namespace visq::testing
