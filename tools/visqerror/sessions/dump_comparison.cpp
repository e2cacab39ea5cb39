#include "visqerror/sessions/dump_comparison.h"

#include <algorithm>

#include "core/error.h"
#include "visq/dumps/compare_dump.h"
#include "visq/dumps/map_names.h"
#include "visqerror/sessions/real_operators.h"
#include "visqerror/sessions/record_choice.h"
#include "visqerror/terminal/interrupt.h"

namespace visq::tool {
namespace {

Result<CompareResult> compare_two_dumps(PairRequest& request, const Console& console) {
  if (!request.sequence.feed_back.empty()) return usage_error("--feed-back: dumps of feature maps are compared as they are");
  if (!request.data.path.empty()) return usage_error("--data: dumps of feature maps are compared as they are");
  NamedMaps names;
  if (!request.map.empty()) {
    VISQ_ASSIGN(names, load_named_maps(request.map));
  }
  VISQ_ASSIGN(const auto reference, open_dump(request.reference));
  VISQ_ASSIGN(const auto quantized, open_dump(request.quantized));
  request.options.progress = console.progress("records");
  request.options.stop = &interrupted();
  return compare_dumps(*reference, request.reference, *quantized, request.quantized, request.options, names);
}

/// The model's data: those that the user gives, else what the dump says that the network was fed with.
Result<Records> open_inputs(const PairRequest& request, const std::shared_ptr<DumpReader>& dump, const std::string& path,
                            const CompareDumpOptions& options, const Model& model, const Console& console) {
  if (!request.data.path.empty()) return open_records(request.data, model, nullptr, false, console, options.sequence);
  VISQ_ASSIGN(const RecordSelection selection, parse_records(request.data.records));
  VISQ_ASSIGN(auto source, dump_inputs(dump, path, options.channels, model));
  VISQ_ASSIGN(const RecordRange range, clamp_records(selection, source->count(), path, console));
  return Records{std::move(source), range, {}};
}

Result<CompareResult> compare_with_model(PairRequest& request, const Console& console) {
  const bool model_is_reference = !holds_dump(request.reference);
  const std::string& model_path = model_is_reference ? request.reference : request.quantized;
  const std::string& dump_path = model_is_reference ? request.quantized : request.reference;
  VISQ_ASSIGN(const SharedModel model, load(model_path, request.signature, console));
  VISQ_ASSIGN(std::shared_ptr<DumpReader> dump, open_dump(dump_path));
  CompareDumpOptions options;
  VISQ_ASSIGN(options.sequence, open_sequence(request.sequence, *model, nullptr, console));
  VISQ_ASSIGN(options.channels, channel_orders(dump_path));
  VISQ_ASSIGN(const Records records, open_inputs(request, dump, dump_path, options, *model, console));
  set_up(options, records, "records", console);
  static_cast<NodeSelection&>(options) = request.options;
  options.metrics = request.options.metrics;
  options.per_channel = request.options.per_channel;
  options.per_record = request.options.per_record;
  options.max_scale = request.options.max_scale;
  options.model_is_reference = model_is_reference;
  const Mode usual = model_is_reference ? device_mode(*model) : default_mode(*model);
  options.mode = (model_is_reference ? request.reference_mode : request.quantized_mode).value_or(usual);
  say_if_sequence({model.get()}, console);
  say_if_on_reals(model, options.mode, console);
  return compare_dump(model, *records.source, *dump, dump_path, options);
}

}  // namespace

bool names_dump(const PairRequest& request) {
  return !request.quantized.empty() && (holds_dump(request.reference) || holds_dump(request.quantized));
}

Mode device_mode(const Model& model) { return has_quantization(model) && model.format != "onnx" ? Mode::kInteger : default_mode(model); }

Status refuse_with_dumps(const PairRequest& request) {
  constexpr const char* kNoOutputs = "dumps do not say which feature maps are outputs";
  constexpr const char* kByName = "dumps of feature maps are paired by name (--map)";
  struct Refused {
    const char* option;
    bool given;
    const char* reason;
  };
  const Refused all[] = {
      {"--labels", !request.labels.empty(), "dumps hold no records to classify"},
      {"--eval", !request.eval.empty(), kNoOutputs},
      {"--score", !request.score.empty(), kNoOutputs},
      {"--post", request.options.post != PostProcess::kNone, kNoOutputs},
      {"--origin", request.options.origin, "runs operators once more, so it needs models, not dumps of feature maps"},
      {"--tokens", request.tokens != nullptr, "needs two models, not dumps of feature maps"},
      {"--pair", !request.data.pairs.pairs.empty(), kByName},
      {"--no-pair", !request.data.pairs.apart.empty(), kByName},
  };
  for (const Refused& each : all) {
    if (each.given) return usage_error("{}: {}", each.option, each.reason);
  }
  return {};
}

Result<CompareResult> compare_dumped(PairRequest& request, const Console& console) {
  VISQ_TRY(refuse_with_dumps(request));
  const bool both = holds_dump(request.reference) && holds_dump(request.quantized);
  if (!both && !request.map.empty()) return usage_error("--map: goes with two dumps, or with a model, a device's dump of it and the data");
  return both ? compare_two_dumps(request, console) : compare_with_model(request, console);
}

}  // namespace visq::tool
