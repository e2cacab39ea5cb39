// Runs changed models over a few records and says how far their outputs are off the reference's.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "core/available_memory.h"
#include "diagnosis/subject.h"
#include "runtime/executor.h"
#include "visq/data.h"
#include "visq/mode.h"

namespace visq::diagnosis {

/// The outputs of the quantized graph that have a counterpart.
std::vector<int> compared_outputs(const Subject& subject);
/// What outputs are made of by squashing alone (the input of a last SOFTMAX): there a fault shows in every record, behind it
/// only where the scores are near each other.
std::vector<int> squashed_maps(const Subject& subject);

/// SQNR in dB over all records: 10·log10(Σf² / Σ(f−q)²), f the float model's value. A value of q that is not finite counts as 0: it tells
/// nothing. At most kPerfect: no error.
struct OutputErrors {
  std::vector<double> outputs;   ///< of compared_outputs()
  std::vector<double> squashed;  ///< of squashed_maps()
};
inline constexpr double kPerfect = 200;

/// What a change wins, in dB: the largest gain of any map, less what another loses.
double gain(const std::vector<double>& before, const std::vector<double>& after);

class WhatIf {
 public:
  /// Keeps the inputs of all records and the reference's watched maps. The subject must outlive it.
  explicit WhatIf(const Subject& subject);
  /// Begins a record: what the quantized model is fed with. Errors: kBadInput where there is no memory to keep it.
  Status add(std::vector<Array> inputs);
  /// Shown every map of the reference in the record that was begun last; keeps those it watches. Errors: as add().
  Status see(int reference_tensor, const kernels::Tensor& map);

  /// Runs a variant of the quantized model over the first `records` records. Errors: those of a run; kUnsupported where a watched map could
  /// not be computed.
  Result<OutputErrors> run(const std::shared_ptr<const Model>& model, Mode mode, std::size_t records) const;
  /// The same over all records, and over the first `few` of them, in one go.
  struct FewAndAll {
    OutputErrors few, all;
  };
  Result<FewAndAll> run_all(const std::shared_ptr<const Model>& model, Mode mode, std::size_t few) const;
  std::size_t records() const { return inputs_.size(); }
  /// What the quantized model is fed with in one of the records.
  const std::vector<Array>& inputs(std::size_t record) const { return inputs_[record]; }
  /// Puts records with the largest error of `model` first, so that the first few tell most. Not for models that keep state.
  Status order_by_error(const std::shared_ptr<const Model>& model, Mode mode);

 private:
  /// Told of every watched map: record, which map, Σf² and Σ(f−q)².
  using Sink = std::function<void(std::size_t record, std::size_t map, double signal, double noise)>;
  /// Σf² and Σ(f−q)² of every watched map.
  struct Sums {
    std::vector<double> signal, noise;
  };
  Sums no_sums() const { return {std::vector<double>(watched_.size(), 0), std::vector<double>(watched_.size(), 0)}; }
  OutputErrors errors_of(const Sums& sums) const;
  Status simulate(const std::shared_ptr<const Model>& model, Mode mode, std::size_t records, const Sink& sink) const;

  Status claim(std::uint64_t bytes);

  const Subject& subject_;
  std::vector<int> watched_;                                ///< tensors of the quantized model: compared outputs, then squashed maps
  std::size_t outputs_ = 0;                                 ///< how many of them are outputs
  std::vector<std::vector<Array>> inputs_;                  ///< [record]
  std::vector<std::vector<std::vector<float>>> reference_;  ///< [record][watched]; empty where a map has no real values
  std::vector<MemoryClaim> claims_;                         ///< for what is kept of all records
};

}  // namespace visq::diagnosis
