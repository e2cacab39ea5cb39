// What compare() works out before the first record: modes, pairing, filters, and per set of input shapes the lockstep plan.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "quant/pairing.h"
#include "runtime/lockstep.h"
#include "visq/compare.h"

namespace visq::analysis {

class ComparePlan {
 public:
  /// Pairs the models and applies the filters of the options. Errors: kBadInput where the models have nothing in common or seem swapped.
  static Result<ComparePlan> create(std::shared_ptr<const Model> reference, std::shared_ptr<const Model> quantized,
                                    const CompareOptions& options);

  /// Pairs that are compared, in the reference's graph order.
  const std::vector<quant::TensorMatch>& matches() const { return matches_; }
  const quant::Pairing& pairing() const { return pairing_; }
  const std::vector<int>& input_order() const { return input_order_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  const Model& reference() const { return *reference_; }
  const Model& quantized() const { return *quantized_; }

  /// The lockstep plan for records of these input shapes; made once per set of shapes, shared by all threads.
  Result<std::shared_ptr<const runtime::LockstepPlan>> lockstep(const std::vector<Shape>& reference_inputs,
                                                                const std::vector<Shape>& quantized_inputs);

 private:
  ComparePlan() = default;
  void warn_about_weights();

  std::shared_ptr<const Model> reference_, quantized_;
  Mode reference_mode_ = Mode::kFp32, quantized_mode_ = Mode::kFakeQuant;
  std::vector<int> input_order_;
  quant::Pairing pairing_;
  std::vector<quant::TensorMatch> matches_;
  std::vector<std::string> warnings_;
  struct Shared {
    std::mutex mutex;
    std::vector<std::pair<std::vector<Shape>, std::shared_ptr<const runtime::LockstepPlan>>> plans;  ///< most recent last
  };
  std::unique_ptr<Shared> shared_ = std::make_unique<Shared>();
};

}  // namespace visq::analysis
