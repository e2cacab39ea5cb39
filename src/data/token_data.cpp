// What a language model is fed with: tokens, their positions, and who sees whom.
#include <algorithm>
#include <limits>

#include "core/as_size.h"
#include "core/error.h"
#include "core/joined.h"
#include "data/sources/convert.h"
#include "data/sources/input_spec.h"
#include "visq/tokens.h"

namespace visq {
namespace {

using data::InputKind;

/// What is added to a score that is not to count: far below every score, and finite, so that a grid can round it. As runtimes of language
/// models fill their masks.
constexpr float kUnseen = -0.7F * std::numeric_limits<float>::max();

/// Position of the graph input that the signature, or else its tensor, calls so; -1: none.
int input_named(const Model& model, std::string_view word) {
  const auto& inputs = model.main().inputs;
  const auto place = [&](const auto& named) {
    const auto found = std::ranges::find_if(inputs, [&](int tensor) { return named(tensor) == word; });
    return found == inputs.end() ? -1 : static_cast<int>(found - inputs.begin());
  };
  const int alias = place([&](int tensor) { return signature_name(model, tensor); });
  return alias >= 0 ? alias : place([&](int tensor) { return std::string_view(model.main().tensors[as_size(tensor)].name); });
}

const TensorInfo& input_tensor(const Model& model, int position) {
  return model.main().tensors[as_size(model.main().inputs[as_size(position)])];
}

template <class... Args>
Error misfit(const Model& model, int position, fmt::format_string<Args...> text, Args&&... args) {
  return bad_input("{}: --tokens: {} {}", model.path, data::input_spec(model, as_size(position)).label,
                   fmt::format(text, std::forward<Args>(args)...));
}

/// An input that takes `rows` integers (0: says itself how many).
Result<std::int64_t> integer_row(const Model& model, int position, std::int64_t rows) {
  const TensorInfo& tensor = input_tensor(model, position);
  if (data::kind_of(tensor) != InputKind::kInteger) return misfit(model, position, "is {}, not of integers", name(tensor.dtype));
  const bool one_row = tensor.has_rank && tensor.shape.rank() > 0 && tensor.shape.elements() == tensor.shape.back();
  if (!one_row || tensor.shape.elements() == 0) return misfit(model, position, "has shape {}, not [1, N]", to_string(tensor.shape));
  const std::int64_t own = tensor.shape.elements();
  if (rows != 0 && own != rows) return misfit(model, position, "has shape {}, but a call takes {} tokens", to_string(tensor.shape), rows);
  return own;
}

Result<std::int64_t> mask_length(const Model& model, int position, std::int64_t rows) {
  const TensorInfo& tensor = input_tensor(model, position);
  const InputKind kind = data::kind_of(tensor);
  if (kind != InputKind::kReal && kind != InputKind::kBool) return misfit(model, position, "is {}: no mask", name(tensor.dtype));
  const Shape& shape = tensor.shape;
  const std::int64_t length = shape.rank() > 0 ? shape.back() : 0;
  if (length == 0 || shape.elements() != rows * length) {
    return misfit(model, position, "has shape {}, not [1, 1, {}, N]", to_string(shape), rows);
  }
  return length;
}

class TokenSource final : public RecordSource {
 public:
  TokenSource(std::shared_ptr<const TokenSequences> sequences, const Model& model, const TokenInputs& inputs, TokenPart part)
      : sequences_(std::move(sequences)), inputs_(inputs), part_(part), calls_((part.last - part.first) / inputs.rows) {
    for (const int tensor : model.main().inputs) infos_.push_back(model.main().tensors[as_size(tensor)]);
  }

  std::int64_t count() const override { return sequences_->count * calls_; }
  std::string description() const override { return sequences_->path; }

  Result<Record> read(std::int64_t index) override {
    if (index < 0 || index >= count()) return bad_input("{}: record {}: there are {}", description(), index, count());
    const std::int64_t sequence = index / calls_, first = part_.first + index % calls_ * inputs_.rows;
    Record record{index, std::vector<Array>(infos_.size()), {}};
    std::vector<std::int64_t> tokens, positions;
    for (std::int64_t row = 0; row < inputs_.rows; ++row) {
      positions.push_back(first + row);
      tokens.push_back(sequences_->at(sequence, first + row));
    }
    VISQ_TRY(fill(record, inputs_.tokens, tokens));
    VISQ_TRY(fill(record, inputs_.positions, positions));
    if (inputs_.mask >= 0) record.inputs[as_size(inputs_.mask)] = mask(positions);
    return record;
  }

 private:
  Status fill(Record& record, int position, const std::vector<std::int64_t>& values) const {
    if (position < 0) return {};
    const TensorInfo& info = infos_[as_size(position)];
    Array wide = make_array(DType::kInt64, info.shape);
    std::ranges::copy(values, wide.values<std::int64_t>().begin());
    auto array = data::to_integers(wide, info.dtype);
    if (!array.ok()) return bad_input("{}: record {}, '{}': {}", description(), record.index, info.name, array.error().message);
    record.inputs[as_size(position)] = std::move(array).value();
    return {};
  }

  Array mask(const std::vector<std::int64_t>& positions) const {
    const TensorInfo& info = infos_[as_size(inputs_.mask)];
    const bool choice = info.dtype == DType::kBool;
    Array array = make_array(choice ? DType::kBool : DType::kFloat32, info.shape);
    std::size_t element = 0;
    for (const std::int64_t position : positions) {
      for (std::int64_t other = 0; other < inputs_.length; ++other, ++element) {
        const bool seen = other <= position;
        if (choice) {
          array.bytes[element] = static_cast<std::byte>(seen);
        } else {
          array.values<float>()[element] = seen ? 0.0F : kUnseen;
        }
      }
    }
    return array;
  }

  std::shared_ptr<const TokenSequences> sequences_;
  std::vector<TensorInfo> infos_;
  TokenInputs inputs_;
  TokenPart part_;
  std::int64_t calls_;
};

}  // namespace

Result<TokenInputs> token_inputs(const Model& model) {
  TokenInputs inputs{.tokens = input_named(model, "tokens"),
                     .positions = input_named(model, "input_pos"),
                     .mask = input_named(model, "mask"),
                     .others = {}};
  if (inputs.tokens < 0) {
    std::vector<std::string> names;
    for (const data::InputSpec& input : data::input_specs(model))
      names.push_back("'" + (input.alias.empty() ? input.name : input.alias) + "'");
    return bad_input("{}: --tokens: no input is called 'tokens', only {}", model.path, joined(names, ", "));
  }
  VISQ_ASSIGN(inputs.rows, integer_row(model, inputs.tokens, 0));
  if (inputs.positions >= 0) VISQ_TRY(integer_row(model, inputs.positions, inputs.rows));
  if (inputs.mask >= 0) {
    VISQ_ASSIGN(inputs.length, mask_length(model, inputs.mask, inputs.rows));
  }
  for (int i = 0; i < static_cast<int>(model.main().inputs.size()); ++i) {
    if (i != inputs.tokens && i != inputs.positions && i != inputs.mask) inputs.others.push_back(i);
  }
  return inputs;
}

std::unique_ptr<RecordSource> token_data(std::shared_ptr<const TokenSequences> sequences, const Model& model, const TokenInputs& inputs,
                                         TokenPart part) {
  return std::make_unique<TokenSource>(std::move(sequences), model, inputs, part);
}

}  // namespace visq
