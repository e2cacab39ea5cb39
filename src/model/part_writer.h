// Turns a part of a model into a flatbuffer. Written once over a Traits class per format, as the reader is. Tables are copied from the
// source through the generated object API, so that a field which the project does not know the meaning of is kept too.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/as_size.h"
#include "model/format_schema.h"
#include "model/reached_subgraphs.h"
#include "model/verified_root.h"
#include "visq/model_part.h"

namespace visq::loader {

/// What constants of a part may take together: the rest of the 31 bits is for its tables.
inline constexpr std::size_t kMaxConstantBytes = kMaxFlatbufferBytes - (std::size_t{64} << 20);

template <class Traits>
class PartWriter {
 public:
  PartWriter(std::span<const std::byte> file, const Model& model, const ModelPart& part)
      : file_(file), model_(model), part_(part), place_(model.path) {}

  Result<std::string> write() {
    VISQ_ASSIGN(source_, verified_root<Traits>(file_, place_));
    VISQ_TRY(check_unchanged());
    target_.version = source_->version();
    if (source_->description() != nullptr) target_.description = source_->description()->str();
    target_.buffers.push_back(std::make_unique<BufferT>());  // buffer 0 stands for "no constant"
    std::vector<Selection> selections{main_selection()};
    for (const int called : called_graphs()) {
      numbers_.emplace(called, static_cast<int>(selections.size()));
      selections.push_back(whole_graph(called));
    }
    for (const Selection& selection : selections) add_graph(selection);
    if (constant_bytes_ > kMaxConstantBytes) {
      return place_.fail("the part has {} bytes of constants, more than a model file can hold", constant_bytes_);
    }
    return pack();
  }

 private:
  using SourceGraph = typename Traits::SubGraph;
  using ModelT = typename Traits::Model::NativeTableType;
  using SubGraphT = typename SourceGraph::NativeTableType;
  using TensorT = typename Traits::Tensor::NativeTableType;
  using OperatorT = typename Traits::Operator::NativeTableType;
  using BufferT = typename decltype(ModelT::buffers)::value_type::element_type;
  using CodeT = typename decltype(ModelT::operator_codes)::value_type::element_type;

  /// What of a subgraph is written.
  struct Selection {
    int subgraph = 0;
    std::vector<int> tensors, operators, inputs, outputs;
  };

  const SourceGraph& source_graph(int index) const { return *source_->subgraphs()->Get(static_cast<flatbuffers::uoffset_t>(index)); }
  const Subgraph& graph(int index) const { return model_.subgraphs[as_size(index)]; }
  template <class T>
  static std::size_t size(const T* vector) {
    return vector != nullptr ? vector->size() : 0;
  }

  /// The file has been read before; indices of the model are used on it below.
  Status check_unchanged() const {
    bool same = size(source_->subgraphs()) == model_.subgraphs.size();
    for (std::size_t i = 0; same && i < model_.subgraphs.size(); ++i) {
      const SourceGraph& source = source_graph(static_cast<int>(i));
      const Subgraph& known = model_.subgraphs[i];
      same = size(source.tensors()) == known.tensors.size() && size(source.operators()) == known.operators.size();
      for (std::size_t k = 0; same && k < known.operators.size(); ++k) {
        same = source.operators()->Get(static_cast<flatbuffers::uoffset_t>(k))->opcode_index() < size(source_->operator_codes());
      }
    }
    return same ? Status() : Status(place_.fail("has changed since it was read"));
  }

  Selection main_selection() const {
    std::set<int> tensors(part_.inputs.begin(), part_.inputs.end());
    tensors.insert(part_.outputs.begin(), part_.outputs.end());
    for (const int index : part_.operators) {
      const Operator& op = graph(part_.subgraph).operators[as_size(index)];
      for (const auto* slots : {&op.inputs, &op.outputs, &op.intermediates}) tensors.insert(slots->begin(), slots->end());
    }
    for (const int tensor : std::vector<int>(tensors.begin(), tensors.end())) {
      if (tensor < 0) continue;
      const Quantization& quantization = graph(part_.subgraph).tensors[as_size(tensor)].quantization;
      if (quantization.block_size != 0) tensors.insert({quantization.block_scales, quantization.block_zero_points});
    }
    tensors.erase(-1);
    return {part_.subgraph, {tensors.begin(), tensors.end()}, part_.operators, part_.inputs, part_.outputs};
  }

  Selection whole_graph(int index) const {
    const auto all = [](std::size_t count) {
      std::vector<int> numbers(count);
      for (std::size_t i = 0; i < count; ++i) numbers[i] = static_cast<int>(i);
      return numbers;
    };
    return {index, all(graph(index).tensors.size()), all(graph(index).operators.size()), graph(index).inputs, graph(index).outputs};
  }

  /// The subgraphs that the part calls, directly or through others, ascending.
  std::set<int> called_graphs() const {
    std::vector<const Operator*> callers;
    for (const int index : part_.operators) callers.push_back(&graph(part_.subgraph).operators[as_size(index)]);
    return reached_subgraphs(model_, std::move(callers));
  }

  void add_graph(const Selection& selection) {
    auto target = std::make_unique<SubGraphT>();
    const SourceGraph& source = source_graph(selection.subgraph);
    if (source.name() != nullptr) target->name = source.name()->str();
    std::map<int, int> numbers{{-1, -1}};  // of tensors
    for (std::size_t i = 0; i < selection.tensors.size(); ++i) numbers.emplace(selection.tensors[i], static_cast<int>(i));
    const auto number = [&](int tensor) { return numbers.at(tensor); };
    for (const int tensor : selection.tensors) target->tensors.push_back(make_tensor(selection.subgraph, tensor, number));
    for (const int op : selection.operators) target->operators.push_back(make_operator(selection.subgraph, op, number));
    for (const int input : selection.inputs) target->inputs.push_back(number(input));
    for (const int output : selection.outputs) target->outputs.push_back(number(output));
    target_.subgraphs.push_back(std::move(target));
  }

  template <class Number>
  std::unique_ptr<TensorT> make_tensor(int subgraph, int index, const Number& number) {
    std::unique_ptr<TensorT> tensor(source_graph(subgraph).tensors()->Get(static_cast<flatbuffers::uoffset_t>(index))->UnPack());
    tensor->buffer = buffer_of(graph(subgraph).tensors[as_size(index)].data);
    if (tensor->quantization) {
      drop_hollow(tensor->quantization->details);
      Traits::renumber_details(*tensor->quantization, number);
    }
    if (tensor->sparsity) {
      for (auto& dimension : tensor->sparsity->dim_metadata) {
        drop_hollow(dimension->array_segments);
        drop_hollow(dimension->array_indices);
      }
    }
    const auto sizes = subgraph == part_.subgraph ? part_.sizes.find(index) : part_.sizes.end();
    if (sizes != part_.sizes.end()) {
      tensor->shape.assign(sizes->second.shape.dims().begin(), sizes->second.shape.dims().end());
      tensor->shape_signature.assign(sizes->second.signature.begin(), sizes->second.signature.end());
      tensor->has_rank = true;
    }
    return tensor;
  }

  template <class Number>
  std::unique_ptr<OperatorT> make_operator(int subgraph, int index, const Number& number) {
    std::unique_ptr<OperatorT> op(source_graph(subgraph).operators()->Get(static_cast<flatbuffers::uoffset_t>(index))->UnPack());
    for (auto* slots : {&op->inputs, &op->outputs, &op->intermediates})
      std::transform(slots->begin(), slots->end(), slots->begin(), number);
    drop_hollow(op->builtin_options);
    drop_hollow(op->builtin_options_2);
    const auto options = graph(subgraph).operators[as_size(index)].custom_options;
    const auto* bytes = reinterpret_cast<const std::uint8_t*>(options.data());
    op->custom_options.assign(bytes, bytes + options.size());
    op->large_custom_options_offset = op->large_custom_options_size = 0;
    constant_bytes_ += options.size();
    op->opcode_index = code_of(op->opcode_index);
    return op;
  }

  /// A union whose type is set but whose table is missing cannot be packed.
  template <class Union>
  static void drop_hollow(Union& value) {
    if (value.value == nullptr) value.Reset();
  }

  std::uint32_t buffer_of(std::span<const std::byte> data) {
    if (data.empty()) return 0;
    const auto [entry, fresh] = buffers_.emplace(std::pair(data.data(), data.size()), static_cast<std::uint32_t>(target_.buffers.size()));
    if (fresh) {
      constant_bytes_ += data.size();
      auto& buffer = target_.buffers.emplace_back(std::make_unique<BufferT>());
      const auto* bytes = reinterpret_cast<const std::uint8_t*>(data.data());
      if (constant_bytes_ <= kMaxConstantBytes) buffer->data.assign(bytes, bytes + data.size());
    }
    return entry->second;
  }

  std::uint32_t code_of(std::uint32_t source) {
    const auto [entry, fresh] = codes_.emplace(source, static_cast<std::uint32_t>(target_.operator_codes.size()));
    if (fresh) target_.operator_codes.push_back(std::unique_ptr<CodeT>(source_->operator_codes()->Get(source)->UnPack()));
    return entry->second;
  }

  std::string pack() {
    flatbuffers::FlatBufferBuilder builder(constant_bytes_ + 4096);
    builder.Finish(Traits::Model::Pack(builder, &target_), Traits::identifier());
    renumber_calls(*flatbuffers::GetRoot<typename Traits::Model>(builder.GetBufferPointer()));
    return {reinterpret_cast<const char*>(builder.GetBufferPointer()), builder.GetSize()};
  }

  /// The options of a packed model name subgraphs by their numbers in the source.
  void renumber_calls(const typename Traits::Model& packed) const {
    const auto renumber = [&](OptionUnion which, auto type, const void* table) {
      if (table == nullptr) return;
      auto& writable = *const_cast<flatbuffers::Table*>(static_cast<const flatbuffers::Table*>(table));  // in the builder's own memory
      Traits::schema().renumber_calls(which, static_cast<std::int64_t>(type), writable, numbers_);
    };
    for (const SourceGraph* graph : *packed.subgraphs()) {
      if (graph->operators() == nullptr) continue;
      for (const auto* op : *graph->operators()) {
        renumber(OptionUnion::kBuiltinOptions, op->builtin_options_type(), op->builtin_options());
        renumber(OptionUnion::kBuiltinOptions2, op->builtin_options_2_type(), op->builtin_options_2());
      }
    }
  }

  std::span<const std::byte> file_;
  const Model& model_;
  const ModelPart& part_;
  Place place_;
  const typename Traits::Model* source_ = nullptr;
  ModelT target_;
  std::map<std::pair<const std::byte*, std::size_t>, std::uint32_t> buffers_;
  std::map<std::uint32_t, std::uint32_t> codes_;
  std::map<int, int> numbers_;  ///< of called subgraphs, by their number in the source
  std::size_t constant_bytes_ = 0;
};

}  // namespace visq::loader
