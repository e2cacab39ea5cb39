#include "analysis/trials/partial_models.h"

#include "core/error.h"

namespace visq::analysis {
namespace {

/// Graphs kept for different input shapes: enough for data with a few sizes, bounded for data where every record differs.
constexpr std::size_t kGraphsKept = 4;

}  // namespace

Result<std::unique_ptr<PartialModels>> PartialModels::create(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                                             const std::vector<PairRule>& pairs) {
  VISQ_ASSIGN(auto feed, InputFeed::create(*reference, quantized.get()));
  VISQ_ASSIGN(const auto input_order, match_inputs(*reference, *quantized));
  std::unique_ptr<PartialModels> models(new PartialModels(std::move(reference), std::move(quantized), std::move(feed)));
  models->pairing_ = quant::pair_models_once(models->reference_, models->quantized_, input_order, pairs)->front();
  models->parts_ = std::make_unique<QuantizedParts>(models->reference(), models->quantized(), models->pairing_);
  if (models->parts_->nodes().empty() && models->parts_->activations().empty()) {
    return bad_input("{}: nothing is quantized in it that has a counterpart in {}", models->quantized().path, models->reference().path);
  }
  return models;
}

Result<std::shared_ptr<const runtime::PreparedGraph>> PartialModels::graph(const std::vector<Array>& inputs) {
  std::vector<Shape> shapes;
  for (const Array& input : inputs) shapes.push_back(input.shape);
  const std::lock_guard lock(mutex_);
  for (const auto& [known, graph] : graphs_) {
    if (known == shapes) return graph;
  }
  VISQ_ASSIGN(auto graph, runtime::PreparedGraph::prepare(reference_, 0, Mode::kFp32, shapes));
  if (graphs_.size() == kGraphsKept) graphs_.erase(graphs_.begin());
  graphs_.emplace_back(std::move(shapes), graph);
  return graph;
}

}  // namespace visq::analysis
