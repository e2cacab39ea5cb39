#include "diagnosis/whole/twin_layers.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "analysis/facts/layer_values.h"
#include "core/as_size.h"
#include "diagnosis/repair.h"
#include "kernels/op.h"
#include "model/slots.h"

namespace visq::diagnosis {
namespace {

using quant::GraphIndex;

std::vector<int> layers_of(const GraphIndex& graph) {
  std::vector<int> nodes;
  for (std::size_t i = 0; i < graph.graph().operators.size(); ++i) {
    if (weights_of(graph, static_cast<int>(i)) != kNoTensor) nodes.push_back(static_cast<int>(i));
  }
  return nodes;
}

bool same_kind(const GraphIndex& r, int a, const GraphIndex& q, int b) {
  return r.op(a).type == q.op(b).type && r.tensor(weights_of(r, a)).shape == q.tensor(weights_of(q, b)).shape;
}

/// The longest common row of layers: pairs of positions.
std::vector<std::pair<int, int>> align(const GraphIndex& r, const std::vector<int>& a, const GraphIndex& q, const std::vector<int>& b) {
  const std::size_t width = b.size() + 1;
  std::vector<int> longest((a.size() + 1) * width, 0);  // of what follows from here on
  const auto at = [&](std::size_t i, std::size_t j) -> int& { return longest[i * width + j]; };
  for (std::size_t i = a.size(); i-- > 0;) {
    for (std::size_t j = b.size(); j-- > 0;) {
      at(i, j) = std::max(at(i + 1, j), at(i, j + 1));
      if (same_kind(r, a[i], q, b[j])) at(i, j) = std::max(at(i, j), at(i + 1, j + 1) + 1);
    }
  }
  std::vector<std::pair<int, int>> pairs;
  for (std::size_t i = 0, j = 0; i < a.size() && j < b.size();) {
    if (same_kind(r, a[i], q, b[j]) && at(i, j) == at(i + 1, j + 1) + 1) {
      pairs.emplace_back(a[i++], b[j++]);
    } else {
      at(i + 1, j) >= at(i, j + 1) ? ++i : ++j;
    }
  }
  return pairs;
}

struct Products {
  double ff = 0, fq = 0, qq = 0;
  void add(double f, double q) { ff += f * f, fq += f * q, qq += q * q; }
  ChannelFit fit() const {
    if (ff <= 0 || qq <= 0) return {ff == qq ? 1.0 : 0.0, ff == qq ? 1.0 : 0.0};
    return {fq / std::sqrt(ff * qq), fq / ff};
  }
};

LayerPair compare_layer(const GraphIndex& r, int r_node, const GraphIndex& q, int q_node) {
  LayerPair pair;
  pair.reference_node = r_node, pair.quantized_node = q_node;
  const TensorInfo& tensor = q.tensor(weights_of(q, q_node));
  const auto wanted = analysis::constant_values(r, weights_of(r, r_node)), found = analysis::constant_values(q, weights_of(q, q_node));
  if (!wanted || !found || wanted->size() != found->size()) return pair;
  const ChannelLayout layout = channel_layout(q.op(q_node), tensor);
  const auto& scales = tensor.quantization.scale;
  const bool stepped = !scales.empty() && tensor.quantization.block_size == 0;
  std::vector<Products> channels(as_size(layout.channels));
  Products all;
  double squares = 0;
  pair.elements = wanted->size();
  for (std::size_t i = 0; i < wanted->size(); ++i) {
    const auto f = static_cast<double>((*wanted)[i]), value = static_cast<double>((*found)[i]);
    const std::size_t c = layout.channel_of(i);
    channels[c].add(f, value);
    all.add(f, value);
    const double step = stepped ? static_cast<double>(scales[scales.size() > c && scales.size() > 1 ? c : 0]) : 0;
    const double move = step > 0 ? (value - f) / step : 0;
    if (std::isfinite(move)) squares += move * move;
    pair.emptied += value == 0 && std::fabs(f) > step && step > 0 ? 1U : 0U;
  }
  for (const Products& channel : channels) pair.channels.push_back(channel.fit());
  pair.cosine = all.fit().cosine;
  pair.relative = all.ff > 0 ? std::sqrt(std::max(0.0, all.ff - 2 * all.fq + all.qq) / all.ff) : 0;
  if (stepped && pair.elements > 0) pair.steps = std::sqrt(squares / static_cast<double>(pair.elements));
  return pair;
}

std::vector<std::byte> bytes_of(const std::vector<float>& values) {
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  return bytes;
}

/// Gives a float32 constant of the reference these values.
bool replace(const GraphIndex& reference, int tensor, const std::vector<float>& values, ModelEdit& edit) {
  if (tensor < 0 || !reference.tensor(tensor).is_constant || reference.tensor(tensor).dtype != DType::kFloat32) return false;
  if (values.size() != as_size(reference.tensor(tensor).shape.elements())) return false;
  edit[tensor].data = bytes_of(values);
  return true;
}

}  // namespace

int weights_of(const GraphIndex& graph, int node) {
  const auto slots = kernels::facts_of(graph.op(node)).weights;
  const int read = slots ? input_of(graph.op(node), slots->weight) : kNoTensor;
  const int weights = read < 0 ? kNoTensor : graph.origin(read);
  return weights >= 0 && graph.tensor(weights).is_constant ? weights : kNoTensor;
}

double TwinLayers::median_cosine() const {
  std::vector<double> cosines;
  for (const LayerPair& pair : pairs) cosines.push_back(pair.cosine);
  if (cosines.empty()) return 1;
  const auto middle = cosines.begin() + static_cast<std::ptrdiff_t>(cosines.size() / 2);
  std::nth_element(cosines.begin(), middle, cosines.end());
  return *middle;
}

std::optional<TwinLayers::Pruned> TwinLayers::pruned() const {
  std::size_t emptied = 0, all = 0, layers = 0;
  for (const LayerPair& layer : pairs) {
    emptied += layer.emptied, all += layer.elements;
    layers += static_cast<double>(layer.emptied) > kPrunedShare * static_cast<double>(layer.elements) ? 1U : 0U;
  }
  const double share = all > 0 ? static_cast<double>(emptied) / static_cast<double>(all) : 0;
  if (share < kPrunedShare || 2 * layers < pairs.size() || layers < kFewLayers) return std::nullopt;
  return Pruned{share, layers};
}

std::size_t TwinLayers::moved() const {
  return as_size(std::count_if(pairs.begin(), pairs.end(), [](const LayerPair& pair) { return pair.moved(); }));
}

TwinLayers twin_layers(const GraphIndex& reference, const GraphIndex& quantized) {
  const std::vector<int> a = layers_of(reference), b = layers_of(quantized);
  TwinLayers layers{{}, a.size(), b.size()};
  for (const auto& [r, q] : align(reference, a, quantized, b)) layers.pairs.push_back(compare_layer(reference, r, quantized, q));
  return layers;
}

std::optional<ModelEdit> own_weights(const GraphIndex& reference, const GraphIndex& quantized, const TwinLayers& layers) {
  ModelEdit edit;
  for (const LayerPair& pair : layers.pairs) {
    const auto weights = analysis::constant_values(quantized, weights_of(quantized, pair.quantized_node));
    if (!weights || !replace(reference, weights_of(reference, pair.reference_node), *weights, edit)) return std::nullopt;
    const Operator& op = reference.op(pair.reference_node);
    const int read = input_of(op, kernels::facts_of(op).weights->bias);
    auto bias = analysis::bias_values(quantized, quantized.op(pair.quantized_node));
    if (read < 0) {
      if (bias && std::any_of(bias->begin(), bias->end(), [](double value) { return value != 0; })) return std::nullopt;
      continue;
    }
    if (!bias) bias.emplace(pair.channels.size(), 0.0);  // a bias of zeros is often left out
    if (!replace(reference, reference.origin(read), {bias->begin(), bias->end()}, edit)) return std::nullopt;
  }
  return edit;
}

}  // namespace visq::diagnosis
