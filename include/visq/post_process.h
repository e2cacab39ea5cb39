// What becomes of a model's outputs before they are compared, as the program behind the model would do it.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace visq {

/// softmax: e^x / sum of e^x over the last axis. sigmoid: 1 / (1 + e^-x). argmax: the index of the largest element of the last axis, which
/// makes the output an integer one (compared as share of differing elements). Only real-valued outputs are changed.
enum class PostProcess : std::uint8_t { kNone, kSoftmax, kSigmoid, kArgmax };

/// "softmax", "sigmoid", "argmax"; empty for kNone.
std::string_view name(PostProcess post);

/// The one of that name.
std::optional<PostProcess> post_process_called(std::string_view name);

}  // namespace visq
