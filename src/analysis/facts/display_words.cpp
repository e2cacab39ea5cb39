#include "analysis/facts/display_words.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <iterator>
#include <optional>
#include <span>

#include "core/joined.h"
#include "quant/name_parts.h"

namespace visq::analysis {
namespace {

/// Words that converters put between or behind those of a network, and that name no place in it.
constexpr std::string_view kNoise[] = {"StatefulPartitionedCall", "PartitionedCall", "ReadVariableOp", "resource", "read"};
/// Inner works of layers that take several operators.
constexpr std::string_view kInnerWorks[] = {"Tensordot", "moments", "batchnorm"};
/// What operators are called in the names that TensorFlow gives them, where that is not their type.
struct Word {
  std::string_view word, op;
};
constexpr Word kWords[] = {{"convolution", "CONV_2D"},
                           {"convolution", "DEPTHWISE_CONV_2D"},
                           {"convtranspose", "TRANSPOSE_CONV"},
                           {"depthwise", "DEPTHWISE_CONV_2D"},
                           {"depthwiseconv2d", "DEPTHWISE_CONV_2D"},
                           {"matmul", "FULLY_CONNECTED"},
                           {"matmul", "BATCH_MATMUL"},
                           {"avgpool", "AVERAGE_POOL_2D"},
                           {"maxpool", "MAX_POOL_2D"},
                           {"sigmoid", "LOGISTIC"},
                           {"conv2dtranspose", "TRANSPOSE_CONV"},
                           {"conv2dbackpropinput", "TRANSPOSE_CONV"},
                           {"concat", "CONCATENATION"}};

bool is_digit(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_upper(char c) { return std::isupper(static_cast<unsigned char>(c)) != 0; }
char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }

template <class List>
bool any_is(const List& list, std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

/// Lower case without '_', and without the number behind it: "MatMul_12" and "matmul" are one word.
std::string plain(std::string_view word) {
  while (!word.empty() && (is_digit(word.back()) || word.back() == '_')) word.remove_suffix(1);
  std::string text;
  for (const char c : word) {
    if (c != '_') text += lower(c);
  }
  return text;
}

bool is_work_of(std::string_view word, std::string_view op) {
  const std::string text = plain(word);
  if (text.empty() || op.empty()) return false;
  const auto same = [&](const Word& each) { return each.word == text && each.op == op; };
  return text == plain(op) || std::any_of(std::begin(kWords), std::end(kWords), same);
}
bool is_bias(std::string_view word) { return plain(word) == "biasadd"; }

/// TensorFlow writes operators as "BiasAdd", layers as "dense_1".
bool is_work(std::string_view word, std::string_view op) { return (!word.empty() && is_upper(word[0])) || is_work_of(word, op); }

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> words;
  while (!text.empty()) {
    const auto end = std::min(text.find(at), text.size());
    if (end > 0) words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

/// A component of a path of PyTorch modules, "torch.nn.modules.linear.Linear_dn" or, of the model itself, "nets.Decoder": the class, and
/// what its parent calls it. Nothing where it is no such component.
struct Module {
  std::string_view type, attribute;
};
std::optional<Module> module_of(std::string_view component) {
  for (auto dot = component.find('.'); dot != std::string_view::npos && dot + 1 < component.size(); dot = component.find('.', dot + 1)) {
    if (!is_upper(component[dot + 1])) continue;
    const std::string_view rest = component.substr(dot + 1);
    const auto end = std::min(rest.find('_'), rest.size());
    return Module{rest.substr(0, end), rest.substr(std::min(end + 1, rest.size()))};
  }
  return std::nullopt;
}

/// The attributes' path from the model's own class on; empty where the path is none of modules.
std::vector<std::string> module_words(std::string_view path) {
  std::vector<std::string> words;
  for (const std::string_view component : split(path, '/')) {
    const auto module = module_of(component);
    if (!module) return {};
    words.emplace_back(module->attribute);
    if (!words.back().empty()) continue;
    words.back() = module->type;
    std::transform(words.back().begin(), words.back().end(), words.back().begin(), lower);
  }
  return words;
}

bool is_number(std::string_view word) { return std::all_of(word.begin(), word.end(), is_digit); }

}  // namespace

LayerPath::LayerPath(std::string_view path, std::string_view op, std::string_view count) : words_(module_words(path)), count_(count) {
  if (!words_.empty()) {
    separator_ = ".";
    work_ = op;
    std::transform(work_.begin(), work_.end(), work_.begin(), lower);
  } else {
    for (const std::string_view word : split(path, '/')) {
      if (!any_is(kNoise, word)) words_.emplace_back(word);
    }
    if (words_.size() > 1 && is_work(words_.back(), op)) {
      work_ = words_.back();
      words_.pop_back();
    }
    while (words_.size() > 1 && any_is(kInnerWorks, words_.back())) words_.pop_back();
  }
  layer_ = joined(words_, separator_);
}

std::vector<std::string> LayerPath::choices() const {
  std::vector<std::string> choices;
  const auto add = [&](const std::string& layer) {
    choices.push_back(layer);
    if (!work_.empty()) choices.push_back(layer + "/" + work_);
    if (!work_.empty() && !count_.empty()) choices.push_back(layer + "/" + work_ + "_" + count_);
  };
  if (words_.empty()) return choices;
  const bool modules = separator_ == ".";  // their attributes are known by the whole way to them
  if (words_.size() == 1 || !(modules || is_number(words_.back()))) add(words_.back());
  for (std::size_t k = words_.size() - 1; k-- > 0 && !modules;) add(fmt::format("{}/{}", words_[k], words_.back()));
  for (std::size_t k = words_.size() - 1; k-- > 0;) add(joined(std::span(words_).subspan(k), separator_));
  return choices;
}

std::vector<NamePart> name_parts_of(std::string_view name, std::string_view op) {
  std::vector<NamePart> parts;
  const auto texts = quant::name_parts(name);
  for (std::size_t i = 0; i < texts.size(); ++i) {
    if (is_number(texts[i])) continue;  // of what stands before it
    const std::string_view count = i + 1 < texts.size() && is_number(texts[i + 1]) ? texts[i + 1] : std::string_view();
    const auto node = texts[i].rfind("::");
    const std::string_view text = node == std::string_view::npos ? texts[i] : texts[i].substr(node + 2);
    const auto words = split(text, '/');
    if (words.empty()) continue;
    NamePart part{LayerPath(text, op, count), 0};
    std::string_view last = words.back();
    for (std::size_t k = words.size(); k-- > 0 && any_is(kNoise, last);) last = words[k];
    part.kinship = is_work_of(last, op) ? 2 : is_bias(last) ? 1 : 0;
    parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace visq::analysis
