// inspect: what is in a model? Everything that can be told without running it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "visq/model.h"

namespace visq {

/// Bytes [begin, end) of a container.
struct ContainerSection {
  std::string kind;   ///< "TFLiteModel", "SP_Tokenizer" …
  std::string model;  ///< which of the container's models: "prefill_decode"; empty: it does not say
  std::uint64_t begin = 0, end = 0;
  bool is_model = false;  ///< load_model("FILE:NUMBER") reads it
};

/// The sections of a LiteRT-LM container in the file's order; none where the file is no container. `path` may name a section, FILE:SECTION.
/// Errors: kBadInput where it cannot be read, or is damaged.
Result<std::vector<ContainerSection>> container_sections(const std::string& path);

/// How much there is of something constant: elements as the shapes say, bytes as the file stores them.
struct Amount {
  std::int64_t elements = 0, bytes = 0;
};

/// A tensor as the file declares it, and what stands behind it.
struct InspectedTensor {
  int index = 0;  ///< in its subgraph
  std::string name;
  DType dtype = DType::kFloat32;
  Shape shape;
  std::vector<std::int64_t> shape_signature;  ///< -1 marks a dynamic axis; empty: the shape is fixed
  bool has_rank = true;
  bool constant = false, variable = false, sparse = false;
  std::int64_t bytes = 0;  ///< of a constant in the file, else 0
  Quantization quantization;
};

/// A row per operator.
struct InspectedOperator {
  int index = 0;  ///< in its subgraph
  std::string type;
  int version = 1;
  Attributes options;
  std::vector<int> inputs, outputs;  ///< tensor indices; -1: absent
  std::optional<std::int64_t> macs;  ///< multiply-adds (see multiply_adds); nothing where the shapes do not tell
  bool can_run = false;              ///< whether the registry has the operator
};

struct InspectedSubgraph {
  std::string name;
  std::vector<int> inputs, outputs;
  std::vector<InspectedOperator> operators;
  std::vector<InspectedTensor> tensors;
};

/// Operators of one type over all subgraphs.
struct OperatorCount {
  std::string type;
  std::int64_t count = 0;
  std::int64_t macs = 0;  ///< of those whose shapes tell
  bool can_run = false;
};

struct Inspection {
  std::string path;
  std::string_view format;  ///< FormatInfo::name
  std::int64_t version = 0;
  std::string description;
  std::uint64_t file_bytes = 0;
  std::string quantization;          ///< the scheme in words: "int8 per channel, full integer"
  std::int64_t operators = 0;        ///< over all subgraphs
  std::int64_t macs = 0;             ///< every operator once, bodies of loops too
  std::int64_t macs_unknown = 0;     ///< operators with multiply-adds whose shapes do not tell how many
  bool dynamic_shapes = false;       ///< some axis is -1; the numbers hold for the sizes as stored
  Amount parameters;                 ///< constants; a buffer that several tensors share counts once
  std::vector<OperatorCount> types;  ///< most frequent first, ties by name
  std::vector<Signature> signatures;
  std::vector<InspectedSubgraph> subgraphs;
  std::vector<ContainerSection> sections;  ///< of the container that holds the model, for who fills them in; empty: none
};

/// Never fails: a model that loads can be inspected.
Inspection inspect(const Model& model);

}  // namespace visq
