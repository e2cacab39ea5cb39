// A pair of models opened for partly quantized runs: what sensitivity, accumulate and partial start with.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "analysis/trials/quantized_parts.h"
#include "visq/data.h"

namespace visq::analysis {

class PartialModels {
 public:
  /// `pairs`: RunRequest::pairs. Errors: kBadInput where the models have nothing in common, or where nothing of the pairs between them is
  /// quantized.
  static Result<std::unique_ptr<PartialModels>> create(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                                       const std::vector<PairRule>& pairs = {});

  const Model& reference() const { return *reference_; }
  const Model& quantized() const { return *quantized_; }
  /// Of the main graphs.
  const quant::GraphPairing& pairing() const { return pairing_; }
  QuantizedParts& parts() { return *parts_; }
  const QuantizedParts& parts() const { return *parts_; }

  /// The inputs of the float graph in one record.
  Result<std::vector<Array>> inputs(const Record& record) const { return feed_.for_model(record); }
  /// The float graph, prepared for these inputs; made once per set of shapes. Safe to call from several threads.
  Result<std::shared_ptr<const runtime::PreparedGraph>> graph(const std::vector<Array>& inputs);

 private:
  PartialModels(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized, InputFeed feed)
      : reference_(std::move(reference)), quantized_(std::move(quantized)), feed_(std::move(feed)) {}

  std::shared_ptr<const Model> reference_, quantized_;
  InputFeed feed_;
  quant::GraphPairing pairing_;
  std::unique_ptr<QuantizedParts> parts_;
  std::mutex mutex_;
  std::vector<std::pair<std::vector<Shape>, std::shared_ptr<const runtime::PreparedGraph>>> graphs_;  ///< most recent last
};

}  // namespace visq::analysis
