// Writes a model file again with changed quantization parameters and constants.
#include <map>
#include <utility>
#include <vector>

#include "core/as_size.h"
#include "model/external_files.h"
#include "model/flatbuffer_writer.h"
#include "model/place.h"
#include "model/table_copy.h"
#include "model/verified_root.h"

namespace visq::loader {
namespace {

class EditWriter {
 public:
  EditWriter(const FlatbufferFile& file, const Model& model, const ModelEdit& edit)
      : file_(file), model_(model), edit_(edit), place_(model.path), target_(file.schema, file.root) {}

  Result<std::string> write() {
    if (file_.bytes.size() > kMaxFlatbufferBytes / 2) return place_.fail("has {} bytes, too many to be written again", file_.bytes.size());
    buffers_ = target_.tables("buffers");
    for (const TableCopy& graph : target_.tables("subgraphs")) graphs_.push_back({graph, graph.tables("tensors")});
    if (main() >= graphs_.size() || graphs_.size() != model_.subgraphs.size() ||
        graphs_[main()].tensors.size() != model_.main().tensors.size())
      return changed_meanwhile();
    VISQ_TRY(take_in());
    VISQ_TRY(take_in_files());
    for (const auto& [tensor, change] : edit_) VISQ_TRY(apply(tensor, change));
    std::vector<TableCopy> graphs;
    for (Graph& graph : graphs_) {
      graph.table.set_tables("tensors", std::move(graph.tensors));
      graphs.push_back(std::move(graph.table));
    }
    target_.set_tables("subgraphs", std::move(graphs));
    target_.set_tables("buffers", std::move(buffers_));
    return write_flatbuffer(target_, file_.identifier, file_.bytes.size() + 4096);
  }

 private:
  struct Graph {
    TableCopy table;
    std::vector<TableCopy> tensors;
  };

  /// The place of the model's main subgraph in the file.
  std::size_t main() const { return as_size(model_.in_file(0)); }

  Error changed_meanwhile() const { return place_.fail("has changed since it was read"); }

  /// Bytes that lie behind the flatbuffer move into it.
  Status take_in() {
    for (TableCopy& buffer : buffers_) VISQ_TRY(take(buffer, "data", "offset", "size"));
    for (Graph& graph : graphs_) {
      auto operators = graph.table.tables("operators");
      for (TableCopy& op : operators) {
        VISQ_TRY(take(op, "custom_options", "large_custom_options_offset", "large_custom_options_size"));
      }
      graph.table.set_tables("operators", std::move(operators));
    }
    return {};
  }

  Status take(TableCopy& table, std::string_view bytes, std::string_view offset_field, std::string_view size_field) {
    const auto offset = as_size(table.integer(offset_field)), size = as_size(table.integer(size_field));
    if (offset <= 1) return {};
    const std::size_t all = file_.bytes.size();
    if (offset > all || size > all - offset) return place_.fail("{} bytes at {} lie outside the file", size, offset);
    table.set_elements(bytes, file_.bytes.subspan(offset, size));
    table.drop(offset_field);
    table.drop(size_field);
    return {};
  }

  /// So do those of files beside the model.
  Status take_in_files() {
    std::map<std::int64_t, std::int64_t> buffers;  // by number of the external buffer
    std::size_t bytes = file_.bytes.size();
    for (std::size_t g = 0; g < graphs_.size(); ++g) {
      const Subgraph& known = model_.subgraphs[as_size(model_.in_file(static_cast<int>(g)))];  // a swap, so it works both ways
      for (std::size_t t = 0; t < graphs_[g].tensors.size(); ++t) {
        TableCopy& tensor = graphs_[g].tensors[t];
        const std::int64_t number = tensor.has_field(kExternalBuffer) ? tensor.integer(kExternalBuffer) : 0;
        if (number == 0 || t >= known.tensors.size()) continue;
        const auto [entry, fresh] = buffers.emplace(number, static_cast<std::int64_t>(buffers_.size()));
        if (fresh) {
          bytes += known.tensors[t].data.size();
          if (bytes > kMaxFlatbufferBytes / 2) return place_.fail("has {} bytes with its other files, too many to be written again", bytes);
          buffers_.push_back(target_.fresh("buffers"));
          buffers_.back().set_elements("data", known.tensors[t].data);
        }
        tensor.set_integer("buffer", entry->second);
        tensor.drop(kExternalBuffer);
      }
    }
    for (const char* field : {"external_buffer_groups", "external_buffers"}) {
      if (target_.has_field(field)) target_.drop(field);
    }
    return {};
  }

  Status apply(int index, const TensorEdit& change) {
    const TensorInfo& info = model_.main().tensors[as_size(index)];
    TableCopy& tensor = graphs_[main()].tensors[as_size(index)];
    if (change.dtype && *change.dtype != info.dtype) return place_.fail("tensor '{}': a new type cannot be written", info.name);
    if (change.quantization) set_quantization(tensor, *change.quantization);
    if (!change.data) return {};
    if (change.data->size() != info.data.size() || info.sparsity != nullptr) {
      return place_.fail("tensor '{}' has {} bytes, its new values {}", info.name, info.data.size(), change.data->size());
    }
    const std::size_t buffer = own_buffer(as_size(tensor.integer("buffer")), tensor);
    if (buffer >= buffers_.size()) return changed_meanwhile();
    tensor.set_integer("buffer", static_cast<std::int64_t>(buffer));
    buffers_[buffer].set_elements("data", *change.data);
    return {};
  }

  static void set_quantization(TableCopy& tensor, const Quantization& quantization) {
    auto target = tensor.table("quantization").value_or(tensor.fresh("quantization"));
    target.set_elements("scale", std::as_bytes(std::span(quantization.scale)));
    target.set_integers("zero_point", quantization.zero_point);
    target.set_integer("quantized_dimension", quantization.axis);
    target.drop("min");  // what calibration had seen does not hold any more
    target.drop("max");
    tensor.set_table("quantization", std::move(target));
  }

  /// The tensor's buffer if no other tensor reads it, else a new one.
  std::size_t own_buffer(std::size_t buffer, const TableCopy& reader) {
    for (const Graph& graph : graphs_) {
      for (const TableCopy& tensor : graph.tensors) {
        if (&tensor == &reader || as_size(tensor.integer("buffer")) != buffer) continue;
        buffers_.push_back(target_.fresh("buffers"));
        return buffers_.size() - 1;
      }
    }
    return buffer;
  }

  const FlatbufferFile& file_;
  const Model& model_;
  const ModelEdit& edit_;
  Place place_;
  TableCopy target_;
  std::vector<TableCopy> buffers_;
  std::vector<Graph> graphs_;
};

}  // namespace

Result<std::string> write_edited_flatbuffer(const FlatbufferFile& file, const Model& model, const ModelEdit& edit) {
  return EditWriter(file, model, edit).write();
}

}  // namespace visq::loader
