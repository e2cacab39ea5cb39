// Models that hostile data are opened for: inputs that take many types and shapes, so that few files are refused early.
#pragma once

#include "visq/data.h"

namespace visq::fuzz {

/// One input of type `dtype` and any shape.
inline Model model_taking(DType dtype) {
  Model model;
  model.path = "m.tflite";
  model.subgraphs.resize(1);
  TensorInfo input;
  input.name = "x";
  input.dtype = dtype;
  input.has_rank = false;
  model.subgraphs[0].tensors = {input};
  model.subgraphs[0].inputs = {0};
  return model;
}

/// Two inputs of fixed shapes, as raw bytes need them.
inline Model model_of_two() {
  Model model = model_taking(DType::kFloat32);
  TensorInfo& first = model.subgraphs[0].tensors[0];
  first.has_rank = true;
  first.shape = Shape{1, 2};
  TensorInfo second = first;
  second.name = "y";
  second.dtype = DType::kInt8;
  model.subgraphs[0].tensors.push_back(second);
  model.subgraphs[0].inputs = {0, 1};
  return model;
}

/// Reads and feeds the first records.
inline void read_first(RecordSource& source, const Model& model) {
  constexpr std::int64_t kMostRecords = 4;
  const auto feed = InputFeed::create(model, nullptr);
  for (std::int64_t i = 0; i < std::min(source.count(), kMostRecords); ++i) {
    const auto record = source.read(i);
    if (record.ok() && feed.ok()) static_cast<void>(feed->for_model(*record));
  }
}

}  // namespace visq::fuzz
