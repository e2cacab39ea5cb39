// A cause that the symptoms suggest, with the repairs that would prove it. Each cause has its file in causes/.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "diagnosis/repair.h"
#include "diagnosis/symptoms.h"
#include "visq/diagnose.h"

namespace visq::diagnosis {

using Evidence = std::vector<std::pair<std::string, double>>;

/// One way to repair it.
struct Remedy {
  std::string text;           ///< what to do, in words
  std::string configuration;  ///< the same in the words of quantizers
  ModelEdit edit;
  bool simulated = false;  ///< kernels know no such mixture of types: tried in fake quantization
  bool writable = true;    ///< unless simulated: write_edited() can put it into the file
  int ends_at = -1;        ///< nothing is edited: the network ends with this map (see EarlierEnd)
  /// What is tried is not what the words advise first, but shows the same cause: it tells what this costs, not what the fix gives.
  bool stands_in = false;
};

struct Suspicion {
  std::string_view cause;
  int tensor = -1;   ///< of the quantized model: what the finding names
  int node = -1;     ///< operator of the quantized model that makes it; -1: a graph input
  std::string text;  ///< what was measured, one line
  Evidence evidence;
  std::optional<ValueEvidence> values;  ///< a picture of them
  bool strong = false;                  ///< beyond doubt by the numbers alone; only such findings can be errors
  bool fatal = false;                   ///< nothing behind it can be right: an error whatever the trial says, and the first one
  double error_gain = 3;                ///< what repairing must win, in dB, for an error
  bool evident = false;                 ///< the numbers show damage that no SQNR shows: a warning whatever the trial says
  bool certain = false;                 ///< wrong whatever it costs: reported even where the repair gains nothing
  std::string place;                    ///< suspicions of one place are about one fault: the most specific is kept
  std::vector<Remedy> remedies;
  std::string advice;             ///< what to do where there is no remedy that can be tried
  std::vector<ModelEdit> rivals;  ///< repairs of other causes: where one of them wins as much, this is not the cause
};

class Suspicions {
 public:
  Suspicions(std::string_view cause, const Symptoms& symptoms, std::vector<Suspicion>& list)
      : cause_(cause), symptoms_(symptoms), list_(list) {}

  /// About the grid of a feature map, and of those that are tied to it.
  Suspicion& about_map(int tensor);
  /// About a constant of an operator; the finding names the operator's output.
  Suspicion& about_constant(const PairedConstant& constant);

 private:
  std::string_view cause_;
  const Symptoms& symptoms_;
  std::vector<Suspicion>& list_;
};

/// One cause of the registry.
struct CauseDef {
  std::string_view name;  ///< "ACT_CLIP"
  int specificity;        ///< of two suspicions about one place the one with the larger is kept
  void (*suspect)(const Symptoms& symptoms, const DiagnoseOptions& options, Suspicions& suspicions);
};

/// The grid for a feature map and all that are tied to it, as the records need it that ranges are fitted to; or the one that a kernel
/// demands.
Quantization new_grid(const Symptoms& symptoms, int tensor);
/// A new range for a feature map and all that are tied to it, as the reference's values need it.
Remedy new_range(const Symptoms& symptoms, int tensor);
/// True where the kernel of a map tied to this one demands its grid.
bool has_fixed_grid(const Subject& subject, int tensor);
/// The same in 16 bits.
Remedy more_bits(const Symptoms& symptoms, int tensor);

/// The reference's weights, quantized again: with the model's own bias and, as another remedy, with the reference's.
void add_reference_weights(const Symptoms& symptoms, const PairedConstant& weight, WeightScales scales, const std::string& text,
                           const std::string& configuration, Suspicion& suspicion);

/// What repairs a layer whose weights or bias are wrong, for suspicions that are about the grid of its weights.
std::vector<ModelEdit> other_repairs(const Symptoms& symptoms, const PairedConstant& weight);

/// How a name is written in a remedy's configuration.
std::string in_quotes(const std::string& name);

}  // namespace visq::diagnosis
