// What a graph input accepts: the checks that all kinds of data files share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "visq/data.h"
#include "visq/model.h"
#include "visq/tensor.h"

namespace visq::data {

/// A graph input as data see it. Copied from the model, which need not outlive it.
struct InputSpec {
  std::string name;   ///< as in the model
  std::string label;  ///< "input 1 'state'", for messages
  DType dtype = DType::kFloat32;
  std::vector<std::int64_t> dims;  ///< -1: any size
  bool has_rank = true;            ///< false: any shape
  std::string alias = {};          ///< what the model's signature calls it; empty: nothing
};

/// What kind of values a graph input takes.
enum class InputKind {
  kReal,     ///< float or quantized: real values
  kInteger,  ///< unquantized: indices, lengths
  kBool,
  kOther,  ///< strings, complex numbers, resources: only their own type
};
InputKind kind_of(const TensorInfo& tensor);

InputSpec input_spec(const TensorInfo& tensor, std::size_t position);
/// With its alias.
InputSpec input_spec(const Model& model, std::size_t position);
std::vector<InputSpec> input_specs(const Model& model);

/// The shape as the input knows it: `found`, a first axis of size 1 taken off or added where that makes it fit.
/// Errors: "PLACE: shape [1, 2], expected [1, 3]".
Result<Shape> fit_shape(const InputSpec& input, const Shape& found, const std::string& place);

/// Whether a type of data may feed the input at all. Errors: "PLACE: type complex64, expected float32".
Status check_type(const InputSpec& input, DType found, const std::string& place);

/// The bytes of an array that is about to be allocated. Errors: "PLACE: shape [...] of float32 exceeds the limit of 1G; …".
Result<std::int64_t> check_size(DType dtype, const Shape& shape, const std::string& place);

/// Adds a remark to the record if a float array holds elements that float32 has no finite value for.
void remark_non_finite(const Array& array, const std::string& place, Record& record);

}  // namespace visq::data
