#include "visqerror/sessions/device_comparison.h"

#include <algorithm>
#include <filesystem>

#include "analysis/compare/dump_tensors.h"
#include "analysis/facts/map_identity.h"
#include "core/error.h"
#include "visq/device/compare_device.h"
#include "visq/graph.h"
#include "visq/run.h"
#include "visqerror/outputs/staged_folder.h"
#include "visqerror/sessions/dump_comparison.h"
#include "visqerror/sessions/interruptible_sink.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool {
namespace {

/// No more records than the dump can hold: as many as it lists or, of one alone, as its maps count along their first axes.
Result<RecordRange> records_to_run(DumpReader& dump, RecordRange range) {
  std::int64_t last = dump.records().back() + 1;
  VISQ_ASSIGN(const auto tensors, dump.tensors(dump.records().front()));
  for (const DumpTensor& tensor : tensors) {
    if (dump.records().size() == 1 && tensor.shape.rank() > 0) last = std::max(last, tensor.shape[0]);
  }
  return RecordRange{range.first, std::clamp(last, range.first + 1, range.last)};
}

/// What the dumps do not say: operators, short names, outputs, the graph, and its order.
void complete(const Model& model, CompareResult& result) {
  const analysis::MapNames names(model, 0);
  for (MapComparison& map : result.maps) {
    const MapIdentity known = names.identity(map.reference.tensor);
    map.reference.node = map.quantized.node = known.node;
    map.reference.output = map.quantized.output = known.output;
    map.reference.op = map.quantized.op = known.op;
    map.reference.display = map.quantized.display = known.display;
    map.reference.name = map.quantized.name = known.name;
  }
  std::ranges::stable_sort(result.maps, {}, [](const MapComparison& map) { return std::pair(map.reference.node, map.reference.output); });
  for (const int output : model.main().outputs) {
    const auto found = std::ranges::find_if(result.maps, [&](const MapComparison& map) { return map.reference.tensor == output; });
    if (found != result.maps.end()) result.outputs.push_back(static_cast<int>(found - result.maps.begin()));
  }
  result.graph = graph_of(model);
}

}  // namespace

bool is_device_comparison(const PairRequest& request) {
  const bool model_first = !request.quantized.empty() && holds_dump(request.quantized) && !holds_dump(request.reference);
  return model_first && !request.data.path.empty();
}

Result<CompareResult> compare_device(PairRequest& request, const Console& console) {
  VISQ_TRY(refuse_with_dumps(request));
  if (request.quantized_mode) return usage_error("--mode: a device's maps are as they are; --ref-mode is the model's");
  VISQ_ASSIGN(const SharedModel model, load(request.reference, request.signature, console));
  DeviceDumpOptions named;
  if (!request.map.empty()) {
    VISQ_ASSIGN(named.names, load_named_maps(request.map));
  }
  VISQ_ASSIGN(const auto dump, open_dump(request.quantized));
  RunOptions options;
  options.mode = request.reference_mode.value_or(device_mode(*model));
  VISQ_ASSIGN(options.sequence, open_sequence(request.sequence, *model, nullptr, console));
  VISQ_ASSIGN(const Records records, open_records(request.data, *model, nullptr, false, console, options.sequence));
  set_up(options, records, "records", console);
  VISQ_ASSIGN(options.records, records_to_run(*dump, records.range));
  say_if_sequence({model.get()}, console);

  VISQ_ASSIGN(const StagedFolder folder, StagedFolder::create(std::filesystem::temp_directory_path().string()));
  VISQ_ASSIGN(const auto writer, DumpWriter::create(folder / "model.h5", model->path, options.mode));
  InterruptibleSink sink(*writer);
  auto outcome = run(model, *records.source, options, sink);
  if (interrupted()) return CompareResult{};
  VISQ_ASSIGN(const auto gaps, std::move(outcome));
  VISQ_TRY(writer->commit());
  VISQ_ASSIGN(const auto own, open_dump(folder / "model.h5"));

  DeviceReport report;
  VISQ_ASSIGN(const auto device, device_dump(*dump, request.quantized, *own, *model, named, report.remarks));
  request.options.progress = console.progress("records");
  request.options.stop = &interrupted();
  VISQ_ASSIGN(CompareResult result, compare_dumps(*own, request.reference, *device, request.quantized, request.options));
  VISQ_ASSIGN(DeviceReport judged, device_report(*device, *own, *model));
  judged.remarks = std::move(report.remarks);
  result.device = std::move(judged);
  result.reference = identity(*model);
  result.reference_mode = options.mode;
  result.data = records.source->description();
  complete(*model, result);
  analysis::tell_gaps(gaps, *model, analysis::MapNames(*model, 0), result);
  return result;
}

}  // namespace visq::tool
