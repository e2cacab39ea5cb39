#include "support/models/twin_networks.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include <fmt/core.h>

#include "core/as_size.h"

namespace visq::testing {
namespace {

using Kind = NetworkLayer::Kind;
using Names = Handwriting::Names;

int draw(std::mt19937& random, int below) { return static_cast<int>(random() % static_cast<std::uint32_t>(below)); }
bool one_in(std::mt19937& random, int n) { return draw(random, n) == 0; }

std::vector<float> normal(std::uint32_t seed, std::size_t count) {
  std::mt19937 random(seed);
  std::vector<float> values(count);
  for (float& value : values) {  // a sum of four: close enough to normal, and the same on every platform
    float sum = 0;
    for (int i = 0; i < 4; ++i) sum += static_cast<float>(random() % 2001) / 1000.0F - 1.0F;
    value = sum / 2;
  }
  return values;
}

/// Writes a network down as a converter would.
class Writer {
 public:
  Writer(const Network& net, const Handwriting& hand, std::mt19937& random) : net_(net), hand_(hand), random_(random) {}

  WrittenNetwork write() {
    make_names();
    const Shape shape{1, 8, 8, net_.input_channels};
    input_ = model_.map(hand_.prefix + "input", shape);
    note(input_, "input");
    stem_ = hand_.quantized ? quantize(input_) : input_;
    made_.assign(net_.layers.size(), -1);
    split_.clear();
    for (const int index : order()) write_layer(index);
    std::vector<int> outputs;
    for (const int output : net_.outputs) outputs.push_back(hand_.quantized ? dequantize(made_[as_size(output)]) : made_[as_size(output)]);
    if (hand_.shuffles) std::shuffle(outputs.begin(), outputs.end(), random_);
    return {model_.finish({input_}, outputs), std::move(meaning_)};
  }

 private:
  void note(int tensor, std::string word) { meaning_[tensor] = std::move(word); }

  void make_names() {
    for (std::size_t i = 0; i < net_.layers.size(); ++i) names_.push_back(fmt::format("{}layer_{}", hand_.prefix, i));
    if (hand_.names != Names::kCrossed) return;
    for (std::size_t i = 0; i < names_.size(); ++i) {  // those of a branch for those of another
      for (std::size_t j = i + 1; j < names_.size(); ++j) {
        const NetworkLayer &a = net_.layers[i], &b = net_.layers[j];
        if (a.branch == 0 && b.branch == 1 && a.kind == b.kind && depth_of(i) == depth_of(j)) std::swap(names_[i], names_[j]);
      }
    }
  }

  int depth_of(std::size_t layer) const {
    int depth = 0;
    while (net_.layers[layer].inputs[0] >= 0 && net_.layers[as_size(net_.layers[layer].inputs[0])].branch >= 0) {
      layer = as_size(net_.layers[layer].inputs[0]);
      ++depth;
    }
    return depth;
  }

  std::string name(int layer, const std::string& what) {
    const std::string own = names_[as_size(layer)] + "/" + what;
    switch (hand_.names) {
      case Names::kOwn:
      case Names::kCrossed:
        return own;
      case Names::kSuffixed:
        return own + "_int8";
      case Names::kEmpty:
        return "";
      case Names::kLost:
        return fmt::format("tensor_{}", random_() % 1000000);
      case Names::kLists:
        break;
    }
    // What was merged left its name too: the own one among those of neighbours and of layers that share a constant.
    const auto other = [&] { return names_[as_size(draw(random_, static_cast<int>(names_.size())))] + "/conv"; };
    const std::string base = names_[as_size(layer)];
    return one_in(random_, 3) ? other() + ";" + own : own + ";" + base + "/BiasAdd;" + other() + ";" + base + "/BiasAdd/ReadVariableOp";
  }

  std::vector<int> order() {
    std::vector<int> order;
    std::vector<bool> done(net_.layers.size(), false);
    while (order.size() < net_.layers.size()) {
      std::vector<int> ready;
      for (std::size_t i = 0; i < net_.layers.size(); ++i) {
        const auto& inputs = net_.layers[i].inputs;
        const bool fed = std::all_of(inputs.begin(), inputs.end(), [&](int input) { return input < 0 || done[as_size(input)]; });
        if (!done[i] && fed) ready.push_back(static_cast<int>(i));
      }
      const int next = hand_.shuffles ? ready[as_size(draw(random_, static_cast<int>(ready.size())))] : ready[0];
      done[as_size(next)] = true;
      order.push_back(next);
    }
    return order;
  }

  int map(const std::string& called, Shape shape) {
    return hand_.quantized ? model_.quantized_map(called, std::move(shape), DType::kInt8, 0.05F, -20)
                           : model_.map(called, std::move(shape));
  }
  Shape shape_of(const NetworkLayer& layer) const { return {1, layer.size, layer.size, layer.channels}; }

  int quantize(int tensor) {
    const int codes =
        map("quantize_" + std::to_string(++inserted_), shapes_[tensor].rank() > 0 ? shapes_[tensor] : Shape{1, 8, 8, net_.input_channels});
    model_.op("QUANTIZE", {tensor}, {codes});
    note(codes, meaning_[tensor]);
    shapes_[codes] = shapes_[tensor];
    return codes;
  }
  int dequantize(int tensor) {
    const int real = model_.map("Identity_" + std::to_string(++inserted_), shapes_[tensor]);
    model_.op("DEQUANTIZE", {tensor}, {real});
    note(real, meaning_[tensor]);
    return real;
  }

  /// The operator that makes a layer's map, with what stands behind it in some handwritings.
  int add_op(const std::string& type, std::vector<int> inputs, const std::string& called, const Shape& shape, const std::string& word,
             const std::function<void(Operator&)>& attributes = {}) {
    const int output = map(called, shape);
    Operator& op = model_.op(type, std::move(inputs), {output});
    if (attributes) attributes(op);
    note(output, word);
    shapes_[output] = shape;
    return output;
  }

  int transposed(int tensor, const std::string& word) {
    const Shape& s = shapes_[tensor];
    const Shape turned{s[0], s[3], s[1], s[2]};
    const int there = model_.constant_int32("perm", {4}, {0, 3, 1, 2}), back = model_.constant_int32("perm", {4}, {0, 2, 3, 1});
    const std::string lost = "transpose_" + std::to_string(++inserted_);
    const int a = add_op("TRANSPOSE", {tensor, there}, lost, turned, word + " turned");
    return add_op("TRANSPOSE", {a, back}, lost + "b", s, word);
  }

  std::vector<int> read(const NetworkLayer& layer) {
    std::vector<int> inputs;
    for (const int input : layer.inputs) {
      int tensor = input < 0 ? stem_ : made_[as_size(input)];
      if (input >= 0 && hand_.requantizes && one_in(random_, 5)) tensor = quantize(tensor);
      if (input >= 0 && hand_.transposes && one_in(random_, 5)) tensor = transposed(tensor, meaning_[tensor]);
      inputs.push_back(tensor);
    }
    return inputs;
  }

  void write_layer(int index) {
    const NetworkLayer& layer = net_.layers[as_size(index)];
    const std::string word = fmt::format("{}", index);
    std::vector<int> in = read(layer);
    const Shape shape = shape_of(layer);
    int& out = made_[as_size(index)];
    switch (layer.kind) {
      case Kind::kConv:
      case Kind::kDepthwise:
        out = write_weighted(index, in[0]);
        break;
      case Kind::kAdd:
      case Kind::kGate:
        if (hand_.shuffles && one_in(random_, 2)) std::swap(in[0], in[1]);
        out = write_activation(index, layer.kind == Kind::kAdd ? "ADD" : "MUL", in, word);
        break;
      case Kind::kConcat:
        out = add_op("CONCATENATION", in, name(index, "concat"), shape, word,
                     [](Operator& op) { op.attributes.set("axis", std::int64_t{3}); });
        break;
      case Kind::kPool:
        out = add_op("MAX_POOL_2D", in, name(index, "MaxPool"), shape, word, [&](Operator& op) {
          op.attributes.set("filter_width", std::int64_t{layer.window});
          op.attributes.set("filter_height", std::int64_t{layer.window});
        });
        break;
      case Kind::kSquash:
        out = add_op("LOGISTIC", in, name(index, "Sigmoid"), shape, word);
        break;
      case Kind::kSplit:
        out = write_half(index, layer.inputs[0], in[0]);
        break;
    }
  }

  int write_half(int index, int source, int tensor) {
    const NetworkLayer& layer = net_.layers[as_size(index)];
    const int part = layer.part;
    if (hand_.cuts) {
      const int begin = model_.constant_int32("begin", {4}, {0, 0, 0, 4 * part}),
                end = model_.constant_int32("end", {4}, {1, 8, 8, 4 * part + 4}),
                strides = model_.constant_int32("strides", {4}, {1, 1, 1, 1});
      return add_op("STRIDED_SLICE", {tensor, begin, end, strides}, name(index, "slice"), shape_of(layer), std::to_string(index));
    }
    auto& halves = split_[source];
    if (halves.empty()) {
      const int axis = model_.constant_int32("axis", {}, {3});
      const std::string called = name(index, "split");
      for (int i = 0; i < 2; ++i) halves.push_back(map(called.empty() ? "" : called + ":" + std::to_string(i), shape_of(layer)));
      model_.op("SPLIT", {axis, tensor}, halves).attributes.set("num_splits", std::int64_t{2});
      for (const int half : halves) shapes_[half] = shape_of(layer);
    }
    note(halves[as_size(part)], std::to_string(index));
    return halves[as_size(part)];
  }

  /// `word` is what stands behind the activation.
  int write_activation(int index, const std::string& type, std::vector<int> in, const std::string& word) {
    const NetworkLayer& layer = net_.layers[as_size(index)];
    const Shape shape = shape_of(layer);
    const bool fused = layer.relu && hand_.fuses, dropped = layer.relu && !fused && hand_.drops_relu;
    const auto attributes = [&](Operator& op) { op.attributes.set("fused_activation_function", std::string(fused ? "RELU" : "NONE")); };
    const bool alone = !layer.relu || fused || dropped;
    const int raw =
        add_op(type, std::move(in), name(index, alone && layer.relu ? "Relu" : type), shape, alone ? word : word + " raw", attributes);
    return alone ? raw : add_op("RELU", {raw}, name(index, "Relu"), shape, word);
  }

  int write_weighted(int index, int input) {
    const NetworkLayer& layer = net_.layers[as_size(index)];
    const bool depthwise = layer.kind == Kind::kDepthwise;
    const std::string type = depthwise ? "DEPTHWISE_CONV_2D" : "CONV_2D";
    const auto channels = as_size(layer.channels);
    const int in_channels = layer.inputs[0] < 0 ? net_.input_channels : net_.layers[as_size(layer.inputs[0])].channels;
    const auto per_channel = as_size(depthwise ? 9 : 9 * in_channels);
    std::vector<float> weights = normal(layer.seed, channels * per_channel), bias = normal(layer.seed + 1, channels);
    std::vector<float> gamma = normal(layer.seed + 2, channels), beta = normal(layer.seed + 3, channels);
    for (float& value : gamma) value = 0.3F + std::fabs(value);
    const bool separate = layer.batch_norm && !hand_.folds;
    if (layer.batch_norm && hand_.folds) {
      for (std::size_t i = 0; i < weights.size(); ++i) weights[i] *= gamma[depthwise ? i % channels : i / per_channel];
      for (std::size_t c = 0; c < channels; ++c) bias[c] = bias[c] * gamma[c] + beta[c];
    }
    const std::vector<float> noise = normal(static_cast<std::uint32_t>(random_()), weights.size());
    for (std::size_t i = 0; i < weights.size(); ++i) weights[i] += hand_.weight_noise * noise[i];
    const Shape shape = depthwise ? Shape{1, 3, 3, layer.channels} : Shape{layer.channels, 3, 3, in_channels};
    const int w = weight_tensor(weights, shape, depthwise ? 3 : 0), b = bias_tensor(bias);
    const std::string word = std::to_string(index);
    if (!separate) return write_activation(index, type, {input, w, b}, word);
    return write_batch_norm(index, type, {input, w, b}, gamma, beta);
  }

  int write_batch_norm(int index, const std::string& type, std::vector<int> in, const std::vector<float>& gamma,
                       const std::vector<float>& beta) {
    const NetworkLayer& layer = net_.layers[as_size(index)];
    const Shape shape = shape_of(layer);
    const std::string word = std::to_string(index);
    const auto none = [](Operator& op) { op.attributes.set("fused_activation_function", std::string("NONE")); };
    const int raw = add_op(type, std::move(in), name(index, "conv"), shape, word + " before norm", none);
    const int g = small_constant(gamma), b = small_constant(beta);
    const int scaled = add_op("MUL", {raw, g}, name(index, "mul"), shape, word + " scaled", none);
    return write_activation(index, "ADD", {scaled, b}, word);
  }

  int weight_tensor(const std::vector<float>& values, const Shape& shape, int axis) {
    const std::string called = "weights_" + std::to_string(++inserted_);
    if (!hand_.quantized) return model_.constant(called, shape, values);
    const auto channels = as_size(shape[axis]), inner = axis == 0 ? values.size() / channels : std::size_t{1};
    std::vector<float> scale(channels, 1e-6F);
    const auto channel = [&](std::size_t i) { return axis == 0 ? i / inner : i % channels; };
    for (std::size_t i = 0; i < values.size(); ++i) scale[channel(i)] = std::max(scale[channel(i)], std::fabs(values[i]) / 127);
    std::vector<std::int8_t> codes;
    for (std::size_t i = 0; i < values.size(); ++i) codes.push_back(static_cast<std::int8_t>(std::lround(values[i] / scale[channel(i)])));
    return model_.constant_int8(called, shape, codes, scale, axis);
  }
  int bias_tensor(const std::vector<float>& values) {
    const std::string called = "bias_" + std::to_string(++inserted_);
    if (!hand_.quantized) return model_.constant(called, {static_cast<std::int64_t>(values.size())}, values);
    std::vector<std::int32_t> codes;
    for (const float value : values) codes.push_back(static_cast<std::int32_t>(std::lround(value / 1e-4F)));
    return model_.bias(called, codes, {1e-4F});
  }
  int small_constant(const std::vector<float>& values) {
    return weight_tensor(values, {1, 1, 1, static_cast<std::int64_t>(values.size())}, 3);
  }

  const Network& net_;
  const Handwriting& hand_;
  std::mt19937& random_;
  SmallModel model_;
  int input_ = 0, stem_ = 0, inserted_ = 0;
  std::vector<std::string> names_;
  std::vector<int> made_;                  ///< per layer: its map
  std::map<int, std::vector<int>> split_;  ///< per split layer: its halves
  std::map<int, Shape> shapes_;
  std::map<int, std::string> meaning_;
};

}  // namespace

WrittenNetwork write_network(const Network& network, const Handwriting& hand, std::mt19937& random) {
  return Writer(network, hand, random).write();
}

}  // namespace visq::testing
