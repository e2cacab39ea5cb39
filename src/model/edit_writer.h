// Writes a model file again with changed quantization parameters and constants. Written once over a Traits class per format: the whole file
// goes through the generated object API, and only what was changed differs.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "core/as_size.h"
#include "model/format_schema.h"
#include "model/model_edit.h"
#include "model/verified_root.h"

namespace visq::loader {

template <class Traits>
class EditWriter {
 public:
  EditWriter(std::span<const std::byte> file, const Model& model, const ModelEdit& edit)
      : file_(file), model_(model), edit_(edit), place_(model.path) {}

  Result<std::string> write() {
    VISQ_ASSIGN(const auto* source, verified_root<Traits>(file_, place_));
    if (file_.size() > kMaxFlatbufferBytes / 2) return place_.fail("has {} bytes, too many to be written again", file_.size());
    source->UnPackTo(&target_);
    VISQ_TRY(check_unchanged());
    VISQ_TRY(take_in());
    for (auto& graph : target_.subgraphs) drop_hollow_parts(*graph);
    for (const auto& [tensor, change] : edit_) VISQ_TRY(apply(tensor, change));
    flatbuffers::FlatBufferBuilder builder(file_.size() + 4096);
    builder.Finish(Traits::Model::Pack(builder, &target_), Traits::identifier());
    return std::string(reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize());
  }

 private:
  using ModelT = typename Traits::Model::NativeTableType;
  using SubGraphT = typename Traits::SubGraph::NativeTableType;
  using QuantizationT = typename Traits::QuantizationParameters::NativeTableType;
  using BufferT = typename decltype(ModelT::buffers)::value_type::element_type;

  Status check_unchanged() const {
    const bool same = !target_.subgraphs.empty() && target_.subgraphs[0] != nullptr &&
                      target_.subgraphs[0]->tensors.size() == model_.main().tensors.size();
    if (!same) return place_.fail("has changed since it was read");
    return {};
  }

  /// Bytes that lie behind the flatbuffer move into it.
  Status take_in() {
    const auto take = [&](std::vector<std::uint8_t>& bytes, std::uint64_t& offset, std::uint64_t& size) -> Status {
      if (offset <= 1) return {};
      if (offset > file_.size() || size > file_.size() - offset) return place_.fail("{} bytes at {} lie outside the file", size, offset);
      const auto* first = reinterpret_cast<const std::uint8_t*>(file_.data()) + offset;
      bytes.assign(first, first + size);
      offset = size = 0;
      return {};
    };
    for (auto& buffer : target_.buffers) VISQ_TRY(take(buffer->data, buffer->offset, buffer->size));
    for (auto& graph : target_.subgraphs) {
      for (auto& op : graph->operators) {
        VISQ_TRY(take(op->custom_options, op->large_custom_options_offset, op->large_custom_options_size));
      }
    }
    return {};
  }

  /// A union whose type is set but whose table is missing cannot be packed.
  template <class Union>
  static void drop_hollow(Union& value) {
    if (value.value == nullptr) value.Reset();
  }

  static void drop_hollow_parts(SubGraphT& graph) {
    for (auto& op : graph.operators) {
      drop_hollow(op->builtin_options);
      drop_hollow(op->builtin_options_2);
    }
    for (auto& tensor : graph.tensors) {
      if (tensor->quantization) drop_hollow(tensor->quantization->details);
      if (!tensor->sparsity) continue;
      for (auto& dimension : tensor->sparsity->dim_metadata) {
        drop_hollow(dimension->array_segments);
        drop_hollow(dimension->array_indices);
      }
    }
  }

  Status apply(int index, const TensorEdit& change) {
    const TensorInfo& info = model_.main().tensors[as_size(index)];
    auto& tensor = *target_.subgraphs[0]->tensors[as_size(index)];
    if (change.dtype && *change.dtype != info.dtype) return place_.fail("tensor '{}': a new type cannot be written", info.name);
    if (change.quantization) set_quantization(tensor.quantization, *change.quantization);
    if (!change.data) return {};
    if (change.data->size() != info.data.size() || info.sparsity != nullptr) {
      return place_.fail("tensor '{}' has {} bytes, its new values {}", info.name, info.data.size(), change.data->size());
    }
    tensor.buffer = own_buffer(tensor.buffer, index);
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(change.data->data());
    target_.buffers[tensor.buffer]->data.assign(bytes, bytes + change.data->size());
    return {};
  }

  static void set_quantization(std::unique_ptr<QuantizationT>& target, const Quantization& quantization) {
    if (!target) target = std::make_unique<QuantizationT>();
    target->scale = quantization.scale;
    target->zero_point.assign(quantization.zero_point.begin(), quantization.zero_point.end());
    target->quantized_dimension = quantization.axis;
    target->min.clear();  // what calibration had seen does not hold any more
    target->max.clear();
  }

  /// The tensor's buffer if no other tensor reads it, else a new one.
  std::uint32_t own_buffer(std::uint32_t buffer, int tensor) {
    for (std::size_t graph = 0; graph < target_.subgraphs.size(); ++graph) {
      const auto& tensors = target_.subgraphs[graph]->tensors;
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        const bool itself = graph == 0 && static_cast<int>(i) == tensor;
        if (itself || tensors[i]->buffer != buffer) continue;
        target_.buffers.push_back(std::make_unique<BufferT>());
        return static_cast<std::uint32_t>(target_.buffers.size() - 1);
      }
    }
    return buffer;
  }

  std::span<const std::byte> file_;
  const Model& model_;
  const ModelEdit& edit_;
  Place place_;
  ModelT target_;
};

}  // namespace visq::loader
