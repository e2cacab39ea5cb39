#include "kernels/onnx/einsum_equation.h"

#include <algorithm>
#include <map>
#include <string>

#include "core/as_size.h"

namespace visq::kernels {
namespace {

constexpr char kEllipsis = '.';

/// Comma-separated terms without blanks, an ellipsis as one '.'; nothing where a letter is none.
std::optional<std::vector<std::string>> terms_of(std::string_view text) {
  std::vector<std::string> terms(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char letter = text[i];
    const bool is_letter = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z');
    if (letter == ',') {
      terms.emplace_back();
    } else if (is_letter) {
      terms.back() += letter;
    } else if (text.substr(i, 3) == "..." && terms.back().find(kEllipsis) == std::string::npos) {
      terms.back() += kEllipsis;
      i += 2;
    } else if (letter != ' ') {
      return std::nullopt;
    }
  }
  return terms;
}

class EquationReader {
 public:
  explicit EquationReader(const PrepareContext& context) : context_(context) {}

  Result<EinsumEquation> read() {
    const auto text = context_.attributes().text("equation");
    const auto arrow = text.find("->");
    const auto terms = terms_of(text.substr(0, arrow));
    const auto result = terms_of(arrow == std::string_view::npos ? std::string_view() : text.substr(arrow + 2));
    if (!terms || !result || result->size() != 1) return context_.fail("the equation '{}' is none", text);
    if (terms->size() != as_size(context_.input_count())) {
      return context_.fail("the equation has {} terms for {} inputs", terms->size(), context_.input_count());
    }
    VISQ_TRY(measure_ellipsis(*terms));
    for (std::size_t i = 0; i < terms->size(); ++i) VISQ_TRY(add_operand((*terms)[i], static_cast<int>(i)));
    if (arrow == std::string_view::npos) {
      name_result(*terms);
    } else {
      VISQ_TRY(read_result(result->front()));
    }
    mark_repeats();
    return std::move(equation_);
  }

 private:
  /// The axes that an ellipsis stands for are counted from the last; the longest decides how many there are.
  Status measure_ellipsis(const std::vector<std::string>& terms) {
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const int rank = context_.input(static_cast<int>(i)).shape.rank(), letters = static_cast<int>(terms[i].size());
      const bool has = terms[i].find(kEllipsis) != std::string::npos;
      const int rest = rank - (has ? letters - 1 : letters);
      if (rest < 0 || (!has && rest != 0)) return context_.fail("term {} has {} letters, the input {} axes", i, letters, rank);
      if (has) ellipsis_ = std::max(ellipsis_, rest);
    }
    equation_.sizes.assign(as_size(ellipsis_), 1);
    return {};
  }

  int label_of(char letter) {
    const auto [known, is_new] = labels_.emplace(letter, static_cast<int>(equation_.sizes.size()));
    if (is_new) equation_.sizes.push_back(1);
    return known->second;
  }

  Status add_operand(const std::string& term, int input) {
    const Shape& shape = context_.input(input).shape;
    std::vector<int>& labels = equation_.operands.emplace_back();
    for (const char letter : term) {
      const int rest = shape.rank() - static_cast<int>(term.size()) + 1;
      for (int i = 0; letter == kEllipsis && i < rest; ++i) labels.push_back(ellipsis_ - rest + i);
      if (letter != kEllipsis) labels.push_back(label_of(letter));
    }
    for (int axis = 0; axis < shape.rank(); ++axis) {
      std::int64_t& size = equation_.sizes[as_size(labels[as_size(axis)])];
      if (size != 1 && shape[axis] != 1 && size != shape[axis]) {
        return context_.fail("axis {} of input {} has size {}, another of its name {}", axis, input, shape[axis], size);
      }
      if (size == 1) size = shape[axis];
    }
    return {};
  }

  void add_ellipsis() {
    for (int i = 0; i < ellipsis_; ++i) equation_.result.push_back(i);
  }

  Status read_result(const std::string& term) {
    for (const char letter : term) {
      if (letter == kEllipsis) {
        add_ellipsis();
        continue;
      }
      const auto known = labels_.find(letter);
      if (known == labels_.end() || std::ranges::count(term, letter) > 1)
        return context_.fail("the result has '{}' not once, or no input has it", letter);
      equation_.result.push_back(known->second);
    }
    return {};
  }

  /// Where no result is written: the ellipsis, and every letter that there is once, by the alphabet.
  void name_result(const std::vector<std::string>& terms) {
    add_ellipsis();
    for (const auto& [letter, label] : labels_) {
      std::ptrdiff_t uses = 0;
      for (const std::string& term : terms) uses += std::ranges::count(term, letter);
      if (uses == 1) equation_.result.push_back(label);
    }
  }

  void mark_repeats() {
    for (std::size_t i = 0; i < equation_.operands.size(); ++i) {
      const Shape& shape = context_.input(static_cast<int>(i)).shape;
      for (int axis = 0; axis < shape.rank(); ++axis) {
        int& label = equation_.operands[i][as_size(axis)];
        if (shape[axis] != equation_.sizes[as_size(label)]) label = EinsumEquation::kRepeats;
      }
    }
  }

  const PrepareContext& context_;
  EinsumEquation equation_;
  std::map<char, int> labels_;
  int ellipsis_ = 0;  ///< axes
};

}  // namespace

Shape EinsumEquation::shape() const {
  Shape shape;
  for (const int label : result) shape.push_back(sizes[as_size(label)]);
  return shape;
}

Result<EinsumEquation> read_equation(const PrepareContext& context) { return EquationReader(context).read(); }

}  // namespace visq::kernels
