// What recurrent operators share: the shape of a sequence, checks of weights and states, and the walk over time.
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "kernels/activation.h"
#include "kernels/op.h"

namespace visq::kernels {

inline constexpr int kInput = 0;    ///< slot of the sequence
inline constexpr int kNoSlot = -1;  ///< of an input that the operator does not have

/// The rows of an input: [time, batch, features] (time-major), [batch, time, features], or [batch, features] as a single step.
/// A lane is what one walk over time visits without gaps: the whole batch where it is time-major, else one batch row.
struct Sequence {
  std::int64_t steps = 1, batch = 1, features = 0;
  bool time_major = true;

  std::int64_t lanes() const { return time_major ? 1 : batch; }
  std::int64_t width() const { return time_major ? batch : 1; }  ///< rows of one step of a lane
  /// The input row that a step of a lane begins with; the lane's next step follows behind it.
  std::int64_t row(std::int64_t lane, std::int64_t step) const { return lane * steps + step * width(); }
};

/// Reads the shape of input `slot`: rank 3, or rank 2 where there is no time. Fails where there are no features.
Result<Sequence> read_sequence(const PrepareContext& context, int slot, int rank, bool time_major);

/// The shape of what an operator gives for each row of a sequence.
Shape output_shape(const Sequence& sequence, int rank, std::int64_t outputs);

/// Fails unless the input is there and has the shape.
Status expect_shape(const PrepareContext& context, int slot, std::string_view role, const Shape& shape);

/// Fails unless the input is a variable tensor of the type with rows * columns elements, whatever its shape.
Status expect_state(const PrepareContext& context, int slot, std::string_view role, DType type, std::int64_t rows, std::int64_t columns);

/// Real values of a known input, which is marked packed. Stored integers count in `step` where it is given, else by their own scale.
Result<std::vector<float>> read_values(PrepareContext& context, int slot, std::string_view role, std::optional<double> step = {});

/// The product of the scales of two inputs; nothing where one has not exactly one scale.
std::optional<double> product_of_scales(const PrepareContext& context, int slot, int other);

/// One cell of a recurrent operator: a step from one state to the next, for all rows of a batch. Shared by all threads.
class RecurrentCell {
 public:
  virtual ~RecurrentCell() = default;
  /// Floats per row that project() gives and step() uses up.
  virtual std::int64_t columns() const = 0;
  virtual std::int64_t outputs() const = 0;
  virtual std::size_t scratch_bytes(std::int64_t width) const = 0;
  /// What does not depend on the state, for `count` rows of the input and (else null) the auxiliary input.
  virtual void project(const float* input, const float* aux, std::int64_t count, float* sums, std::byte* scratch) const = 0;
  /// Advances `width` rows of the state, from row `first` on. Returns their outputs, row by row.
  virtual const float* step(const EvalContext& eval, std::int64_t first, std::int64_t width, float* sums, std::byte* scratch) const = 0;
};

/// One walk of a cell over a sequence.
struct RecurrentPass {
  std::unique_ptr<RecurrentCell> cell;
  Sequence sequence;
  int input = 0;
  int aux = -1;  ///< input slot of the auxiliary input; -1: none
  std::int64_t aux_features = 0;
  bool backward = false;
  int output = 0;            ///< output slot; -1: the state is all there is
  std::int64_t column = 0;   ///< of the output row, where the cell's outputs begin
  std::int64_t columns = 0;  ///< of the output row
};

/// Declares the outputs of a forward and a backward pass over sequences of rank 3, side by side in one output or in two, and tells the
/// passes where they write.
Status place_two_ways(PrepareContext& context, std::vector<RecurrentPass>& passes, bool merged);

std::unique_ptr<Kernel> make_recurrent(std::vector<RecurrentPass> passes);

/// Applies an activation in place as activation.h does, but with a tanh that vectorises and is right to 1e-6.
void activate(Activation activation, std::span<float> values);

/// Bytes rounded up, so that what stands behind them is aligned.
constexpr std::size_t aligned_bytes(std::size_t bytes) { return (bytes + 63) / 64 * 64; }

}  // namespace visq::kernels
