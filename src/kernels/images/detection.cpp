#include "kernels/images/detection.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/as_size.h"
#include "kernels/custom_options.h"

namespace visq::kernels {
namespace {

enum Output : int { kFoundBoxes, kFoundClasses, kFoundScores, kCount };

struct Corners {
  float y_low, x_low, y_high, x_high;
};

Result<std::vector<Corners>> decode(const Detection& plan, const Detection::Values& values) {
  std::vector<Corners> boxes;
  for (std::int64_t i = 0; i < plan.boxes; ++i) {
    const float* code = values.encodings + i * plan.encoding;
    const float* anchor = values.anchors + i * 4;  // y, x, height, width
    const double height = anchor[2], width = anchor[3];
    const auto y = static_cast<float>(code[0] / plan.y_scale * height + anchor[0]);
    const auto x = static_cast<float>(code[1] / plan.x_scale * width + anchor[1]);
    const auto half_height = static_cast<float>(0.5 * std::exp(code[2] / plan.height_scale) * height);
    const auto half_width = static_cast<float>(0.5 * std::exp(code[3] / plan.width_scale) * width);
    boxes.push_back({y - half_height, x - half_width, y + half_height, x + half_width});
    if (boxes.back().y_low > boxes.back().y_high || boxes.back().x_low > boxes.back().x_high) {
      return bad_input("{}: box {} has a negative size", plan.place, i);
    }
  }
  return boxes;
}

/// Intersection over union; 0 for boxes without area.
float overlap(const Corners& a, const Corners& b) {
  const float a_area = (a.y_high - a.y_low) * (a.x_high - a.x_low), b_area = (b.y_high - b.y_low) * (b.x_high - b.x_low);
  if (a_area <= 0 || b_area <= 0) return 0;
  const float height = std::max(std::min(a.y_high, b.y_high) - std::max(a.y_low, b.y_low), 0.0F);
  const float width = std::max(std::min(a.x_high, b.x_high) - std::max(a.x_low, b.x_low), 0.0F);
  return height * width / (a_area + b_area - height * width);
}

/// The best boxes by falling score, at most `most`, without those that overlap a better one too much.
std::vector<std::int32_t> suppress(const Detection& plan, const std::vector<Corners>& boxes, const std::vector<float>& scores,
                                   std::int64_t most) {
  std::vector<std::int32_t> candidates;
  for (std::size_t i = 0; i < scores.size(); ++i) {
    if (scores[i] >= plan.lowest_score) candidates.push_back(static_cast<std::int32_t>(i));
  }
  const auto score_of = [&](std::int32_t box) { return scores[as_size(box)]; };
  std::stable_sort(candidates.begin(), candidates.end(), [&](std::int32_t a, std::int32_t b) { return score_of(a) > score_of(b); });
  std::vector<std::int32_t> selected;
  std::vector<bool> ruled_out(candidates.size(), false);
  for (std::size_t i = 0; i < candidates.size() && static_cast<std::int64_t>(selected.size()) < most; ++i) {
    if (ruled_out[i]) continue;
    selected.push_back(candidates[i]);
    const Corners& box = boxes[as_size(candidates[i])];
    for (std::size_t j = i + 1; j < candidates.size(); ++j) {
      if (!ruled_out[j]) ruled_out[j] = overlap(box, boxes[as_size(candidates[j])]) > plan.largest_overlap;
    }
  }
  return selected;
}

/// One line of the outputs.
struct Found {
  std::int32_t box = 0;
  std::int64_t label = 0;
  float score = 0;
};

void write(EvalContext& eval, const std::vector<Corners>& boxes, std::int64_t at, const Found& found) {
  const auto i = as_size(at);
  const Corners& box = boxes[as_size(found.box)];
  const float corners[] = {box.y_low, box.x_low, box.y_high, box.x_high};
  std::copy_n(corners, 4, eval.out<float>(kFoundBoxes).begin() + at * 4);
  eval.out<float>(kFoundClasses)[i] = static_cast<float>(found.label);
  eval.out<float>(kFoundScores)[i] = found.score;
}

/// The numbers of the `count` best classes, in front; of equal scores in the order of the standard library's partial sort, as in LiteRT.
void best_classes(const float* scores, std::int64_t count, std::vector<std::int32_t>& order) {
  std::iota(order.begin(), order.end(), 0);
  const auto better = [&](std::int32_t a, std::int32_t b) { return scores[a] > scores[b]; };
  if (count == 1) {
    std::iter_swap(order.begin(), std::min_element(order.begin(), order.end(), better));
  } else {
    std::partial_sort(order.begin(), order.begin() + count, order.end(), better);
  }
}

/// Each box stands for its best class where overlaps are judged, and is reported with its best classes.
void detect_at_once(const Detection& plan, const float* scores, const std::vector<Corners>& boxes, EvalContext& eval) {
  const std::int64_t background = plan.columns - plan.classes, per_box = std::min(plan.classes_per_box, plan.classes);
  std::vector<std::int32_t> order(as_size(plan.classes)), best;
  std::vector<float> best_scores;
  for (std::int64_t box = 0; box < plan.boxes; ++box) {
    const float* row = scores + box * plan.columns + background;
    best_classes(row, per_box, order);
    best.insert(best.end(), order.begin(), order.begin() + per_box);
    best_scores.push_back(row[order[0]]);
  }
  const auto selected = suppress(plan, boxes, best_scores, plan.most);
  for (std::size_t i = 0; i < selected.size(); ++i) {
    const float* row = scores + selected[i] * plan.columns + background;
    for (std::int64_t rank = 0; rank < per_box; ++rank) {
      const std::int32_t label = best[as_size(selected[i] * per_box + rank)];
      write(eval, boxes, static_cast<std::int64_t>(i) * plan.classes_per_box + rank, {selected[i], label, row[label]});
    }
  }
  eval.out<float>(kCount)[0] = static_cast<float>(selected.size());
}

void detect_class_by_class(const Detection& plan, const float* scores, const std::vector<Corners>& boxes, EvalContext& eval) {
  std::vector<Found> all;
  std::vector<float> class_scores(as_size(plan.boxes));
  for (std::int64_t label = 0; label < plan.classes; ++label) {
    const float* column = scores + label + plan.columns - plan.classes;
    for (std::size_t box = 0; box < class_scores.size(); ++box) class_scores[box] = column[static_cast<std::int64_t>(box) * plan.columns];
    const auto before = static_cast<std::ptrdiff_t>(all.size());
    for (const std::int32_t box : suppress(plan, boxes, class_scores, std::min(plan.most_per_class, plan.most))) {
      all.push_back({box, label, class_scores[as_size(box)]});
    }
    std::inplace_merge(all.begin(), all.begin() + before, all.end(), [](const Found& a, const Found& b) { return a.score > b.score; });
    all.resize(std::min(all.size(), as_size(plan.most)));
  }
  for (std::size_t i = 0; i < all.size(); ++i) write(eval, boxes, static_cast<std::int64_t>(i), all[i]);
  eval.out<float>(kCount)[0] = static_cast<float>(all.size());
}

Status read_shapes(const PrepareContext& context, Detection& plan) {
  VISQ_TRY(context.expect_rank(kBoxEncodings, "box encodings", 3));
  VISQ_TRY(context.expect_rank(kClassScores, "class scores", 3));
  const Shape& encodings = context.input(kBoxEncodings).shape;
  const Shape& scores = context.input(kClassScores).shape;
  constexpr std::int64_t kMostBoxes = std::int64_t{1} << 31;
  if (encodings[0] != 1 || encodings[1] >= kMostBoxes || encodings[2] < 4) {
    return context.fail("box encodings have the shape {}, expected [1, boxes, 4 or more]", to_string(encodings));
  }
  if (scores[0] != 1 || scores[1] != encodings[1]) {
    return context.fail("class scores have the shape {}, expected [1, {}, classes]", to_string(scores), encodings[1]);
  }
  if (context.input(kAnchors).shape != Shape{encodings[1], 4}) {
    return context.fail("anchors have the shape {}, expected [{}, 4]", to_string(context.input(kAnchors).shape), encodings[1]);
  }
  plan.boxes = encodings[1];
  plan.encoding = encodings[2];
  plan.columns = scores[2];
  return {};
}

Status read_options(const PrepareContext& context, Detection& plan) {
  VISQ_ASSIGN(const auto options, CustomOptions::read(context));
  constexpr std::int64_t kDefaultPerClass = 100, kLargest = std::numeric_limits<std::int32_t>::max();
  const std::tuple<const char*, std::int64_t*, std::int64_t> counts[] = {{"max_detections", &plan.most, 0},
                                                                         {"max_classes_per_detection", &plan.classes_per_box, 0},
                                                                         {"num_classes", &plan.classes, 0},
                                                                         {"detections_per_class", &plan.most_per_class, kDefaultPerClass}};
  for (const auto& [name, count, fallback] : counts) {
    *count = options.integer(name, fallback);
    if (*count < 1 || *count > kLargest) return context.fail("{} is {}", name, *count);
  }
  if (plan.columns - plan.classes != 0 && plan.columns - plan.classes != 1) {
    return context.fail("{} columns of scores for {} classes", plan.columns, plan.classes);
  }
  plan.class_by_class = options.flag("use_regular_nms");
  plan.lowest_score = static_cast<float>(options.real("nms_score_threshold"));
  plan.largest_overlap = static_cast<float>(options.real("nms_iou_threshold"));
  if (!(plan.largest_overlap > 0 && plan.largest_overlap <= 1)) return context.fail("nms_iou_threshold is {}", plan.largest_overlap);
  const auto scale = [&](const char* name) { return static_cast<double>(static_cast<float>(options.real(name))); };
  plan.y_scale = scale("y_scale");
  plan.x_scale = scale("x_scale");
  plan.height_scale = scale("h_scale");
  plan.width_scale = scale("w_scale");
  return {};
}

}  // namespace

Result<Detection> Detection::plan(PrepareContext& context) {
  VISQ_TRY(context.expect_inputs(3, 3));
  VISQ_TRY(context.expect_outputs(4));
  Detection plan;
  plan.place = context.place();
  VISQ_TRY(read_shapes(context, plan));
  VISQ_TRY(read_options(context, plan));
  const std::int64_t lines = plan.most * plan.classes_per_box;
  VISQ_TRY(context.set_output(kFoundBoxes, DType::kFloat32, {1, lines, 4}));
  VISQ_TRY(context.set_output(kFoundClasses, DType::kFloat32, {1, lines}));
  VISQ_TRY(context.set_output(kFoundScores, DType::kFloat32, {1, lines}));
  VISQ_TRY(context.set_output(kCount, DType::kFloat32, {1}));
  return plan;
}

Status Detection::run(const Values& values, EvalContext& eval) const {
  for (const int slot : {kFoundBoxes, kFoundClasses, kFoundScores}) {
    const auto out = eval.out<float>(slot);
    std::fill(out.begin(), out.end(), 0.0F);
  }
  eval.out<float>(kCount)[0] = 0;
  if (boxes == 0) return {};  // however many classes there are
  VISQ_ASSIGN(const auto corners, decode(*this, values));
  (class_by_class ? detect_class_by_class : detect_at_once)(*this, values.scores, corners, eval);
  return {};
}

}  // namespace visq::kernels
