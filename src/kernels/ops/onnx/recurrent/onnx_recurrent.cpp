// RNN, GRU, LSTM of ONNX: both directions, sequences of different lengths, states from outside, any of the standard's activations.
#include <algorithm>
#include <limits>

#include "core/as_size.h"
#include "kernels/backend/onednn.h"
#include "kernels/onnx/gate_activation.h"

namespace visq::kernels::ops_onnx_recurrent {
namespace {

constexpr int kInput = 0, kWeights = 1, kRecurrence = 2, kBias = 3, kLengths = 4, kHidden = 5, kCell = 6, kPeepholes = 7;

enum class Kind : std::uint8_t { kRnn, kGru, kLstm };

struct Plan {
  Kind kind = Kind::kRnn;
  std::int64_t directions = 1, steps = 0, batch = 0, features = 0, hidden = 0, gates = 1;
  bool reverse = false;      ///< of the first direction
  bool batch_first = false;  ///< attribute layout
  bool before_reset = false, input_forget = false;
  float clip = std::numeric_limits<float>::infinity();
  std::vector<GateActivation> activations = {};

  std::int64_t columns() const { return gates * hidden; }
  std::int64_t input_row(std::int64_t step, std::int64_t row) const { return batch_first ? row * steps + step : step * batch + row; }
  std::int64_t output_row(std::int64_t step, std::int64_t direction, std::int64_t row) const {
    return batch_first ? (row * steps + step) * directions + direction : (step * directions + direction) * batch + row;
  }
  std::int64_t state_row(std::int64_t direction, std::int64_t row) const {
    return batch_first ? row * directions + direction : direction * batch + row;
  }
};

/// One direction's parameters and states in Eval.
struct Direction {
  const float* weights = nullptr;
  const float* recurrence = nullptr;
  const float* peepholes = nullptr;  ///< of the gates i, o, f; null: none
  std::vector<float> input_bias = {}, hidden_bias = {};
  const GateActivation* activations = nullptr;
  std::vector<float> projected = {};  ///< of all rows of the input, [rows, columns]
  std::vector<float> h = {}, c = {};  ///< [batch, hidden]
  std::vector<float> sums = {};       ///< of the states, [batch, columns]
};

float limited(float x, const Plan& plan) { return std::clamp(x, -plan.clip, plan.clip); }

/// sums = h * transpose(rows first … first + count of the recurrence) + their bias.
Status recur(const Plan& plan, Direction& d, const std::vector<float>& h, std::int64_t first, std::int64_t count,
             std::vector<float>& sums) {
  sums.resize(as_size(plan.batch * count));
  const backend::MatrixProduct product{.m = plan.batch, .n = count, .k = plan.hidden, .transpose_b = true};
  VISQ_TRY(backend::multiply(product, h.data(), d.recurrence + first * plan.hidden, sums.data()));
  for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += d.hidden_bias[as_size(first) + i % as_size(count)];
  return {};
}

/// One row's step. `x`: its projected input, `s`: its sums of the state, both with all gates.
void step_rnn(const Plan& plan, Direction& d, const float* x, const float* s, float* h) {
  for (std::int64_t i = 0; i < plan.hidden; ++i) h[i] = d.activations[0](limited(x[i] + s[i], plan));
}

void step_lstm(const Plan& plan, Direction& d, const float* x, const float* s, float* h, float* c) {
  const std::int64_t n = plan.hidden;
  const auto gate = [&](std::int64_t which, std::int64_t i) { return x[which * n + i] + s[which * n + i]; };
  const auto peep = [&](std::int64_t which, std::int64_t i, float cell) {
    return d.peepholes == nullptr ? 0.0F : d.peepholes[which * n + i] * cell;
  };
  for (std::int64_t i = 0; i < n; ++i) {
    const float in = d.activations[0](limited(gate(0, i) + peep(0, i, c[i]), plan));
    const float forget = plan.input_forget ? 1.0F - in : d.activations[0](limited(gate(2, i) + peep(2, i, c[i]), plan));
    c[i] = forget * c[i] + in * d.activations[1](limited(gate(3, i), plan));
    h[i] = d.activations[0](limited(gate(1, i) + peep(1, i, c[i]), plan)) * d.activations[2](c[i]);
  }
}

/// Gates z, r in the sums' first columns; `candidate`: the state's part of the third, already reset where that comes first.
void step_gru(const Plan& plan, Direction& d, const float* x, const float* s, const float* candidate, float* h) {
  const std::int64_t n = plan.hidden;
  for (std::int64_t i = 0; i < n; ++i) {
    const float update = d.activations[0](limited(x[i] + s[i], plan));
    const float reset = plan.before_reset ? d.activations[0](limited(x[n + i] + s[n + i], plan)) : 1.0F;
    const float fresh = d.activations[1](limited(x[2 * n + i] + reset * candidate[i], plan));
    h[i] = (1.0F - update) * fresh + update * h[i];
  }
}

/// The rows of a batch at one step of their own: where each stands in its sequence, -1 behind its end.
std::vector<std::int64_t> places_at(const Plan& plan, std::int64_t step, bool reverse, std::span<const std::int32_t> lengths) {
  std::vector<std::int64_t> places(as_size(plan.batch));
  for (std::size_t row = 0; row < places.size(); ++row) {
    const std::int64_t length = lengths.empty() ? plan.steps : lengths[row];
    places[row] = step >= length ? -1 : reverse ? length - 1 - step : step;
  }
  return places;
}

/// GRU's product of the reset state.
Status reset_states(const Plan& plan, Direction& d, const std::vector<std::int64_t>& places, std::vector<float>& candidates) {
  const std::int64_t n = plan.hidden;
  std::vector<float> kept(d.h.size(), 0.0F);
  for (std::int64_t row = 0; row < plan.batch; ++row) {
    if (places[as_size(row)] < 0) continue;
    const float* const x = d.projected.data() + plan.input_row(places[as_size(row)], row) * plan.columns() + n;
    const float* const s = d.sums.data() + row * plan.columns() + n;
    for (std::int64_t i = 0; i < n; ++i)
      kept[as_size(row * n + i)] = d.activations[0](limited(x[i] + s[i], plan)) * d.h[as_size(row * n + i)];
  }
  return recur(plan, d, kept, 2 * n, n, candidates);
}

Status walk(const Plan& plan, Direction& d, bool reverse, std::int64_t direction, std::span<const std::int32_t> lengths,
            EvalContext& eval) {
  const std::int64_t n = plan.hidden;
  float* const out = eval.output(0).data == nullptr ? nullptr : eval.out<float>(0).data();
  std::vector<float> candidates;
  for (std::int64_t step = 0; step < plan.steps; ++step) {
    const auto places = places_at(plan, step, reverse, lengths);
    VISQ_TRY(recur(plan, d, d.h, 0, plan.columns(), d.sums));
    if (plan.kind == Kind::kGru && !plan.before_reset) VISQ_TRY(reset_states(plan, d, places, candidates));
    for (std::int64_t row = 0; row < plan.batch; ++row) {
      const std::int64_t place = places[as_size(row)];
      if (place < 0) continue;
      const float* const x = d.projected.data() + plan.input_row(place, row) * plan.columns();
      const float* const s = d.sums.data() + row * plan.columns();
      float* const h = d.h.data() + row * n;
      if (plan.kind == Kind::kRnn) step_rnn(plan, d, x, s, h);
      if (plan.kind == Kind::kLstm) step_lstm(plan, d, x, s, h, d.c.data() + row * n);
      if (plan.kind == Kind::kGru) step_gru(plan, d, x, s, plan.before_reset ? s + 2 * n : candidates.data() + row * n, h);
      if (out != nullptr) std::copy(h, h + n, out + plan.output_row(place, direction, row) * n);
    }
  }
  return {};
}

std::vector<float> state_of(const EvalContext& eval, const Plan& plan, int slot, std::int64_t direction) {
  std::vector<float> state(as_size(plan.batch * plan.hidden), 0.0F);
  if (!eval.has_input(slot)) return state;
  for (std::int64_t row = 0; row < plan.batch; ++row) {
    const float* const from = eval.in<float>(slot).data() + plan.state_row(direction, row) * plan.hidden;
    std::copy(from, from + plan.hidden, state.data() + row * plan.hidden);
  }
  return state;
}

void put_state(EvalContext& eval, const Plan& plan, int slot, std::int64_t direction, const std::vector<float>& state) {
  if (eval.output_count() <= slot) return;
  for (std::int64_t row = 0; row < plan.batch; ++row) {
    const float* const from = state.data() + row * plan.hidden;
    std::copy(from, from + plan.hidden, eval.out<float>(slot).data() + plan.state_row(direction, row) * plan.hidden);
  }
}

Status run_direction(const Plan& plan, std::int64_t direction, std::span<const std::int32_t> lengths, EvalContext& eval) {
  const std::int64_t columns = plan.columns(), rows = plan.steps * plan.batch;
  Direction d{.weights = eval.in<float>(kWeights).data() + direction * columns * plan.features,
              .recurrence = eval.in<float>(kRecurrence).data() + direction * columns * plan.hidden,
              .activations = plan.activations.data() + direction * static_cast<std::int64_t>(plan.activations.size()) / plan.directions};
  if (eval.has_input(kPeepholes) && plan.kind == Kind::kLstm) d.peepholes = eval.in<float>(kPeepholes).data() + direction * 3 * plan.hidden;
  d.input_bias.assign(as_size(columns), 0.0F), d.hidden_bias.assign(as_size(columns), 0.0F);
  if (eval.has_input(kBias)) {
    const float* const bias = eval.in<float>(kBias).data() + direction * 2 * columns;
    std::copy(bias, bias + columns, d.input_bias.begin());
    std::copy(bias + columns, bias + 2 * columns, d.hidden_bias.begin());
  }
  d.h = state_of(eval, plan, kHidden, direction);
  d.c = state_of(eval, plan, plan.kind == Kind::kLstm ? kCell : std::numeric_limits<std::int16_t>::max(), direction);
  d.projected.resize(as_size(rows * columns));
  if (rows > 0) {
    const backend::MatrixProduct product{.m = rows, .n = columns, .k = plan.features, .transpose_b = true};
    VISQ_TRY(backend::multiply(product, eval.in<float>(kInput).data(), d.weights, d.projected.data()));
    for (std::size_t i = 0; i < d.projected.size(); ++i) d.projected[i] += d.input_bias[i % as_size(columns)];
    VISQ_TRY(walk(plan, d, direction == 1 || plan.reverse, direction, lengths, eval));
  }
  put_state(eval, plan, 1, direction, d.h);
  if (plan.kind == Kind::kLstm) put_state(eval, plan, 2, direction, d.c);
  return {};
}

Status expect_parameter(const PrepareContext& context, int slot, std::string_view role, const Shape& shape) {
  if (!context.has_input(slot)) return {};
  VISQ_TRY(context.expect_type(slot, role, {DType::kFloat32}));
  if (context.input(slot).shape == shape) return {};
  return context.fail("{} has the shape {}, expected {}", role, to_string(context.input(slot).shape), to_string(shape));
}

Result<Plan> plan_of(const PrepareContext& context, Kind kind) {
  const Attributes& attributes = context.attributes();
  const auto direction = attributes.text("direction", "forward");
  if (direction != "forward" && direction != "reverse" && direction != "bidirectional") return context.fail("direction is {}", direction);
  VISQ_TRY(context.expect_rank(kInput, "the input", 3));
  VISQ_TRY(context.expect_rank(kRecurrence, "R", 3));
  const Shape& in = context.input(kInput).shape;
  const bool batch_first = attributes.integer("layout") != 0;
  Plan plan{.kind = kind,
            .directions = direction == "bidirectional" ? 2 : 1,
            .steps = in[batch_first ? 1 : 0],
            .batch = in[batch_first ? 0 : 1],
            .features = in[2],
            .hidden = context.input(kRecurrence).shape[2],
            .gates = kind == Kind::kRnn   ? 1
                     : kind == Kind::kGru ? 3
                                          : 4,
            .reverse = direction == "reverse",
            .batch_first = batch_first,
            .before_reset = attributes.integer("linear_before_reset") != 0,
            .input_forget = attributes.integer("input_forget") != 0};
  const auto clip = static_cast<float>(attributes.real("clip", 0));
  if (clip > 0) plan.clip = clip;
  const std::int64_t given = attributes.integer("hidden_size", plan.hidden);
  if (plan.hidden < 1 || plan.features < 1 || given != plan.hidden) return context.fail("hidden_size is {}, R has {}", given, plan.hidden);
  const std::int64_t d = plan.directions, columns = plan.columns();
  VISQ_TRY(expect_parameter(context, kWeights, "W", {d, columns, plan.features}));
  VISQ_TRY(expect_parameter(context, kRecurrence, "R", {d, columns, plan.hidden}));
  VISQ_TRY(expect_parameter(context, kBias, "B", {d, 2 * columns}));
  const Shape state = batch_first ? Shape{plan.batch, d, plan.hidden} : Shape{d, plan.batch, plan.hidden};
  VISQ_TRY(expect_parameter(context, kHidden, "initial_h", state));
  if (kind == Kind::kLstm) {
    VISQ_TRY(expect_parameter(context, kCell, "initial_c", state));
    VISQ_TRY(expect_parameter(context, kPeepholes, "P", {d, 3 * plan.hidden}));
  }
  return plan;
}

Status declare(PrepareContext& context, const Plan& plan) {
  const std::int64_t d = plan.directions;
  if (context.output_count() > (plan.kind == Kind::kLstm ? 3 : 2)) return context.fail("has {} outputs", context.output_count());
  const Shape all = plan.batch_first ? Shape{plan.batch, plan.steps, d, plan.hidden} : Shape{plan.steps, d, plan.batch, plan.hidden};
  const Shape state = plan.batch_first ? Shape{plan.batch, d, plan.hidden} : Shape{d, plan.batch, plan.hidden};
  for (int slot = 0; slot < context.output_count(); ++slot) VISQ_TRY(context.set_output(slot, DType::kFloat32, slot == 0 ? all : state));
  return {};
}

template <Kind kKind>
Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, kKind == Kind::kLstm ? 8 : 6));
  VISQ_ASSIGN(Plan plan, plan_of(context, kKind));
  const std::size_t each = kKind == Kind::kRnn ? 1 : kKind == Kind::kGru ? 2 : 3;
  const std::size_t count = each * as_size(plan.directions);
  VISQ_ASSIGN(plan.activations,
              kKind == Kind::kRnn
                  ? gate_activations(context, count, {"tanh"})
                  : gate_activations(context, count,
                                     kKind == Kind::kGru ? std::initializer_list<std::string_view>{"sigmoid", "tanh"}
                                                         : std::initializer_list<std::string_view>{"sigmoid", "tanh", "tanh"}));
  VISQ_TRY(declare(context, plan));
  if (context.has_input(kLengths)) {
    VISQ_TRY(context.expect_type(kLengths, "sequence_lens", {DType::kInt32}));
    if (context.input(kLengths).shape != Shape{plan.batch})
      return context.fail("sequence_lens has not one length for each row of the batch");
  }
  return make_kernel([plan = std::move(plan), place = context.place()](EvalContext& eval) -> Status {
    const auto lengths = eval.has_input(kLengths) ? eval.in<std::int32_t>(kLengths) : std::span<const std::int32_t>();
    for (const std::int32_t length : lengths) {
      if (length < 0 || length > plan.steps) return bad_input("{}: a sequence has {} of {} steps", place, length, plan.steps);
    }
    std::ranges::fill(eval.out<float>(0), 0.0F);
    for (std::int64_t direction = 0; direction < plan.directions; ++direction) VISQ_TRY(run_direction(plan, direction, lengths, eval));
    return {};
  });
}

constexpr DTypes kFloat = {DType::kFloat32};
constexpr OpDef kDefinitions[] = {
    {.name = "ai.onnx.GRU", .prepare = prepare<Kind::kGru>, .types = kFloat},
    {.name = "ai.onnx.LSTM", .prepare = prepare<Kind::kLstm>, .types = kFloat},
    {.name = "ai.onnx.RNN", .prepare = prepare<Kind::kRnn>, .types = kFloat},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_onnx_recurrent
