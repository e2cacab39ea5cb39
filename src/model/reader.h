// Turns a circle or TFLite flatbuffer into a Model. Written once over a Traits class per format: the two share nearly all tables,
// but each has generated headers of its own. Here stands what needs the flatbuffer: verification, references between tables, and
// where bytes lie; what must hold of the result is checked in check_*.h.
#pragma once

#include <flatbuffers/flatbuffers.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "core/as_size.h"
#include "model/check_graph.h"
#include "model/check_tensor.h"
#include "model/external_files.h"
#include "model/format_schema.h"
#include "model/printable.h"
#include "model/verified_root.h"

namespace visq::loader {

static_assert(std::endian::native == std::endian::little, "constants and vectors are used as they stand in the file");

/// Quantization with scales in a tensor of their own, as both formats write it.
template <class Details>
Status read_blockwise(const Details& details, Quantization& quantization, const Place& place) {
  if (details.block_size() <= 0) return place.fail("blockwise quantization has block size {}", details.block_size());
  quantization.block_size = details.block_size();
  quantization.block_scales = details.scales();
  quantization.block_zero_points = details.zero_points();
  return {};
}

template <class Traits>
class Reader {
 public:
  Reader(std::span<const std::byte> file, const std::string& path)
      : file_(file), path_(path), place_(path), budget_(flatbuffer_of(file).size()) {}

  Status read(Model& model) {
    VISQ_ASSIGN(source_, verified_root<Traits>(file_, place_));
    model.version = source_->version();
    model.description = copy(source_->description());
    VISQ_TRY(read_subgraphs(model));
    VISQ_TRY(read_signatures(model));
    model.storage = external_.keep(std::move(model.storage));
    return check_calls(model, place_);
  }

 private:
  using Schema = Traits;
  template <class T>
  using Vector = flatbuffers::Vector<T>;
  template <class T>
  using Tables = Vector<flatbuffers::Offset<T>>;

  template <class T>
  static std::size_t size(const Vector<T>* vector) {
    return vector != nullptr ? vector->size() : 0;
  }

  /// Elements of a vector, widened; empty where it is absent or the budget does not allow it. The source need not be aligned.
  template <class Out, class In>
  std::vector<Out> copy(const Vector<In>* vector) {
    std::vector<Out> values;
    if (!budget_.take(size(vector))) return values;
    values.resize(size(vector));
    for (std::size_t i = 0; i < values.size(); ++i) {
      In element;
      std::memcpy(&element, vector->Data() + i * sizeof(In), sizeof(In));
      values[i] = static_cast<Out>(element);
    }
    return values;
  }

  std::string copy(const flatbuffers::String* text) { return text != nullptr && budget_.take(text->size()) ? text->str() : std::string(); }

  Status check_budget(const Place& place) const {
    if (!budget_.exhausted()) return {};
    return place.fail("shares parts so often that the model would be {} times larger than the file", Budget::kPerByte);
  }

  /// Bytes [offset, offset + size) of the file.
  Result<std::span<const std::byte>> outside(std::uint64_t offset, std::uint64_t size, std::string_view what, const Place& place) const {
    if (offset > file_.size() || size > file_.size() - offset) {
      return place.fail("{} at byte {} with {} bytes lies beyond the file's {} bytes", what, offset, size, file_.size());
    }
    return file_.subspan(offset, size);
  }

  static std::span<const std::byte> inside(const Vector<std::uint8_t>* bytes) {
    return bytes != nullptr ? std::as_bytes(std::span(bytes->data(), bytes->size())) : std::span<const std::byte>();
  }

  Status read_subgraphs(Model& model) {
    const std::size_t count = size(source_->subgraphs());
    if (count == 0) return place_.fail("has no subgraphs");
    model.subgraphs.resize(count);
    for (std::size_t i = 0; i < count; ++i) {
      const Place place = place_.subgraph(static_cast<int>(i));
      VISQ_TRY(read_subgraph(*source_->subgraphs()->Get(static_cast<flatbuffers::uoffset_t>(i)), model.subgraphs[i], place));
    }
    if (model.main().operators.empty() && model.main().outputs.empty())
      return place_.fail("its main subgraph has no operators and no outputs");
    return {};
  }

  Status read_subgraph(const typename Schema::SubGraph& source, Subgraph& graph, const Place& place) {
    graph.name = copy(source.name());
    graph.tensors.resize(size(source.tensors()));
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      VISQ_TRY(read_tensor(*source.tensors()->Get(static_cast<flatbuffers::uoffset_t>(i)), graph.tensors[i], static_cast<int>(i), place));
    }
    for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
      const TensorInfo& tensor = graph.tensors[i];
      if (tensor.quantization.block_size != 0) VISQ_TRY(check_blockwise(tensor, graph, place.tensor(static_cast<int>(i), tensor.name)));
    }
    graph.inputs = copy<int>(source.inputs());
    graph.outputs = copy<int>(source.outputs());
    VISQ_TRY(check_indices(graph.inputs, 0, graph, "graph input", place));
    VISQ_TRY(check_indices(graph.outputs, 0, graph, "graph output", place));
    graph.operators.resize(size(source.operators()));
    for (std::size_t i = 0; i < graph.operators.size(); ++i) {
      VISQ_TRY(read_operator(*source.operators()->Get(static_cast<flatbuffers::uoffset_t>(i)), graph, static_cast<int>(i), place));
    }
    VISQ_TRY(check_budget(place));
    return check_data_flow(graph, place);
  }

  static Status check_indices(const std::vector<int>& indices, int low, const Subgraph& graph, std::string_view role, const Place& place) {
    const auto count = static_cast<int>(graph.tensors.size());
    for (std::size_t i = 0; i < indices.size(); ++i) {
      if (indices[i] < low || indices[i] >= count) {
        return place.fail("{} {} is tensor {}, but the subgraph has {} tensors", role, i, indices[i], count);
      }
    }
    return {};
  }

  Status read_tensor(const typename Schema::Tensor& source, TensorInfo& tensor, int index, const Place& graph) {
    tensor.name = copy(source.name());
    const Place place = graph.tensor(index, tensor.name);
    const auto type = Traits::schema().dtype(static_cast<std::int64_t>(source.type()));
    if (!type) return place.fail("has the unknown type {}", static_cast<int>(source.type()));
    tensor.dtype = *type;
    tensor.shape = Shape(copy<std::int64_t>(source.shape()));
    tensor.shape_signature = copy<std::int64_t>(source.shape_signature());
    tensor.is_variable = source.is_variable();
    VISQ_TRY(Traits::check_storage(source, place));
    VISQ_ASSIGN(tensor.data, read_buffer(source.buffer(), place));
    if (const std::uint32_t id = Traits::external_buffer(source); id != 0) {
      VISQ_ASSIGN(tensor.data, read_external(id, place));
    }
    tensor.is_constant = !tensor.data.empty();
    tensor.has_rank = source.has_rank() || tensor.shape.rank() > 0 || tensor.is_constant;
    if (source.quantization() != nullptr) VISQ_TRY(read_quantization(*source.quantization(), tensor.quantization, place));
    if (source.sparsity() != nullptr) tensor.sparsity = read_sparsity(*source.sparsity());
    VISQ_TRY(check_budget(place));
    return check_tensor(tensor, place);
  }

  /// The constant's bytes; none for buffer 0, which stands for "no constant", and for empty buffers.
  Result<std::span<const std::byte>> read_buffer(std::uint32_t index, const Place& place) const {
    const std::size_t count = size(source_->buffers());
    if (index == 0) return std::span<const std::byte>();
    if (index >= count) return place.fail("refers to buffer {}, but there are {} buffers", index, count);
    const auto& buffer = *source_->buffers()->Get(index);
    if (size(buffer.data()) > 0 || buffer.offset() <= 1) return inside(buffer.data());
    return outside(buffer.offset(), buffer.size(), fmt::format("buffer {}", index), place);
  }

  /// A constant that lies in a file beside the model.
  Result<std::span<const std::byte>> read_external(std::uint32_t id, const Place& place) {
    if constexpr (requires { source_->external_buffers(); }) {
      if (external_ids_.empty()) {
        for (std::size_t i = 0; i < size(source_->external_buffers()); ++i) {
          const auto position = static_cast<flatbuffers::uoffset_t>(i);
          external_ids_.emplace(source_->external_buffers()->Get(position)->id(), position);
        }
      }
      if (const auto found = external_ids_.find(id); found != external_ids_.end()) {
        const auto& buffer = *source_->external_buffers()->Get(found->second);
        const std::string packing = copy(buffer.packing());
        if (!packing.empty() && packing != "unpacked") {
          return place.fail("its values are packed as '{}', which is not known", printable(packing));
        }
        if (buffer.group() >= size(source_->external_buffer_groups())) {
          return place.fail("external buffer {} is in group {}, but there are {}", id, buffer.group(),
                            size(source_->external_buffer_groups()));
        }
        const std::string name = copy(source_->external_buffer_groups()->Get(buffer.group())->name());
        VISQ_TRY(check_budget(place));
        return external_.bytes(path_, name, buffer.offset(), buffer.length(), place);
      }
    }
    return place.fail("refers to external buffer {}, but there is none of that number", id);
  }

  Status read_quantization(const typename Schema::QuantizationParameters& source, Quantization& quantization, const Place& place) {
    quantization.scale = copy<float>(source.scale());
    quantization.zero_point = copy<std::int64_t>(source.zero_point());
    quantization.axis = source.quantized_dimension();
    quantization.min = copy<float>(source.min());
    quantization.max = copy<float>(source.max());
    return Traits::read_details(source, quantization, place);
  }

  std::shared_ptr<const Sparsity> read_sparsity(const typename Schema::SparsityParameters& source) {
    auto sparsity = std::make_shared<Sparsity>();
    sparsity->traversal_order = copy<int>(source.traversal_order());
    sparsity->block_map = copy<int>(source.block_map());
    for (std::size_t i = 0; i < size(source.dim_metadata()); ++i) {
      const auto& dimension = *source.dim_metadata()->Get(static_cast<flatbuffers::uoffset_t>(i));
      sparsity->dimensions.push_back({dimension.format() == Schema::DimensionType::DENSE, dimension.dense_size(),
                                      read_indices(dimension.array_segments_type(), dimension.array_segments()),
                                      read_indices(dimension.array_indices_type(), dimension.array_indices())});
    }
    return sparsity;
  }

  std::vector<std::int64_t> read_indices(typename Schema::SparseIndexVector type, const void* source) {
    using Kind = typename Schema::SparseIndexVector;
    if (source == nullptr) return {};
    switch (type) {
      case Kind::Int32Vector:
        return copy<std::int64_t>(static_cast<const typename Schema::Int32Vector*>(source)->values());
      case Kind::Uint16Vector:
        return copy<std::int64_t>(static_cast<const typename Schema::Uint16Vector*>(source)->values());
      case Kind::Uint8Vector:
        return copy<std::int64_t>(static_cast<const typename Schema::Uint8Vector*>(source)->values());
      default:
        return {};
    }
  }

  Status read_operator(const typename Schema::Operator& source, Subgraph& graph, int index, const Place& graph_place) {
    Operator& op = graph.operators[as_size(index)];
    const std::size_t codes = size(source_->operator_codes());
    if (source.opcode_index() >= codes) {
      return graph_place.node(index, "?").fail("has operator code {}, but there are {}", source.opcode_index(), codes);
    }
    const auto& code = *source_->operator_codes()->Get(source.opcode_index());
    op.type = Traits::schema().operator_name(Traits::operator_code(code));
    if (op.type == "CUSTOM") op.custom_code = copy(code.custom_code());
    op.version = code.version();
    const Place place = graph_place.node(index, op.label());
    VISQ_TRY(read_slots(source, op, graph, place));
    using Union = OptionUnion;
    const auto* first = static_cast<const flatbuffers::Table*>(source.builtin_options());
    const auto* second = static_cast<const flatbuffers::Table*>(source.builtin_options_2());
    const auto& schema = Traits::schema();
    VISQ_TRY(schema.read_options(Union::kBuiltinOptions, static_cast<std::int64_t>(source.builtin_options_type()), first, place, budget_,
                                 op.attributes));
    VISQ_TRY(schema.read_options(Union::kBuiltinOptions2, static_cast<std::int64_t>(source.builtin_options_2_type()), second, place,
                                 budget_, op.attributes));
    return check_budget(place);
  }

  Status read_slots(const typename Schema::Operator& source, Operator& op, const Subgraph& graph, const Place& place) {
    op.inputs = copy<int>(source.inputs());
    op.outputs = copy<int>(source.outputs());
    op.intermediates = copy<int>(source.intermediates());
    VISQ_TRY(check_indices(op.inputs, -1, graph, "input", place));
    VISQ_TRY(check_indices(op.outputs, 0, graph, "output", place));
    VISQ_TRY(check_indices(op.intermediates, -1, graph, "intermediate", place));
    op.custom_options = inside(source.custom_options());
    if (source.large_custom_options_offset() > 1) {
      VISQ_ASSIGN(op.custom_options,
                  outside(source.large_custom_options_offset(), source.large_custom_options_size(), "custom options", place));
    }
    return {};
  }

  Status read_signatures(Model& model) {
    for (std::size_t i = 0; i < size(source_->signature_defs()); ++i) {
      const auto& source = *source_->signature_defs()->Get(static_cast<flatbuffers::uoffset_t>(i));
      Signature& signature = model.signatures.emplace_back();
      signature.key = copy(source.signature_key());
      if (source.subgraph_index() >= model.subgraphs.size()) {
        return place_.fail("signature '{}' names subgraph {}, but there are {}", printable(signature.key), source.subgraph_index(),
                           model.subgraphs.size());
      }
      signature.subgraph = static_cast<int>(source.subgraph_index());
      VISQ_TRY(read_names(source.inputs(), signature, model, signature.inputs));
      VISQ_TRY(read_names(source.outputs(), signature, model, signature.outputs));
    }
    return check_budget(place_);
  }

  Status read_names(const Tables<typename Schema::TensorMap>* source, const Signature& signature, const Model& model,
                    std::vector<std::pair<std::string, int>>& names) {
    const std::size_t tensors = model.subgraphs[as_size(signature.subgraph)].tensors.size();
    for (std::size_t i = 0; i < size(source); ++i) {
      const auto& entry = *source->Get(static_cast<flatbuffers::uoffset_t>(i));
      names.emplace_back(copy(entry.name()), static_cast<int>(entry.tensor_index()));
      if (entry.tensor_index() >= tensors) {
        return place_.fail("signature '{}' names tensor {}, but subgraph {} has {} tensors", printable(signature.key), entry.tensor_index(),
                           signature.subgraph, tensors);
      }
    }
    return {};
  }

  std::span<const std::byte> file_;
  const std::string& path_;
  ExternalFiles external_;
  std::map<std::uint32_t, flatbuffers::uoffset_t> external_ids_;  ///< place of each external buffer
  Place place_;
  Budget budget_;
  const typename Schema::Model* source_ = nullptr;
};

}  // namespace visq::loader
