// What the custom operator TFLite_Detection_PostProcess computes: boxes decoded against their anchors, and the best of them that do not
// overlap, over all classes at once or class by class.
#pragma once

#include "kernels/op.h"

namespace visq::kernels {

enum DetectionInput : int { kBoxEncodings, kClassScores, kAnchors };

/// A post-processing step, planned once.
struct Detection {
  std::int64_t boxes = 0;
  std::int64_t encoding = 4;              ///< numbers per box, of which the first four count
  std::int64_t classes = 0, columns = 0;  ///< columns of the scores: the classes, or the background and the classes
  std::int64_t most = 0;                  ///< detections at most
  std::int64_t classes_per_box = 0;       ///< of a detected box, all classes at once
  std::int64_t most_per_class = 0;        ///< class by class
  bool class_by_class = false;
  float lowest_score = 0, largest_overlap = 0;  ///< what still counts as detected; what still counts as another box
  double y_scale = 1, x_scale = 1, height_scale = 1, width_scale = 1;
  std::string place;

  /// Checks inputs and options, and declares the four outputs: boxes, classes, scores, and how many there are.
  static Result<Detection> plan(PrepareContext& context);

  struct Values {
    const float *encodings = nullptr, *scores = nullptr, *anchors = nullptr;
  };
  /// What is not detected is zero. Errors: boxes that the encodings turn inside out.
  Status run(const Values& values, EvalContext& eval) const;
};

}  // namespace visq::kernels
