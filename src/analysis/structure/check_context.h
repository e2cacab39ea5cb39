// What a structure check looks at and where it reports: one file per check in checks/.
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "analysis/facts/map_identity.h"
#include "core/as_size.h"
#include "kernels/op.h"
#include "quant/graph_index.h"
#include "quant/pairing.h"
#include "visq/check.h"

namespace visq::analysis {

/// One subgraph with its look-ups.
struct CheckedGraph {
  CheckedGraph(const Model& model, int subgraph);

  const Subgraph& graph() const { return lookup.graph(); }
  /// The operator that alone reads a tensor which is no graph output; -1 where there is none.
  int only_reader(int tensor) const;
  bool is_output(int tensor) const { return outputs[as_size(tensor)]; }

  int index;
  quant::GraphIndex lookup;
  MapNames names;
  std::vector<bool> outputs;  ///< per tensor: is a graph output
};

/// An operator of the model and the reference's that does the same, both in the main subgraph.
struct OperatorPair {
  int reference = 0, model = 0;  ///< operator indices
};

struct CheckContext {
  CheckContext(const Model& checked, const Model* original) : model(checked), reference(original) {}

  const Model& model;
  const Model* reference;                    ///< may be null
  std::deque<CheckedGraph> graphs;           ///< of the model
  std::deque<CheckedGraph> reference_graph;  ///< the reference's main one; empty where there is no reference
  std::vector<OperatorPair> pairs;           ///< operators of equal type; empty without a reference
};

using Evidence = std::vector<std::pair<std::string, double>>;

/// Collects the findings of one check.
class Findings {
 public:
  Findings(std::string_view kind, std::vector<StructureFinding>& list) : kind_(kind), list_(list) {}

  /// About a tensor as made or read by operator `node` (-1: by none in particular).
  void add(Severity severity, const CheckedGraph& graph, int node, int tensor, std::string text, Evidence evidence = {});
  /// About the model (or the reference) as a whole.
  void add(Severity severity, bool in_reference, std::string text, Evidence evidence = {});

 private:
  std::string_view kind_;
  std::vector<StructureFinding>& list_;
};

/// One check of the registry.
struct CheckDef {
  std::string_view kind;
  void (*run)(const CheckContext& context, Findings& findings);
};

/// An integer type with a scale: stored values stand for real ones.
inline bool is_quantized(const TensorInfo& tensor) { return is_integer(tensor.dtype) && tensor.quantization.quantized(); }

/// A scale that no data can have asked for: zero, negative, infinite, NaN, at most 1e-20 or at least 1e10.
bool is_absurd_scale(float scale);

/// QUANTIZE and DEQUANTIZE aside: makes values that are stored as integers with a scale, or values that are floats.
bool makes_quantized(const CheckedGraph& graph, int node);
bool makes_floats(const CheckedGraph& graph, int node);
/// True where some operator of the model makes quantized values.
bool has_quantized_operators(const CheckContext& context);

}  // namespace visq::analysis
