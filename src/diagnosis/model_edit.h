// Changes to tensors of a model's main graph: what a repair is made of, to be simulated in memory or written to a file.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "visq/model.h"

namespace visq::diagnosis {

/// What is not set stays as it is.
struct TensorEdit {
  std::optional<DType> dtype;
  std::optional<Quantization> quantization;
  std::optional<std::vector<std::byte>> data;  ///< a constant's new bytes, as long as its type and shape say
};

/// By tensor index in subgraph 0.
using ModelEdit = std::map<int, TensorEdit>;

/// Adds the changes of `later`, which win where both change the same.
void add(ModelEdit& edit, const ModelEdit& later);

/// A copy of the model with the changes; it shares all else with the original's file and outlives the caller's model.
std::shared_ptr<const Model> edited(const Model& model, const ModelEdit& edit);

}  // namespace visq::diagnosis
