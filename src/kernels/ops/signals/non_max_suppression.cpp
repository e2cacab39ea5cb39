// NON_MAX_SUPPRESSION_V4, _V5: boxes by falling score, without those that overlap a better one too much; V5 can lower their scores
// instead (soft suppression). Outputs keep their largest size and end with zeros.
#include <algorithm>
#include <cmath>
#include <queue>

#include "core/as_size.h"
#include "kernels/parameters.h"

namespace visq::kernels::ops_non_max_suppression {
namespace {

enum Input : int { kBoxes, kScores, kMostSelected, kOverlap, kThreshold, kSigma };

struct Box {
  float y1, x1, y2, x2;  ///< any two opposite corners
};

/// One side of a box.
struct Side {
  float low, high;
};
Side side(float p, float q) { return {std::min(p, q), std::max(p, q)}; }
float common(const Side& a, const Side& b) { return std::max(std::min(a.high, b.high) - std::max(a.low, b.low), 0.0F); }

/// Intersection over union; 0 for boxes without area.
float overlap(const Box& a, const Box& b) {
  const Side ay = side(a.y1, a.y2), ax = side(a.x1, a.x2), by = side(b.y1, b.y2), bx = side(b.x1, b.x2);
  const float a_area = (ay.high - ay.low) * (ax.high - ax.low);
  const float b_area = (by.high - by.low) * (bx.high - bx.low);
  if (a_area <= 0 || b_area <= 0) return 0;
  const float intersection = common(ay, by) * common(ax, bx);
  return intersection / (a_area + b_area - intersection);
}

struct Candidate {
  std::int32_t box;
  float score;
  std::size_t compared;  ///< with so many of the selected boxes
};

struct Limits {
  std::size_t most_selected;
  float overlap, threshold;
  float decay;  ///< -1 / (2 sigma); 0 without soft suppression
};

struct Selection {
  std::vector<std::int32_t> boxes;
  std::vector<float> scores;
};

/// Compares a candidate with the boxes selected since it was last looked at, latest first. False where one of them rules it out.
bool survives(Candidate& candidate, const Box* boxes, const Selection& selected, const Limits& limits) {
  for (std::size_t i = selected.boxes.size(); i > candidate.compared; --i) {
    const float shared = overlap(boxes[candidate.box], boxes[selected.boxes[i - 1]]);
    if (shared >= limits.overlap) return false;
    if (limits.decay != 0) candidate.score *= std::exp(limits.decay * shared * shared);
    if (candidate.score <= limits.threshold) break;
  }
  candidate.compared = selected.boxes.size();
  return true;
}

/// Of equal scores the order is that of the standard library's heap, as in LiteRT.
Selection select(const Box* boxes, std::span<const float> scores, const Limits& limits) {
  const auto worse = [](const Candidate& a, const Candidate& b) { return a.score < b.score; };
  std::priority_queue<Candidate, std::vector<Candidate>, decltype(worse)> queue(worse);
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] > limits.threshold) queue.push({static_cast<std::int32_t>(i), scores[i], 0});
  }
  const std::size_t wanted = std::min(queue.size(), limits.most_selected);
  Selection selected;
  while (selected.boxes.size() < wanted && !queue.empty()) {
    Candidate candidate = queue.top();
    queue.pop();
    const float score = candidate.score;
    if (!survives(candidate, boxes, selected, limits)) continue;
    if (candidate.score == score) {
      selected.boxes.push_back(candidate.box);
      selected.scores.push_back(score);
    }
    // A selected box goes back too, for its overlap with itself rules it out then; only boxes without area come again, as in LiteRT.
    if (candidate.score > limits.threshold) queue.push(candidate);
  }
  return selected;
}

template <class T>
void write_padded(const std::vector<T>& values, std::span<T> out) {
  std::fill(std::copy(values.begin(), values.end(), out.begin()), out.end(), T());
}

Status check_inputs(const PrepareContext& context, int last) {
  VISQ_TRY(context.expect_rank(kBoxes, "boxes", 2));
  VISQ_TRY(context.expect_rank(kScores, "scores", 1));
  const Shape& boxes = context.input(kBoxes).shape;
  constexpr std::int64_t kMostBoxes = std::int64_t{1} << 31;
  if (boxes[1] != 4 || boxes[0] >= kMostBoxes) return context.fail("boxes have the shape {}, expected [count, 4]", to_string(boxes));
  if (context.input(kScores).shape[0] != boxes[0]) {
    return context.fail("{} scores for {} boxes", context.input(kScores).shape[0], boxes[0]);
  }
  VISQ_TRY(context.expect_type(kScores, "scores", {DType::kFloat32}));
  for (int slot = kOverlap; slot <= last; ++slot) {
    VISQ_TRY(context.expect_type(slot, "a threshold", {DType::kFloat32}));
    if (context.input(slot).shape.elements() != 1) {
      return context.fail("input {} has the shape {}, expected one number", slot, to_string(context.input(slot).shape));
    }
  }
  return {};
}

Result<std::unique_ptr<Kernel>> prepare(PrepareContext& context, bool soft) {
  const int inputs = soft ? kSigma + 1 : kThreshold + 1;
  VISQ_TRY(context.expect_inputs(inputs, inputs));
  VISQ_TRY(context.expect_outputs(soft ? 3 : 2));
  VISQ_TRY(check_inputs(context, inputs - 1));
  VISQ_ASSIGN(const std::int64_t most, integer(context, kMostSelected, "the largest number of boxes"));
  const int count_slot = soft ? 2 : 1;
  VISQ_TRY(context.set_output(0, DType::kInt32, {most}));
  if (soft) VISQ_TRY(context.set_output(1, DType::kFloat32, {most}));
  VISQ_TRY(context.set_output(count_slot, DType::kInt32, {}));
  return make_kernel([soft, count_slot, most, place = context.place()](EvalContext& eval) -> Status {
    const float sigma = soft ? eval.in<float>(kSigma)[0] : 0;
    if (sigma < 0) return bad_input("{}: sigma is {}, expected 0 or more", place, sigma);
    const Limits limits{as_size(most), eval.in<float>(kOverlap)[0], eval.in<float>(kThreshold)[0], sigma > 0 ? -0.5F / sigma : 0.0F};
    const Selection selected = select(reinterpret_cast<const Box*>(eval.input(kBoxes).data), eval.in<float>(kScores), limits);
    write_padded(selected.boxes, eval.out<std::int32_t>(0));
    if (soft) write_padded(selected.scores, eval.out<float>(1));
    eval.out<std::int32_t>(count_slot)[0] = static_cast<std::int32_t>(selected.boxes.size());
    return {};
  });
}

Result<std::unique_ptr<Kernel>> prepare_v4(PrepareContext& context) { return prepare(context, false); }
Result<std::unique_ptr<Kernel>> prepare_v5(PrepareContext& context) { return prepare(context, true); }

constexpr OpDef kDefinitions[] = {
    {.name = "NON_MAX_SUPPRESSION_V4", .prepare = prepare_v4, .types = {DType::kFloat32}},
    {.name = "NON_MAX_SUPPRESSION_V5", .prepare = prepare_v5, .types = {DType::kFloat32}},
};

}  // namespace

std::span<const OpDef> definitions() { return kDefinitions; }

}  // namespace visq::kernels::ops_non_max_suppression
