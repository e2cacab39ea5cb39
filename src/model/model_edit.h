// Changes to tensors of a model's main graph: what a repair is made of, to be simulated in memory or written to a file.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "visq/model.h"

namespace visq {

/// What is not set stays as it is.
struct TensorEdit {
  std::optional<DType> dtype;
  std::optional<Quantization> quantization;
  std::optional<std::vector<std::byte>> data;  ///< a constant's new bytes, as long as its type and shape say
};

/// By tensor index in the main subgraph.
using ModelEdit = std::map<int, TensorEdit>;

/// Adds the changes of `later`, which win where both change the same.
void add(ModelEdit& edit, const ModelEdit& later);

/// A copy of the model with the changes; it shares all else with the original's file and outlives the caller's model.
std::shared_ptr<const Model> edited(const Model& model, const ModelEdit& edit);

/// The file that the model was read from with the changes, all else as it was: a flatbuffer of the same format. Changes of type are not
/// written: no kernel takes such tensors. Errors: kBadInput where the file has changed or cannot be written again (1 GB and more), or where
/// a change does not fit its tensor.
Result<std::string> write_edited(const Model& model, const ModelEdit& edit);

}  // namespace visq
