// TensorBoard event files: histograms of feature maps and weights.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "visq/profile.h"

namespace visq::report {

/// The file name that TensorBoard looks for.
inline constexpr std::string_view kTensorBoardFile = "events.out.tfevents.0.visqerror";

/// All histograms of a profile as one event file: TFRecords (length, masked CRC-32C, Event message, masked CRC-32C). Tags are
/// reference/NAME and quantized/NAME; nothing in it depends on the time of day.
std::string tensorboard_events(const ProfileResult& result);

/// CRC-32C (Castagnoli), as RFC 3720 defines it.
std::uint32_t crc32c(std::string_view bytes);

}  // namespace visq::report
