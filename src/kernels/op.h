// The contract between operators and the runtime: one definition per operator, Prepare once, Eval per record.
//
// An operator sees tensors, never modes: in fp32 and fake-quant runs every quantized tensor appears as float32 real values
// (the runtime dequantizes constants and, in fake-quant runs, rounds outputs after Eval); in integer runs it appears in its
// stored type with its quantization. There are two tables: ops/ computes with values as they are (real or plain integers), integer/ is
// the arithmetic of TFLite's reference kernels on stored integers. In an integer run the runtime takes an operator that touches a
// quantized tensor from integer/, or from ops/ where its definition says that stored integers are as good as values (takes_stored);
// operators between floats come from ops/, summed up in LiteRT's order (prepare_in_order).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/as_size.h"
#include "core/error.h"
#include "kernels/backend/convolution_shape.h"
#include "kernels/op_facts.h"
#include "kernels/session.h"
#include "visq/model.h"

namespace visq::kernels {

/// A tensor as an operator sees it.
struct Tensor {
  DType dtype = DType::kFloat32;  ///< of the elements in `data`
  Shape shape;
  /// At least 64 readable bytes behind the end; activations 64-byte aligned, constants to their element. While preparing: null unless
  /// known.
  std::byte* data = nullptr;
  std::byte* codes = nullptr;                   ///< the stored integers of the same values, for operators that read them (read_codes)
  std::vector<std::string>* strings = nullptr;  ///< elements of a string tensor; names of the resources of a resource tensor
  const TensorInfo* info = nullptr;             ///< as the file declares it: name, stored type, quantization, raw constant

  /// True where `data` holds stored integers of a quantized tensor, whose real values are scale * (q - zero_point): integer runs only.
  bool quantized() const {
    const bool declared = info != nullptr && (info->quantization.quantized() || info->quantization.block_size != 0);
    return declared && dtype == info->dtype && is_integer(dtype);
  }
  std::int64_t elements() const { return shape.elements(); }
  template <class T>
  std::span<const T> values() const {
    return {reinterpret_cast<const T*>(data), as_size(elements())};
  }
  template <class T>
  std::span<T> mutable_values() const {
    return {reinterpret_cast<T*>(data), as_size(elements())};
  }
};

/// What one executor keeps for one kernel between calls: scratch, library handles that are not thread-safe, recurrent state.
class KernelState {
 public:
  virtual ~KernelState() = default;
};

/// What Eval works on. Inputs that are absent are null; outputs have their memory, in the shape that Prepare declared.
class EvalContext {
 public:
  EvalContext(std::span<const Tensor* const> inputs, std::span<Tensor* const> outputs, KernelState* state, std::vector<std::byte>& scratch,
              Session* session = nullptr)
      : inputs_(inputs), outputs_(outputs), state_(state), scratch_(scratch), session_(session) {}

  bool has_input(int slot) const { return as_size(slot) < inputs_.size() && inputs_[as_size(slot)] != nullptr; }
  int input_count() const { return static_cast<int>(inputs_.size()); }
  int output_count() const { return static_cast<int>(outputs_.size()); }
  const Tensor& input(int slot) const { return *inputs_[as_size(slot)]; }
  Tensor& output(int slot) const { return *outputs_[as_size(slot)]; }
  template <class T>
  std::span<const T> in(int slot) const {
    return input(slot).values<T>();
  }
  template <class T>
  std::span<T> out(int slot) const {
    return output(slot).mutable_values<T>();
  }
  /// The same call with other inputs, for kernels that another one computes.
  EvalContext with_inputs(std::span<const Tensor* const> inputs) const { return {inputs, outputs_, state_, scratch_, session_}; }
  template <class State>
  State& state() const {
    return static_cast<State&>(*state_);
  }
  /// Variables and hash tables of the run. Only for operators that are `stateful`.
  Session& session() const { return *session_; }
  /// Uninitialised memory, 64-byte aligned, valid until the next call of scratch() or the end of Eval.
  std::byte* scratch(std::size_t bytes) const;
  /// For kernels that round their output to its grid themselves: how many values lay beyond its range.
  void has_rounded(std::int64_t beyond) { beyond_ = beyond; }
  std::int64_t beyond() const { return beyond_; }

 private:
  std::span<const Tensor* const> inputs_;
  std::span<Tensor* const> outputs_;
  KernelState* state_;
  std::vector<std::byte>& scratch_;
  Session* session_;
  std::int64_t beyond_ = 0;
};

/// A prepared operator. Shared by all threads; what changes lives in its KernelState.
class Kernel {
 public:
  virtual ~Kernel() = default;
  /// Computes the outputs. Checks only what comes from data (indices); everything else was checked in Prepare. Messages of errors
  /// are headed by PrepareContext::place().
  virtual Status eval(EvalContext& context) const = 0;
  virtual std::unique_ptr<KernelState> make_state() const { return nullptr; }
  /// What Eval will ask of EvalContext::scratch(), where it may be megabytes and is known: it is counted with the feature maps.
  virtual std::size_t scratch_bytes() const { return 0; }
};

/// What an operator that calls subgraphs wants next.
struct CallStep {
  int subgraph = -1;                  ///< to be run on `values`; -1: the operator is done, `values` are its outputs
  std::vector<const Tensor*> values;  ///< inputs of the operator, or results of its calls
};

/// An operator that calls subgraphs (IF, WHILE). It runs none itself: the runtime asks it for one call after the other, so that two graphs
/// can be stepped side by side inside their bodies too.
class CallingKernel : public Kernel {
 public:
  /// `results`: outputs of the call that it asked for last, none at first. They stay valid until the same subgraph has run again.
  virtual Result<CallStep> next(EvalContext& context, std::span<const Tensor* const> results) const = 0;
  Status eval(EvalContext&) const final { return internal_error("an operator that calls subgraphs was run without them"); }
};

/// Wraps a callable `Status(EvalContext&)` as a Kernel.
template <class Function>
std::unique_ptr<Kernel> make_kernel(Function function) {
  class Wrapped final : public Kernel {
   public:
    explicit Wrapped(Function f) : function_(std::move(f)) {}
    Status eval(EvalContext& context) const override { return function_(context); }

   private:
    Function function_;
  };
  return std::make_unique<Wrapped>(std::move(function));
}

/// What Prepare works on: the operator, its inputs' types and shapes (values too where they are known), and the outputs to declare.
class PrepareContext {
 public:
  PrepareContext(const Operator& op, std::string place, std::vector<const Tensor*> inputs, std::vector<Tensor*> outputs)
      : op_(op),
        place_(std::move(place)),
        inputs_(std::move(inputs)),
        outputs_(std::move(outputs)),
        reads_codes_(inputs_.size(), false),
        packed_(inputs_.size(), false),
        fixed_(inputs_.size(), true),
        values_read_(inputs_.size(), false),
        open_(outputs_.size(), false) {}

  /// The declaration of intermediate tensor `position` of the operator (recurrent operators keep scales there), or null.
  const TensorInfo* intermediate(int position) const;
  /// The declaration of tensor `index` of the operator's subgraph (the scales of blockwise quantization stand in tensors of their own).
  const TensorInfo& declared(int index) const { return subgraph_->tensors[as_size(index)]; }
  /// A subgraph that an attribute names (the body of STABLEHLO_REDUCE_WINDOW), or null where there is none.
  const Subgraph* called(std::int64_t subgraph) const;

  const Operator& op() const { return op_; }
  const Attributes& attributes() const { return op_.attributes; }
  /// What heads each message, "m.tflite: subgraph 0, node 12 GATHER": for errors that only Eval can see.
  const std::string& place() const { return place_; }
  int input_count() const { return static_cast<int>(inputs_.size()); }
  int output_count() const { return static_cast<int>(outputs_.size()); }
  bool has_input(int slot) const { return as_size(slot) < inputs_.size() && inputs_[as_size(slot)] != nullptr; }
  const Tensor& input(int slot) const { return *inputs_[as_size(slot)]; }
  /// The output's declaration in the file (info); dtype and shape once set_output was called.
  const Tensor& output(int slot) const { return *outputs_[as_size(slot)]; }

  // Checks. Each error names the place: "m.tflite: subgraph 0, node 12 CONV_2D: filter has rank 3, expected 4".
  Status expect_inputs(int low, int high) const;  ///< number of input slots, and all of the first `low` present
  Status expect_outputs(int count) const;
  Status expect_rank(int slot, std::string_view role, int rank) const;
  Status expect_type(int slot, std::string_view role, std::initializer_list<DType> types) const;
  Status expect_same_type(int slot, std::string_view role, int other) const;

  template <class... Args>
  Error fail(fmt::format_string<Args...> text, Args&&... args) const {
    return error_here(Reason::kBadInput, text, fmt::make_format_args(args...));
  }
  template <class... Args>
  Error unsupported(fmt::format_string<Args...> text, Args&&... args) const {
    return error_here(Reason::kUnsupported, text, fmt::make_format_args(args...));
  }

  /// True where the input has the same values in every record and is known now: constants, and what follows from constants and shapes.
  bool known(int slot) const {
    const auto i = as_size(slot);
    return has_input(slot) && fixed_[i] && (has_values(input(slot)) || (i < late_.size() && late_[i]));
  }
  /// The values of an integer input (int32 or int64) that decides shapes or parameters. Where they are not known yet, the result
  /// is an error that the runtime understands: it calls Prepare again at every step, when the values are there. Just return it.
  Result<std::vector<std::int64_t>> integers(int slot, std::string_view role);
  /// The same for any input whose values Prepare needs: an error that postpones Prepare, or success.
  Status require_known(int slot);
  /// The error to return where Prepare needs something else that only the run has; it is called again at every step.
  Error postpone(std::string_view what) {
    deferred_ = true;
    return fail("{} is not known before the run", what);
  }
  bool deferred() const { return deferred_; }

  /// Declares an output. Fails where the shape is negative or too large, or the type is not what the file declares for it.
  Status set_output(int slot, DType dtype, Shape shape);
  /// Says that only the run tells the shape of an output. For operators that call subgraphs.
  void leave_open(int slot) { open_[as_size(slot)] = true; }

  /// Outputs of a subgraph for inputs of these shapes: nothing where only the run tells them.
  /// Errors: those of preparing it; kUnsupported where it cannot give all its outputs.
  Result<std::optional<std::vector<Shape>>> call_shapes(int subgraph, const std::vector<Shape>& inputs) const {
    return call_shapes_(subgraph, inputs);
  }
  /// The run's variables and hash tables; null while preparing ahead of it.
  const Session* session() {
    reads_session_ = true;
    return session_;
  }

  /// True where a quantized activation's stored integers (Tensor::codes) can be had in Eval. False where there are none (float tensor,
  /// fp32 run); then the operator must compute from real values.
  bool offers_codes(int slot) const { return as_size(slot) < codes_available_.size() && codes_available_[as_size(slot)]; }
  /// Says that Eval reads the codes of this input, and not its real values: their memory may be another tensor's by then.
  void read_codes(int slot) { reads_codes_[as_size(slot)] = true; }
  /// Real values of a constant input for packing; unlike input(slot).data this keeps no float copy of a quantized constant alive.
  Result<std::vector<float>> real_constant(int slot, std::string_view role) const;
  /// Says that Eval never reads this constant input (it was packed in Prepare), so that its real values need not be kept.
  void mark_packed(int slot) { packed_[as_size(slot)] = true; }

  /// An input of an operator that stands for this one: this one's by slot, or a tensor that the caller keeps.
  struct Operand {
    int slot = -1;
    const Tensor* own = nullptr;
  };
  /// Prepares another operator on this one's outputs; by its type alone, whatever its domain. What it asks for counts as asked for here.
  Result<std::unique_ptr<Kernel>> prepare_as(const Operator& op, std::span<const Operand> operands);

  // For the runtime.
  using CallShapes = std::function<Result<std::optional<std::vector<Shape>>>(int subgraph, const std::vector<Shape>& inputs)>;
  void belongs_to(const Model* model, const Subgraph* subgraph) {
    model_ = model;
    subgraph_ = subgraph;
  }
  void offer_calls(CallShapes call_shapes) { call_shapes_ = std::move(call_shapes); }
  void offer_session(const Session* session) { session_ = session; }
  /// Which inputs have the same values in every record.
  void mark_fixed(std::vector<bool> fixed) { fixed_ = std::move(fixed); }
  /// Constants that have no values yet, see OpDef::packs.
  void mark_late(std::vector<bool> late) { late_ = std::move(late); }
  /// Inputs whose values the outcome depends on: with others Prepare must be called again.
  const std::vector<bool>& values_read() const { return values_read_; }
  bool reads_session() const { return reads_session_; }
  const std::vector<bool>& open() const { return open_; }
  void offer_codes(std::vector<bool> available) { codes_available_ = std::move(available); }
  const std::vector<bool>& reads_codes() const { return reads_codes_; }
  const std::vector<bool>& packed() const { return packed_; }

 private:
  [[gnu::cold]] Error error_here(Reason reason, fmt::string_view text, fmt::format_args values) const;

  const Operator& op_;
  std::string place_;
  std::vector<const Tensor*> inputs_;
  std::vector<Tensor*> outputs_;
  static bool has_values(const Tensor& tensor) { return tensor.data != nullptr || tensor.strings != nullptr; }

  std::vector<bool> codes_available_, reads_codes_, packed_, fixed_, late_, values_read_, open_;
  CallShapes call_shapes_;
  const Session* session_ = nullptr;
  const Model* model_ = nullptr;
  const Subgraph* subgraph_ = nullptr;
  bool reads_session_ = false;
  bool deferred_ = false;
};

/// Set of element types.
class DTypes {
 public:
  constexpr DTypes() = default;
  constexpr DTypes(std::initializer_list<DType> types) {
    for (const DType type : types) bits_ |= kOne << static_cast<unsigned>(type);
  }
  constexpr bool has(DType type) const { return (bits_ >> static_cast<unsigned>(type) & kOne) != 0; }
  constexpr bool empty() const { return bits_ == 0; }
  static constexpr DTypes all() {
    DTypes every;
    every.bits_ = (kOne << kDTypeCount) - 1;
    return every;
  }
  constexpr DTypes without(DType type) const {
    DTypes others = *this;
    others.bits_ &= ~(kOne << static_cast<unsigned>(type));
    return others;
  }

 private:
  static constexpr std::uint64_t kOne = 1;
  std::uint64_t bits_ = 0;
};

/// One operator of the registry.
struct OpDef {
  std::string_view name;  ///< the format's name ("CONV_2D", "ai.onnx.Conv"), or the custom code of a custom operator
  Result<std::unique_ptr<Kernel>> (*prepare)(PrepareContext& context);
  /// Of ops/: taken instead of `prepare` in integer runs. Sums of floats round at every step; this adds up in the order of LiteRT's
  /// reference kernels, since what is quantized behind them falls on the other side of ties where a bit differs. Null where `prepare` gives
  /// these bits.
  Result<std::unique_ptr<Kernel>> (*prepare_in_order)(PrepareContext& context) = nullptr;
  /// Types of input `main_input` that Prepare accepts: in ops/ as plain values (float32 stands for fake quantization too), in integer/
  /// the stored types, or float32 where only the weights or the output are quantized. The runtime checks them before Prepare, so
  /// `visqerror ops` cannot claim what is not so.
  DTypes types;
  int main_input = 0;
  /// An input of which `prepare` reads a constant's values by real_constant() and from its stored integers only, so that its real values
  /// are made where it was not packed, and else never; -1: none.
  int packs = -1;
  /// True where each element of the only output is a function of that element of the only input.
  bool pointwise = false;
  /// True where the only output has the elements of input `main_input`, each once, in some order (RESHAPE, TRANSPOSE).
  bool reorders = false;
  /// True where Prepare and Eval are right on stored integers too, whatever their scale: they only move or order them (RESHAPE, ARG_MAX).
  bool takes_stored = false;
  /// True where equal inputs need not give equal outputs, or state is kept: never computed ahead of the run.
  bool stateful = false;
  /// True where outputs depend on the inputs' shapes only (SHAPE, RANK): computed ahead as soon as these are known.
  bool shape_only = false;

  // Facts that analyses ask for, see op_facts.h.
  OpKind kind = OpKind::kOther;
  std::optional<WeightSlots> weights = std::nullopt;
  MultiplyAdds multiply_adds = nullptr;  ///< null: none
  /// Stored types of the output that integer kernels write without rescaling: they move or select the codes of their inputs, so that
  /// inputs and outputs must share one grid.
  DTypes keeps_codes = {};
  FixedGrid fixed_grid = {};
  std::optional<backend::Clamp> clamps = std::nullopt;  ///< the operator limits its input to this range, and does nothing else
  bool fuses_activation = false;                        ///< kernels apply a clamp that stands in its option fused_activation_function
};

/// The definition of an operator on plain values, by type or custom code of circle and TFLite; null where it is not runnable.
const OpDef* find_op(std::string_view label);
/// The same of a model's operator: of ONNX operators by domain and type, "ai.onnx.Conv".
const OpDef* find_op(const Operator& op);
/// The definition of a model's operator on plain values, for what it says about it; without name and facts where there is none.
const OpDef& facts_of(const Operator& op);
inline OpKind kind_of(const Operator& op) { return facts_of(op).kind; }
/// What an operator's output is limited to, by what it is (RELU6) or by what is fused into it; nothing where it is not.
std::optional<backend::Clamp> clamp_of(const Operator& op);
/// The definition of an operator on stored integers; null where there is none of its own.
const OpDef* find_integer_op(std::string_view label);
const OpDef* find_integer_op(const Operator& op);
/// All definitions, by name.
std::span<const OpDef* const> all_ops();
std::span<const OpDef* const> all_integer_ops();

}  // namespace visq::kernels
