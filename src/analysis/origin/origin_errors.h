// The sums behind the three errors of one pair of maps in one record.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "visq/model.h"

namespace visq::analysis {

/// Sums over the elements of one record; f the reference's map. Where an element of any map involved is not finite, it is counted and left
/// out of its sums.
struct OriginRecord {
  bool has_created = false, has_inherited = false;
  std::string not_computed;  ///< why one of them is missing
  std::int64_t elements = 0;
  double created = 0;                               ///< (y - f)², y the rounded output
  double weights = 0, inner = 0;                    ///< (u - f)²; (v - u)²: see CreatedMaps
  double rounding = 0, clipping = 0;                ///< (y - v)² of elements with v inside, outside the range
  double inherited = 0;                             ///< (i - f)², i the reference's operator on the other graph's maps
  double created_scaled = 0, inherited_scaled = 0;  ///< created, inherited of d/s; 0 without scale
  std::int64_t created_non_finite = 0, inherited_non_finite = 0;
};

/// What the quantized operators make of the reference's maps.
struct CreatedMaps {
  const float* f = nullptr;
  const float* exact = nullptr;   ///< u: nothing rounded but weights
  const float* inside = nullptr;  ///< v: maps without partner rounded too; `exact` where there are none
  float low = -std::numeric_limits<float>::infinity(), high = std::numeric_limits<float>::infinity();  ///< u and v are cut to it
};

/// Memory that one thread reuses.
struct OriginScratch {
  std::vector<float> exact, inside, rounded;
  std::vector<float> reference, computed, computed_inside;  ///< of maps that are not float32
};

/// Fills in everything created. `rounds`: the output is rounded to the tensor's grid.
void add_created(const CreatedMaps& maps, const TensorInfo& tensor, bool rounds, const Shape& shape, OriginScratch& scratch,
                 OriginRecord& record);

/// Fills in what is inherited; scales are those of `tensor`, the quantized one.
void add_inherited(const float* f, const float* inherited, const TensorInfo& tensor, const Shape& shape, OriginRecord& record);

}  // namespace visq::analysis
