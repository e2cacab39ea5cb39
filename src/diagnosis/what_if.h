// Runs changed models over a few records and says how far their outputs are off the reference's.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <vector>

#include "core/available_memory.h"
#include "diagnosis/decisions.h"
#include "diagnosis/ends.h"
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
  std::vector<double> ends;      ///< of WhatIf::ends()
  Decisions decisions;           ///< of the outputs that decide
};
inline constexpr double kPerfect = 200;

/// What a change wins, in dB: the largest gain of any map, less what another loses.
double gain(const std::vector<double>& before, const std::vector<double>& after);

/// The records that a change is run on: the few with the largest error, to see which ones promise something; some of those that repairs
/// were not fitted to, to choose between them; all of these, which judge whether they win; and all that there are, for what is promised:
/// a part of them may be easier or harder than the rest.
enum class Sample : std::uint8_t { kFew, kSome, kJudged, kAll };

class WhatIf {
 public:
  /// Keeps the inputs of all records and the reference's watched maps. The subject must outlive it. `in_order`: records build on each
  /// other, so that all of them are run, whatever the sample.
  WhatIf(const Subject& subject, bool in_order);
  /// Begins a record: what the quantized model is fed with, whether the record judges, and whether it begins a sequence afresh. Errors:
  /// kBadInput where there is no memory to keep it.
  Status add(std::vector<Array> inputs, bool judges, bool afresh);
  /// Shown every map of the reference in the record that was begun last; keeps those it watches. Errors: as add().
  Status see(int reference_tensor, const kernels::Tensor& map);

  /// Where the network could end instead, outputs as places in compared_outputs().
  const std::vector<EarlierEnd>& ends() const { return ends_; }

  /// Runs a variant of the quantized model over a sample. Errors: those of a run; kUnsupported where a watched map could not be computed.
  Result<OutputErrors> run(const std::shared_ptr<const Model>& model, Mode mode, Sample sample) const;
  /// The same over all samples in one go.
  struct Samples {
    std::array<OutputErrors, 4> errors;
    const OutputErrors& of(Sample sample) const { return errors[static_cast<std::size_t>(sample)]; }
  };
  Result<Samples> run_all(const std::shared_ptr<const Model>& model, Mode mode) const;
  std::size_t records() const { return inputs_.size(); }
  /// Records of a sample.
  std::size_t records(Sample sample) const;
  /// What the quantized model is fed with in one of the records.
  const std::vector<Array>& inputs(std::size_t record) const { return inputs_[record]; }
  /// Puts records that judge first, those with the largest error of `model` before the others, so that the first few tell most. Not for
  /// records that build on each other.
  Status order_by_error(const std::shared_ptr<const Model>& model, Mode mode);

 private:
  /// Σf² and Σ(f−q)² of a map, and what it decides.
  struct Sum {
    double signal = 0, noise = 0;
    Decisions decisions;
    void add(const Sum& other) { signal += other.signal, noise += other.noise, decisions.add(other.decisions); }
  };
  /// Told of every watched map: record, which map, and what it adds.
  using Sink = std::function<void(std::size_t record, std::size_t map, const Sum& sum)>;
  using Sums = std::vector<Sum>;  ///< of every watched map
  Sum sum_of(std::size_t record, std::size_t map, const kernels::Tensor& found, std::vector<float>& scratch) const;
  OutputErrors errors_of(const Sums& sums) const;
  using Choice = std::function<bool(std::size_t record)>;
  Status simulate(const std::shared_ptr<const Model>& model, Mode mode, const Choice& chosen, const Sink& sink) const;
  bool in(Sample sample, std::size_t record) const;

  Status claim(std::uint64_t bytes);

  const Subject& subject_;
  std::vector<int> watched_;          ///< tensors of the quantized model: compared outputs, squashed maps, earlier ends
  std::size_t outputs_ = 0;           ///< how many of them are outputs
  std::size_t squashed_ = 0;          ///< and how many squashed maps
  std::vector<EarlierEnd> ends_;      ///< with a counterpart
  std::vector<std::size_t> classes_;  ///< by watched map; 0: it decides nothing
  bool in_order_ = false;
  std::vector<std::vector<Array>> inputs_;                  ///< [record]
  std::vector<int> judges_;                                 ///< [record]: its number among those that judge; -1: it does not
  int judging_ = 0;                                         ///< how many do
  std::vector<bool> afresh_;                                ///< [record]
  std::vector<std::vector<std::vector<float>>> reference_;  ///< [record][watched]; empty where a map has no real values
  std::vector<MemoryClaim> claims_;                         ///< for what is kept of all records
};

}  // namespace visq::diagnosis
