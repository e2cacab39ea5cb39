// Einsum of ONNX: operand by operand, as products of matrices of what they share; axes that nobody else needs are summed up before.
#include <algorithm>

#include "core/as_size.h"
#include "core/checked.h"
#include "kernels/backend/onednn.h"
#include "kernels/onnx/einsum_equation.h"

namespace visq::kernels::ops_onnx_einsum {
namespace {

using Labels = std::vector<int>;

bool has(const Labels& labels, int label) { return std::ranges::find(labels, label) != labels.end(); }

std::int64_t elements(const EinsumEquation& equation, const Labels& labels) {
  std::int64_t product = 1;
  for (const int label : labels) product *= equation.sizes[as_size(label)];
  return product;
}

/// Values with an axis for each label, dense.
struct Operand {
  std::vector<float> values;
  Labels labels;
};

/// Elements between neighbours along each label; those of axes that share one add up, which is the diagonal.
std::vector<std::int64_t> label_strides(const EinsumEquation& equation, const Shape& shape, const Labels& axes) {
  std::vector<std::int64_t> strides(equation.sizes.size(), 0);
  std::int64_t step = 1;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    if (axes[as_size(axis)] != EinsumEquation::kRepeats) strides[as_size(axes[as_size(axis)])] += step;
    step *= shape[axis];
  }
  return strides;
}

/// Calls body(offset) for each point of the labels' space, the last label's first.
template <class Body>
void for_each_point(const EinsumEquation& equation, const Labels& labels, const std::vector<std::int64_t>& strides, const Body& body) {
  const std::int64_t points = elements(equation, labels);
  std::vector<std::int64_t> counters(labels.size(), 0);
  std::int64_t offset = 0;
  for (std::int64_t i = 0; i < points; ++i) {
    body(offset);
    for (std::size_t at = labels.size(); at-- > 0;) {
      const auto label = as_size(labels[at]);
      offset += strides[label];
      if (++counters[at] < equation.sizes[label]) break;
      offset -= strides[label] * equation.sizes[label];
      counters[at] = 0;
    }
  }
}

/// The operand in another order of labels; the others of `all` are summed up.
Operand arranged(const EinsumEquation& equation, const float* values, const std::vector<std::int64_t>& strides, const Labels& all,
                 const Labels& wanted) {
  Labels rest;
  for (const int label : all) {
    if (label != EinsumEquation::kRepeats && !has(wanted, label) && !has(rest, label)) rest.push_back(label);
  }
  Operand result{{}, wanted};
  result.values.reserve(as_size(elements(equation, wanted)));
  for_each_point(equation, wanted, strides, [&](std::int64_t first) {
    if (rest.empty()) {
      result.values.push_back(values[first]);
      return;
    }
    double sum = 0;
    for_each_point(equation, rest, strides, [&](std::int64_t offset) { sum += static_cast<double>(values[first + offset]); });
    result.values.push_back(static_cast<float>(sum));
  });
  return result;
}

Operand arranged(const EinsumEquation& equation, const Operand& operand, const Labels& wanted) {
  if (operand.labels == wanted) return operand;
  Shape shape;
  for (const int label : operand.labels) shape.push_back(equation.sizes[as_size(label)]);
  return arranged(equation, operand.values.data(), label_strides(equation, shape, operand.labels), operand.labels, wanted);
}

/// An input without the labels that are its own, and not the result's.
Operand reduced(const EinsumEquation& equation, const Tensor& tensor, std::size_t number) {
  const Labels& axes = equation.operands[number];
  Labels wanted;
  for (const int label : axes) {
    if (label == EinsumEquation::kRepeats || has(wanted, label)) continue;
    bool needed = has(equation.result, label);
    for (std::size_t i = 0; i < equation.operands.size(); ++i) needed = needed || (i != number && has(equation.operands[i], label));
    if (needed) wanted.push_back(label);
  }
  return arranged(equation, tensor.values<float>().data(), label_strides(equation, tensor.shape, axes), axes, wanted);
}

/// Whether the result, or an operand behind `number`, has the label.
bool needed_later(const EinsumEquation& equation, std::size_t number, int label) {
  for (std::size_t i = number + 1; i < equation.operands.size(); ++i) {
    if (has(equation.operands[i], label)) return true;
  }
  return has(equation.result, label);
}

/// The product with operand `number`; labels that nothing needs any more are summed up in it.
Result<Operand> multiplied(const EinsumEquation& equation, const Operand& left, const Operand& right, std::size_t number) {
  Labels batch, rows, columns, summed;
  for (const int label : left.labels) {
    const bool shared = has(right.labels, label), kept = needed_later(equation, number, label);
    (shared ? (kept ? batch : summed) : rows).push_back(label);
  }
  for (const int label : right.labels) {
    if (!has(left.labels, label)) columns.push_back(label);
  }
  const auto joined = [](Labels first, const Labels& second, const Labels& third) {
    first.insert(first.end(), second.begin(), second.end());
    first.insert(first.end(), third.begin(), third.end());
    return first;
  };
  const Operand a = arranged(equation, left, joined(batch, rows, summed)), b = arranged(equation, right, joined(batch, summed, columns));
  const backend::MatrixProduct product{.m = elements(equation, rows), .n = elements(equation, columns), .k = elements(equation, summed)};
  const auto size = checked_mul(checked_mul(elements(equation, batch), product.m).value_or(-1), product.n);
  if (!size || *size < 0 || !checked_mul(*size, 4))
    return bad_input("a product of {} matrices of {} x {} is too large", elements(equation, batch), product.m, product.n);
  Operand result{std::vector<float>(as_size(*size), 0.0F), joined(batch, rows, columns)};
  for (std::int64_t i = 0; product.k > 0 && *size > 0 && i < elements(equation, batch); ++i) {
    VISQ_TRY(backend::multiply(product, a.values.data() + i * product.m * product.k, b.values.data() + i * product.k * product.n,
                               result.values.data() + i * product.m * product.n));
  }
  return result;
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  if (context.input_count() < 1) return context.fail("has no inputs");
  VISQ_TRY(context.expect_inputs(context.input_count(), context.input_count()));
  VISQ_TRY(context.expect_outputs(1));
  for (int slot = 1; slot < context.input_count(); ++slot) VISQ_TRY(context.expect_same_type(slot, "an operand", 0));
  VISQ_ASSIGN(EinsumEquation equation, read_equation(context));
  VISQ_TRY(context.set_output(0, DType::kFloat32, equation.shape()));
  return make_kernel([equation = std::move(equation), place = context.place()](EvalContext& eval) -> Status {
    Operand all = reduced(equation, eval.input(0), 0);
    for (int slot = 1; slot < eval.input_count(); ++slot) {
      auto next = multiplied(equation, all, reduced(equation, eval.input(slot), as_size(slot)), as_size(slot));
      if (!next.ok()) return bad_input("{}: {}", place, next.error().message);
      all = std::move(next).value();
    }
    std::ranges::copy(arranged(equation, all, equation.result).values, eval.out<float>(0).begin());
    return {};
  });
}

constexpr OpDef kDefinitions[] = {{.name = "ai.onnx.Einsum", .prepare = prepare, .types = {DType::kFloat32}}};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_einsum
