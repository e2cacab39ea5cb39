// Turns a part of a model into a flatbuffer.
#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/as_size.h"
#include "model/call_attribute.h"
#include "model/external_files.h"
#include "model/flatbuffer_writer.h"
#include "model/place.h"
#include "model/reached_subgraphs.h"
#include "model/table_copy.h"
#include "model/verified_root.h"

namespace visq::loader {
namespace {

/// What constants of a part may take together: the rest of the 31 bits is for its tables.
constexpr std::size_t kMaxConstantBytes = kMaxFlatbufferBytes - (std::size_t{64} << 20);

class PartWriter {
 public:
  PartWriter(const FlatbufferFile& file, const Model& model, const ModelPart& part)
      : file_(file), model_(model), part_(part), place_(model.path), target_(file.schema, file.root) {}

  Result<std::string> write() {
    for (const TableCopy& graph : target_.tables("subgraphs")) {
      sources_.push_back({graph, graph.tables("tensors"), graph.tables("operators")});
    }
    if (as_size(model_.in_file(0)) < sources_.size()) std::swap(sources_[0], sources_[as_size(model_.in_file(0))]);
    source_codes_ = target_.tables("operator_codes");
    if (!is_unchanged()) return place_.fail("has changed since it was read");
    buffers_.push_back(target_.fresh("buffers"));  // buffer 0 stands for "no constant"
    std::vector<Selection> selections{main_selection()};
    for (const int called : called_graphs()) {
      numbers_.emplace(model_.in_file(called), static_cast<int>(selections.size()));
      selections.push_back(whole_graph(called));
    }
    std::vector<TableCopy> graphs;
    for (const Selection& selection : selections) graphs.push_back(make_graph(selection));
    if (constant_bytes_ > kMaxConstantBytes) {
      return place_.fail("the part has {} bytes of constants, more than a model file can hold", constant_bytes_);
    }
    target_.drop_all_but({"version", "description"});
    target_.set_tables("operator_codes", std::move(codes_));
    target_.set_tables("subgraphs", std::move(graphs));
    target_.set_tables("buffers", std::move(buffers_));
    return write_flatbuffer(target_, file_.identifier, constant_bytes_ + 4096);
  }

 private:
  struct SourceGraph {
    TableCopy table;
    std::vector<TableCopy> tensors, operators;
  };

  /// What of a subgraph is written.
  struct Selection {
    int subgraph = 0;
    std::vector<int> tensors, operators, inputs, outputs;
  };

  const Subgraph& graph(int index) const { return model_.subgraphs[as_size(index)]; }

  /// The file has been read before; indices of the model are used on it below.
  bool is_unchanged() const {
    return std::equal(sources_.begin(), sources_.end(), model_.subgraphs.begin(), model_.subgraphs.end(),
                      [&](const SourceGraph& source, const Subgraph& known) {
                        const auto has_code = [&](const TableCopy& op) {
                          return as_size(op.integer("opcode_index")) < source_codes_.size();
                        };
                        return source.tensors.size() == known.tensors.size() && source.operators.size() == known.operators.size() &&
                               std::all_of(source.operators.begin(), source.operators.end(), has_code);
                      });
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

  TableCopy make_graph(const Selection& selection) {
    const SourceGraph& source = sources_[as_size(selection.subgraph)];
    std::map<std::int64_t, std::int64_t> numbers{{-1, -1}};  // of tensors
    for (std::size_t i = 0; i < selection.tensors.size(); ++i) numbers.emplace(selection.tensors[i], i);
    const auto number = [&](std::int64_t tensor) { return numbers.at(tensor); };
    const auto numbered = [&](const std::vector<int>& tensors) {
      std::vector<std::int64_t> all(tensors.size());
      std::transform(tensors.begin(), tensors.end(), all.begin(), number);
      return all;
    };
    std::vector<TableCopy> tensors, operators;
    for (const int tensor : selection.tensors) {
      tensors.push_back(make_tensor(selection.subgraph, tensor, source.tensors[as_size(tensor)], number));
    }
    for (const int op : selection.operators) {
      operators.push_back(make_operator(graph(selection.subgraph).operators[as_size(op)], source.operators[as_size(op)], numbered));
    }
    TableCopy target = source.table;
    target.drop_all_but({"name"});
    target.set_tables("tensors", std::move(tensors));
    target.set_tables("operators", std::move(operators));
    target.set_integers("inputs", numbered(selection.inputs));
    target.set_integers("outputs", numbered(selection.outputs));
    return target;
  }

  template <class Number>
  TableCopy make_tensor(int subgraph, int index, TableCopy tensor, const Number& number) {
    tensor.set_integer("buffer", buffer_of(graph(subgraph).tensors[as_size(index)].data));
    if (tensor.has_field(kExternalBuffer)) tensor.drop(kExternalBuffer);
    if (auto quantization = tensor.table("quantization")) {
      renumber_details(*quantization, number);
      tensor.set_table("quantization", std::move(*quantization));
    }
    const auto sizes = subgraph == part_.subgraph ? part_.sizes.find(index) : part_.sizes.end();
    if (sizes != part_.sizes.end()) {
      const auto& [shape, signature] = sizes->second;
      tensor.set_integers("shape", {shape.dims().begin(), shape.dims().end()});
      tensor.set_integers("shape_signature", {signature.begin(), signature.end()});
      tensor.set_integer("has_rank", 1);
    }
    return tensor;
  }

  /// TFLite's blockwise quantization names tensors.
  template <class Number>
  static void renumber_details(TableCopy& quantization, const Number& number) {
    auto details = quantization.table("details");
    if (!details) return;
    for (const char* field : {"scales", "zero_points"}) {
      if (details->has_field(field)) details->set_integer(field, number(details->integer(field)));
    }
    quantization.set_table("details", std::move(*details));
  }

  template <class Numbered>
  TableCopy make_operator(const Operator& known, TableCopy op, const Numbered& numbered) {
    op.set_integers("inputs", numbered(known.inputs));
    op.set_integers("outputs", numbered(known.outputs));
    op.set_integers("intermediates", numbered(known.intermediates));
    for (const char* options : {"builtin_options", "builtin_options_2"}) renumber_calls(op, options);
    op.set_elements("custom_options", known.custom_options);
    op.drop("large_custom_options_offset");
    op.drop("large_custom_options_size");
    constant_bytes_ += known.custom_options.size();
    op.set_integer("opcode_index", code_of(op.integer("opcode_index")));
    return op;
  }

  /// Options name subgraphs by their numbers in the source.
  void renumber_calls(TableCopy& op, std::string_view field) const {
    auto options = op.table(field);
    if (!options) return;
    for (const std::string& name : options->fields()) {
      if (!names_subgraphs(name)) continue;
      auto callees = options->integers(name);
      for (std::int64_t& callee : callees) {
        const auto found = numbers_.find(callee);
        if (found != numbers_.end()) callee = found->second;
      }
      options->set_integers(name, callees);
    }
    op.set_table(field, std::move(*options));
  }

  std::int64_t buffer_of(std::span<const std::byte> data) {
    if (data.empty()) return 0;
    const auto [entry, fresh] = buffer_numbers_.emplace(std::pair(data.data(), data.size()), buffers_.size());
    if (fresh) {
      constant_bytes_ += data.size();
      buffers_.push_back(target_.fresh("buffers"));
      buffers_.back().set_elements("data", data);
    }
    return entry->second;
  }

  std::int64_t code_of(std::int64_t source) {
    const auto [entry, fresh] = code_numbers_.emplace(source, codes_.size());
    if (fresh) codes_.push_back(source_codes_[as_size(source)]);
    return entry->second;
  }

  const FlatbufferFile& file_;
  const Model& model_;
  const ModelPart& part_;
  Place place_;
  TableCopy target_;
  std::vector<SourceGraph> sources_;  ///< in the model's order
  std::vector<TableCopy> source_codes_, codes_, buffers_;
  std::map<std::pair<const std::byte*, std::size_t>, std::int64_t> buffer_numbers_;
  std::map<std::int64_t, std::int64_t> code_numbers_;
  std::map<std::int64_t, std::int64_t> numbers_;  ///< of called subgraphs, by their number in the file
  std::size_t constant_bytes_ = 0;
};

}  // namespace

Result<std::string> write_part_of_flatbuffer(const FlatbufferFile& file, const Model& model, const ModelPart& part) {
  return PartWriter(file, model, part).write();
}

}  // namespace visq::loader
