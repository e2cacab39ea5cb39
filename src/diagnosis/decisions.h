// Outputs that decide between classes, and what they decide.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string_view>

#include "diagnosis/subject.h"
#include "kernels/op.h"

namespace visq::diagnosis {

/// How many decisions there are, and how many of them are others than the float model's.
struct Decisions {
  std::int64_t all = 0, changed = 0;

  /// Of rows of `width` classes each.
  void count(std::span<const float> wanted, std::span<const float> found, std::size_t width) {
    const auto best_of = [&](std::span<const float> values, std::size_t row) {
      const auto classes = values.subspan(row, width);
      return std::max_element(classes.begin(), classes.end()) - classes.begin();
    };
    for (std::size_t row = 0; row + width <= std::min(wanted.size(), found.size()); row += width) {
      ++all;
      changed += best_of(wanted, row) != best_of(found, row) ? 1 : 0;
    }
  }
  void add(const Decisions& other) { all += other.all, changed += other.changed; }
};

/// What the operator behind an output of the reference does.
inline kernels::OpKind kind_of_maker(const Subject& subject, int reference_output) {
  const int maker = subject.r().maker(subject.r().origin(reference_output));
  return maker < 0 ? kernels::OpKind::kOther : kernels::kind_of(subject.r().op(maker));
}

/// Classes in the rows of an output of the reference that a SOFTMAX makes; 0: it is no such output.
inline std::size_t classes_of(const Subject& subject, int reference_output) {
  const Shape& shape = subject.r().tensor(reference_output).shape;
  const bool decides = kind_of_maker(subject, reference_output) == kernels::OpKind::kSoftmax && shape.rank() > 0 && shape.back() > 1;
  return decides ? as_size(shape.back()) : 0;
}

}  // namespace visq::diagnosis
