// A model as plain structs, the same for circle, TFLite and ONNX. Everything in it has been validated against the bytes of its file:
// indices are in range, sizes multiply without overflow, constants are as long as their shapes say.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "visq/checksum.h"
#include "visq/dtype.h"
#include "visq/shape.h"
#include "visq/status.h"

namespace visq {

/// real = scale * (q - zero_point). All vectors empty: not quantized. Only tensors of integers have scales. Scales are as in the file:
/// they may be zero, negative, infinite or NaN.
struct Quantization {
  std::vector<float> scale;              ///< one value, or one per channel of `axis`
  std::vector<std::int64_t> zero_point;  ///< same length as scale after loading (files may hold none or one for many)
  int axis = 0;                          ///< quantized_dimension
  std::vector<float> min, max;           ///< as recorded by the converter; informative
  /// Blockwise (TFLite): scales and zero points live in constant tensors. block_size 0: not blockwise.
  int block_size = 0, block_scales = -1, block_zero_points = -1;

  bool quantized() const { return !scale.empty(); }
  bool per_channel() const { return scale.size() > 1; }
};

/// One axis of a sparse constant (format's DimensionMetadata).
struct SparseDimension {
  bool dense = true;
  std::int64_t dense_size = 0;
  std::vector<std::int64_t> segments, indices;
};
struct Sparsity {
  std::vector<int> traversal_order, block_map;
  std::vector<SparseDimension> dimensions;
};

/// A tensor as the file declares it.
struct TensorInfo {
  std::string name;
  DType dtype = DType::kFloat32;
  Shape shape;                                ///< sizes as stored; a dynamic axis counts as its stored size (usually 1)
  std::vector<std::int64_t> shape_signature;  ///< -1 marks a dynamic axis; empty: shape is fixed
  bool has_rank = true;                       ///< false: shape unknown before the run
  Quantization quantization;
  bool is_variable = false;
  bool is_constant = false;
  /// A constant's bytes inside the mapped file; int4 packed, little-endian. Exactly what type and shape (and sparsity) take, but for
  /// blockwise constants, whose rows may be padded. Files may place them anywhere: a pointer into them need not be aligned.
  std::span<const std::byte> data;
  std::shared_ptr<const Sparsity> sparsity;  ///< null: dense
};

/// The value of one field of an operator's options. Enumerations appear by name ("SAME", "RELU6").
using Attribute = std::variant<bool, std::int64_t, double, std::string, std::vector<std::int64_t>, std::vector<double>>;

/// An operator's options by field name, with the format's defaults filled in for absent fields.
/// Reading a name that is not there (an operator without an options table) gives the fallback.
class Attributes {
 public:
  void set(std::string name, Attribute value);
  const Attribute* find(std::string_view name) const;
  std::int64_t integer(std::string_view name, std::int64_t fallback = 0) const;
  double real(std::string_view name, double fallback = 0) const;
  bool flag(std::string_view name, bool fallback = false) const;
  std::string_view text(std::string_view name, std::string_view fallback = {}) const;
  std::span<const std::int64_t> integers(std::string_view name) const;
  const std::vector<std::pair<std::string, Attribute>>& all() const { return fields_; }

 private:
  std::vector<std::pair<std::string, Attribute>> fields_;  ///< in the schema's order
};

/// One operator. Tensor indices refer to its subgraph; -1 means "optional and absent".
struct Operator {
  std::string type;         ///< "CONV_2D", "Conv", as in the format; "CUSTOM" for custom operators of circle and TFLite
  std::string domain;       ///< of ONNX operators: "ai.onnx" for the standard's own, others head the type too; empty in circle and TFLite
  std::string custom_code;  ///< name of a custom operator, else empty
  int version = 1;          ///< in ONNX models that of the operator set
  std::vector<int> inputs, outputs, intermediates;
  Attributes attributes;
  std::span<const std::byte> custom_options;

  /// What tables and messages call it: the type, or the custom code.
  const std::string& label() const { return custom_code.empty() ? type : custom_code; }
};

/// The subgraphs that an operator's attributes name, in their order (WHILE: condition, body); empty for all but calling operators.
std::vector<std::int64_t> called_subgraphs(const Operator& op);

struct Subgraph {
  std::string name;
  std::vector<TensorInfo> tensors;
  std::vector<Operator> operators;  ///< in execution order
  std::vector<int> inputs, outputs;
};

/// A signature: names that callers use for inputs and outputs of one subgraph.
struct Signature {
  std::string key;
  int subgraph = 0;
  std::vector<std::pair<std::string, int>> inputs, outputs;  ///< name, tensor index
};

/// A file format of models.
struct FormatInfo {
  std::string_view name;   ///< "tflite": in JSON, and the ending of file names
  std::string_view label;  ///< "TFLite": in sentences
};
/// All formats, by name.
const std::vector<FormatInfo>& model_formats();
/// The label of a format; the name itself where there is none of that name.
std::string_view format_label(std::string_view name);

struct Model {
  std::string path;                    ///< as given by the caller; used in messages
  std::string_view format = "tflite";  ///< FormatInfo::name
  std::int64_t version = 0;
  std::string description;
  std::uint64_t file_bytes = 0;
  std::vector<Subgraph> subgraphs;  ///< subgraph 0 is the main one
  std::vector<Signature> signatures;
  std::string signature;  ///< key of the one chosen, see choose_signature(); empty: none was
  int main_in_file = 0;   ///< index that the main subgraph has in the file, where that of a signature has changed places with subgraph 0
  std::shared_ptr<const void> storage;  ///< keeps alive what spans point into
  std::span<const std::byte> mapped;    ///< the part of storage that is a mapped file, see release_pages()
  Checksum checksum;                    ///< of that file; none where the model was made in memory

  const Subgraph& main() const { return subgraphs.front(); }
  /// The index in the file of a subgraph of this model.
  int in_file(int subgraph) const { return subgraph == 0 ? main_in_file : subgraph == main_in_file ? 0 : subgraph; }
};

/// Reads a circle, TFLite or ONNX file; what it begins with decides which, not the ending.
/// Errors: kBadInput with file, place and number for anything that is not a well-formed model.
Result<Model> load_model(const std::string& path);

/// Makes the subgraph of the signature of that key the main one: it changes places with subgraph 0. Once for a model.
/// Errors: kBadInput where there is no such signature, with those that there are.
Status choose_signature(Model& model, const std::string& key);
/// "'decode', 'prefill'": the keys as sentences list them.
std::string signature_list(const Model& model);
/// What the chosen signature (without one: any of the main subgraph) calls an input or output of the main subgraph; empty: nothing.
std::string_view signature_name(const Model& model, int tensor);

}  // namespace visq
