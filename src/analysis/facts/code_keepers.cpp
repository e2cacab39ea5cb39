#include "analysis/facts/code_keepers.h"

#include <algorithm>
#include <string_view>

namespace visq::analysis {

bool keeps_codes(const Operator& op, DType type) {
  static constexpr std::string_view kTypes[] = {"AVERAGE_POOL_2D",
                                                "BATCH_TO_SPACE_ND",
                                                "BROADCAST_TO",
                                                "DEPTH_TO_SPACE",
                                                "DYNAMIC_UPDATE_SLICE",
                                                "EXPAND_DIMS",
                                                "GATHER",
                                                "GATHER_ND",
                                                "MAXIMUM",
                                                "MAX_POOL_2D",
                                                "MINIMUM",
                                                "MIRROR_PAD",
                                                "PACK",
                                                "PAD",
                                                "PADV2",
                                                "REDUCE_MAX",
                                                "REDUCE_MIN",
                                                "RESHAPE",
                                                "RESIZE_BILINEAR",
                                                "RESIZE_NEAREST_NEIGHBOR",
                                                "REVERSE_SEQUENCE",
                                                "REVERSE_V2",
                                                "SCATTER_ND",
                                                "SELECT",
                                                "SELECT_V2",
                                                "SLICE",
                                                "SPACE_TO_BATCH_ND",
                                                "SPACE_TO_DEPTH",
                                                "SPLIT",
                                                "SPLIT_V",
                                                "SQUEEZE",
                                                "STRIDED_SLICE",
                                                "TILE",
                                                "TOPK_V2",
                                                "TRANSPOSE",
                                                "UNPACK"};
  if (op.type == "CONCATENATION") return type != DType::kUInt8;  // its kernel rescales uint8
  return std::binary_search(std::begin(kTypes), std::end(kTypes), std::string_view(op.type));
}

}  // namespace visq::analysis
