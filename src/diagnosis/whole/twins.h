// Two models that are no float model and its quantized twin: other weights, another ending. Each kind has its file in twins/.
#pragma once

#include <optional>
#include <string_view>

#include "diagnosis/symptoms.h"
#include "diagnosis/whole/twin_layers.h"
#include "visq/diagnose.h"

namespace visq::diagnosis {

/// RETRAINED's evidence of TwinEvidence::own_sqnr.
inline constexpr std::string_view kOwnSqnr = "sqnr_with_own_weights";

/// What is known of a pair when it is judged.
struct TwinEvidence {
  const Symptoms& symptoms;
  TwinLayers layers;
  const OutputDamage& damage;
  double output_sqnr = 0;    ///< of the worst output, in dB
  bool fault_found = false;  ///< there is an error among the findings
  /// The same against the reference with the weights and biases of the quantized model, where most weights differ and all can be exchanged:
  /// what quantization alone costs.
  std::optional<double> own_sqnr;

  const quant::GraphIndex& r() const { return symptoms.subject().r(); }
  const quant::GraphIndex& q() const { return symptoms.subject().q(); }
  const Model& reference() const { return symptoms.subject().reference(); }
  const Model& quantized() const { return symptoms.subject().quantized(); }
  /// The models do not do the same, as their users see it: other classes in more than a tenth of the records; where there are none, an
  /// error of the outputs over a tenth of their amplitude.
  bool differ() const;
  /// They differ, and not because of what quantization does to the weights: that alone would cost less, where it could be measured.
  bool differ_by_weights() const;
  /// Whose fault the difference is, in a sentence that begins with a blank; empty where it was not measured.
  std::string blame() const;
};

struct TwinDef {
  std::string_view name;
  int rank;         ///< of those that are about weights, only the first that says something is told
  bool of_weights;  ///< the finding is about the values of weights, not about the graphs
  std::optional<GlobalRemark> (*judge)(const TwinEvidence& evidence);
};

/// Adds what the kinds of twins have to say to the remarks, before all others, and RETRAINED to the findings. `data`: the records that were
/// diagnosed.
void add_twins(const Symptoms& symptoms, RecordSource& data, const DiagnoseOptions& options, DiagnoseResult& result);

}  // namespace visq::diagnosis
