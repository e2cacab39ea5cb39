// Compares a dump of feature maps with a model that is run over the same records: a float reference that PyTorch or a device computed, and
// the model that a converter made of the same network.
#pragma once

#include <memory>
#include <string>

#include "visq/compare.h"
#include "visq/dumps/dump_layout.h"

namespace visq {

struct CompareDumpOptions : SequenceRequest, NodeSelection {
  Mode mode = Mode::kFakeQuant;  ///< of the model
  std::vector<Metric> metrics;   ///< empty: all
  bool per_channel = false, per_record = false;
  double max_scale = 0;             ///< anomaly limit for scales; 0: none
  bool model_is_reference = false;  ///< else the dump is
  ChannelOrders channels;           ///< of the dump's maps, as far as known
};

/// Runs the model over the records of `data` that the dump has too, and compares its maps with the dump's. Pairs, each map once:
/// - by name: equal names (in files '/' and ':' are '_'), short names, and paths of PyTorch modules ("layer.0.fc" is a part of the tensor's
///   name "nets.Net/…Sequential_layer/…/…Linear_fc;"); "input", "input:1", "output" … are the model's inputs and outputs in their order;
/// - by their values in the first records (Pearson's correlation over at most 8192 elements of each, 0.9 or more), where each is the
/// other's
///   likest. A map that an operator limits (a fused RELU) may be like the dump's once that is limited too, and is then compared with that.
/// Of several that bear a name the likest counts. Maps that hold the same values with their channels in another place (NCHW, NHWC) are
/// compared in the model's order, those in another shape in the model's shape.
/// Errors: kBadInput where dump and data have no record in common, or no map is like any; kUsage where nothing fits the selection.
Result<CompareResult> compare_dump(std::shared_ptr<const Model> model, RecordSource& data, DumpReader& dump, const std::string& dump_path,
                                   const CompareDumpOptions& options);

}  // namespace visq
