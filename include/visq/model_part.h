// A part of a model as a model file of its own, in the format of the file it came from.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "visq/model.h"

namespace visq {

/// Operators of one graph of a model, and what they are fed with and give.
struct ModelPart {
  /// What a tensor of the part declares instead of its own shape: sizes, and where they vary -1 in the signature (empty: all fixed).
  struct Sizes {
    Shape shape;
    std::vector<std::int64_t> signature;
  };
  std::vector<int> operators;        ///< ascending
  std::vector<int> inputs, outputs;  ///< tensors, in the order in which the new model takes and gives them
  std::map<int, Sizes> sizes;        ///< by tensor
  int subgraph = 0;                  ///< that all these stand in; it becomes the new model's main graph
};

/// The bytes of a model file with nothing but the part, the constants that it reads and the subgraphs that it calls, all as they stand in
/// the source: codes, versions, options, quantization, sparsity, variables. Signatures and metadata are left out, since they speak of the
/// whole model. Reads the file `model.path` once more.
/// Errors: kBadInput where that file is another one by now, or the part is larger than a model file can be (2 GB).
Result<std::string> write_part(const Model& model, const ModelPart& part);

}  // namespace visq
