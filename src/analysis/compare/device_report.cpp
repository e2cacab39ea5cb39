// Which operator of a model a device computes otherwise: each is run once more, on what the device fed its own with.
#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "analysis/compare/dump_tensors.h"
#include "analysis/compare/step_sum.h"
#include "analysis/facts/map_identity.h"
#include "core/as_size.h"
#include "core/error.h"
#include "data/sources/convert.h"
#include "visq/device/compare_device.h"
#include "visq/run.h"

namespace visq {
namespace {

/// A dump's map as real values.
Result<std::vector<double>> reals(DumpReader& dump, std::int64_t record, const DumpTensor& tensor) {
  VISQ_ASSIGN(const Array array, dump.read(record, tensor));
  return analysis::reals_of(array, tensor);
}

/// Keeps the values of one tensor.
class KeptMap final : public MapSink {
 public:
  explicit KeptMap(int tensor) : tensor_(tensor) {}
  Status begin_record(std::int64_t) override { return {}; }
  Status add(const FeatureMap& map) override {
    if (map.tensor != tensor_) return {};
    Array array = make_array(map.dtype, map.shape);
    std::copy_n(map.data, array.bytes.size(), array.bytes.begin());
    values = analysis::reals_of(array, map.info->quantization);
    return {};
  }
  std::vector<double> values;

 private:
  int tensor_;
};

/// The operators between a map and the nearest maps before it that the device's dump holds.
struct DevicePart {
  std::vector<int> inputs;  ///< tensors
  std::set<int> operators;  ///< ascending is their order
  std::vector<std::string> unseen;
  bool possible = true;  ///< all inputs are known: dumped
};

class DeviceJudge {
 public:
  DeviceJudge(DumpReader& device, DumpReader& reference, const Model& model)
      : device_(device), reference_(reference), model_(model), graph_(model.main()), names_(model, 0), replays_(!keeps_state(model)) {
    for (std::size_t node = 0; node < graph_.operators.size(); ++node) {
      for (const int output : graph_.operators[node].outputs) {
        if (output >= 0) maker_[output] = static_cast<int>(node);
      }
    }
  }

  Result<DeviceReport> judge() {
    VISQ_ASSIGN(const auto listed, device_.tensors(device_.records().front()));
    for (const DumpTensor& tensor : listed) dumped_[tensor.index] = tensor;
    VISQ_ASSIGN(const auto own, reference_.tensors(reference_.records().front()));
    for (const DumpTensor& tensor : own) computed_[tensor.index] = tensor;
    DeviceReport report;
    for (const int tensor : in_order()) {
      VISQ_ASSIGN(report.maps.emplace_back(), judge_map(tensor));
      const bool first = report.first < 0 && !report.maps.back().fault.empty();
      if (first) report.first = static_cast<int>(report.maps.size()) - 1;
    }
    return report;
  }

 private:
  std::vector<int> in_order() const {
    std::vector<int> tensors;
    const auto take = [&](int tensor) {
      if (dumped_.contains(tensor) && computed_.contains(tensor)) tensors.push_back(tensor);
    };
    for (const int input : graph_.inputs) take(input);
    for (const Operator& op : graph_.operators) {
      for (const int output : op.outputs) take(output);
    }
    return tensors;
  }

  DevicePart part_before(int tensor) const {
    DevicePart part;
    const auto maker = maker_.find(tensor);
    part.possible = maker != maker_.end() && replays_;
    if (!part.possible) return part;
    std::vector<int> open{maker->second};
    while (!open.empty()) {
      const int node = open.back();
      open.pop_back();
      if (!part.operators.insert(node).second) continue;
      for (const int input : graph_.operators[as_size(node)].inputs) {
        if (input < 0 || graph_.tensors[as_size(input)].is_constant) continue;
        const auto before = maker_.find(input);
        const bool known = dumped_.contains(input);
        if (known || before == maker_.end()) {
          part.possible = part.possible && (known || is_input(input));
          if (std::find(part.inputs.begin(), part.inputs.end(), input) == part.inputs.end()) part.inputs.push_back(input);
        } else if (!part.operators.contains(before->second)) {
          part.unseen.push_back(names_.identity(input).name);
          open.push_back(before->second);
        }
      }
    }
    return part;
  }
  bool is_input(int tensor) const { return std::find(graph_.inputs.begin(), graph_.inputs.end(), tensor) != graph_.inputs.end(); }

  /// A model of the part's operators alone.
  std::shared_ptr<const Model> model_of(const DevicePart& part, int output) const {
    auto model = std::make_shared<Model>(model_);
    Subgraph& graph = model->subgraphs[0];
    graph.operators.clear();
    for (const int node : part.operators) graph.operators.push_back(graph_.operators[as_size(node)]);
    graph.inputs = part.inputs;
    graph.outputs = {output};
    model->signatures.clear();
    return model;
  }

  /// What the device has of a map, or where it does not say (a graph input) the model; as codes where the tensor is quantized.
  Result<Array> fed(int tensor, std::int64_t record) {
    const TensorInfo& info = graph_.tensors[as_size(tensor)];
    const auto of_device = dumped_.find(tensor);
    const bool known = of_device != dumped_.end();
    const DumpTensor& source = known ? of_device->second : computed_.at(tensor);
    VISQ_ASSIGN(const auto values, reals(known ? device_ : reference_, record, source));
    const bool codes = is_integer(info.dtype) && info.quantization.scale.size() == 1;
    Array wide = make_array(codes ? DType::kInt64 : DType::kFloat64, source.shape);
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (!codes) {
        wide.values<double>()[i] = values[i];
        continue;
      }
      const IntegerRange range = integer_range(info.dtype);
      const double code = std::nearbyint(values[i] / static_cast<double>(info.quantization.scale[0])) +
                          static_cast<double>(info.quantization.zero_point[0]);
      const double low = static_cast<double>(range.low), high = static_cast<double>(range.high);
      wide.values<std::int64_t>()[i] = static_cast<std::int64_t>(code >= low ? std::min(code, high) : low);
    }
    if (codes || is_integer(info.dtype) || info.dtype == DType::kBool) return data::to_integers(wide, data::stored_as(info.dtype));
    return data::to_floats(wide, DType::kFloat32);
  }

  /// What the model's operators make of the device's maps.
  Result<std::vector<double>> replayed(const DevicePart& part, const std::shared_ptr<const Model>& model, int output, std::int64_t record) {
    std::vector<Array> inputs;
    for (const int input : part.inputs) {
      VISQ_ASSIGN(inputs.emplace_back(), fed(input, record));
    }
    const auto record_of_part = std::make_shared<std::vector<Record>>(1, Record{0, std::move(inputs), {}});
    const auto data = stored_records(record_of_part, "device");
    RunOptions options;
    options.records = {0, 1};
    options.mode = default_mode(model_);
    if (options.mode == Mode::kFakeQuant && model_.format != "onnx") options.mode = Mode::kInteger;
    KeptMap kept(output);
    VISQ_ASSIGN(const auto gaps, run(model, *data, options, kept));
    return gaps.empty() ? std::move(kept.values) : std::vector<double>();
  }

  Result<DeviceMap> judge_map(int tensor) {
    const MapIdentity identity = names_.identity(tensor);
    DeviceMap map;
    map.tensor = tensor;
    map.node = identity.node;
    map.name = identity.name;
    map.op = identity.op;
    DevicePart part = part_before(tensor);
    const auto model = part.possible ? model_of(part, tensor) : nullptr;
    const TensorInfo& info = graph_.tensors[as_size(tensor)];
    map.step = info.quantization.scale.size() == 1 ? static_cast<double>(info.quantization.scale[0]) : 0;
    analysis::StepSum whole, own;
    for (const std::int64_t record : device_.records()) {
      if (!std::ranges::binary_search(reference_.records(), record)) continue;
      VISQ_ASSIGN(const auto found, reals(device_, record, dumped_.at(tensor)));
      VISQ_ASSIGN(const auto wanted, reals(reference_, record, computed_.at(tensor)));
      if (map.step <= 0) map.step = thousandth(wanted);
      whole.add(record, found, wanted, map.step);
      if (model == nullptr) continue;
      VISQ_ASSIGN(const auto made, replayed(part, model, tensor, record));
      own.add(record, found, made, map.step);
    }
    map.whole = whole.finish();
    map.own = own.finish();
    map.unseen = std::move(part.unseen);
    map.fault = analysis::fault_of(model != nullptr ? map.own : map.whole);
    if (map.node < 0 && !map.fault.empty()) map.fault = "input";
    return map;
  }

  static double thousandth(const std::vector<double>& values) {
    double largest = 0;
    for (const double value : values) largest = std::isfinite(value) ? std::max(largest, std::fabs(value)) : largest;
    return largest > 0 ? largest / 1000 : 1;
  }

  DumpReader &device_, &reference_;
  const Model& model_;
  const Subgraph& graph_;
  analysis::MapNames names_;
  bool replays_;
  std::map<int, int> maker_;  ///< by tensor
  std::map<int, DumpTensor> dumped_, computed_;
};

}  // namespace

Result<DeviceReport> device_report(DumpReader& device, DumpReader& reference, const Model& model) {
  return DeviceJudge(device, reference, model).judge();
}

}  // namespace visq
