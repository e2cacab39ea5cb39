// What is particular to ONNX: a message of protocol buffers, which begins with the version of its form.
#include <algorithm>
#include <iterator>
#include <new>

#include "core/as_size.h"
#include "model/check_graph.h"
#include "model/check_tensor.h"
#include "model/format_def.h"
#include "model/onnx/fields.h"
#include "model/onnx/fold_quantization.h"
#include "model/onnx/graph_proto.h"
#include "model/onnx/sink_constants.h"
#include "model/onnx/spread_quantized.h"
#include "model/printable.h"

namespace visq::loader::model_format_onnx {
namespace {

using onnx::Bytes;
using onnx::ModelField;

/// Versions of the standard's operator set. Source: the ONNX specification.
constexpr std::int64_t kOldestSet = 7;
constexpr std::int64_t kNewestSet = 28;

/// ir_version comes first in all files (serializers write fields by their numbers), in one byte, and a longer field follows.
bool is_onnx(Bytes file) {
  constexpr auto kVersionTag = std::byte{0x08};
  if (file.size() < 3 || file[0] != kVersionTag || file[1] == std::byte{0} || (file[1] & std::byte{0x80}) != std::byte{0}) return false;
  const auto tag = std::to_integer<unsigned>(file[2]);
  const auto number = tag >> 3, wire = tag & 7;
  return number > 1 && number <= 14 && (wire == 2 || wire == 0);
}

/// The fields of a ModelProto that are read.
struct Fields {
  std::int64_t version = 0;
  std::string producer, producer_version;
  std::optional<Bytes> graph;
  onnx::OperatorSets sets;
  onnx::Functions functions;
};

Fields read_fields(Bytes file) {
  Fields fields;
  for (onnx::Message<ModelField> model(file); model.next();) {
    switch (model.field()) {
      case ModelField::kIrVersion:
        fields.version = model.integer();
        break;
      case ModelField::kProducerName:
        fields.producer = model.text();
        break;
      case ModelField::kProducerVersion:
        fields.producer_version = model.text();
        break;
      case ModelField::kGraph:
        fields.graph = model.bytes();
        break;
      case ModelField::kOpsetImport:
        onnx::read_operator_set(model.bytes(), fields.sets);
        break;
      case ModelField::kFunctions:
        onnx::read_function(model.bytes(), fields.functions);
        break;
      default:
        model.skip();
    }
  }
  return fields;
}

Status check_sets(const onnx::OperatorSets& sets, const Place& place) {
  const auto standard = sets.find(std::string(onnx::kStandard));
  if (standard == sets.end()) return {};  // nodes of a domain without one are refused by name
  const std::int64_t version = standard->second;
  if (version < kOldestSet) return place.fail("uses operator set {}, older than {}, the oldest that is known", version, kOldestSet);
  if (version > kNewestSet) return place.fail("uses operator set {}, newer than {}, the newest that is known", version, kNewestSet);
  return {};
}

Status check_tensors(Subgraph& graph, const Place& place) {
  for (std::size_t i = 0; i < graph.tensors.size(); ++i) {
    VISQ_TRY(check_tensor(graph.tensors[i], place.tensor(static_cast<int>(i), graph.tensors[i].name)));
  }
  return {};
}

/// What a graph is beyond what stands in the file; those around it are finished.
Status finish_graph(std::size_t index, std::deque<Subgraph>& graphs, const onnx::OperatorSets& sets, onnx::ConstantStore& store,
                    const Place& place) {
  Subgraph& graph = graphs[index];
  VISQ_TRY(check_tensors(graph, place));
  VISQ_TRY(onnx::spread_quantized(graph, sets, store, place));
  VISQ_TRY(onnx::fold_quantization(graph, store, place));
  VISQ_TRY(check_tensors(graph, place));
  VISQ_TRY(check_data_flow(graph, place));
  return onnx::sink_constants(graph, graphs, store, place);
}

Status read_message(Bytes file, const std::string& path, Model& model) {
  const Place place(path);
  Fields fields = read_fields(file);
  if (!fields.graph) return place.fail("has no graph");
  VISQ_TRY(check_sets(fields.sets, place));
  model.version = fields.version;
  model.description = fields.producer_version.empty() ? fields.producer : fields.producer + " " + fields.producer_version;
  onnx::ConstantStore store(model.path, file.size());
  std::deque<Subgraph> graphs;
  VISQ_TRY(onnx::read_graphs(*fields.graph, fields.sets, fields.functions, store, place, graphs));
  for (std::size_t i = 0; i < graphs.size(); ++i)
    VISQ_TRY(finish_graph(i, graphs, fields.sets, store, place.subgraph(static_cast<int>(i))));
  if (graphs.front().operators.empty() && graphs.front().outputs.empty()) return place.fail("its graph has no operators and no outputs");
  model.subgraphs.assign(std::make_move_iterator(graphs.begin()), std::make_move_iterator(graphs.end()));
  model.storage = store.storage(std::move(model.storage));
  return check_calls(model, place);
}

Status read(Bytes file, const std::string& path, Model& model) {
  try {
    return read_message(file, path, model);
  } catch (const protozero::exception& failure) {
    return Place(path).fail("is no well-formed message of protocol buffers: {}", failure.what());
  }
}

Error not_written(const Model& model, std::string_view what) {
  return unsupported("{}: {} ONNX models is not offered yet", model.path, what);
}

constexpr FormatDef kFormat{
    {"onnx", "ONNX"},
    {},
    is_onnx,
    read,
    [](Bytes, const Model& model, const ModelPart&) -> Result<std::string> { return not_written(model, "cutting parts out of"); },
    [](Bytes, const Model& model, const ModelEdit&) -> Result<std::string> { return not_written(model, "writing changed"); }};

}  // namespace

std::span<const FormatDef> definitions() { return {&kFormat, 1}; }

}  // namespace visq::loader::model_format_onnx
