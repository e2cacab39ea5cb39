// How a device's map lies in memory, and which of the possible ways it is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "visq/shape.h"

namespace visq::analysis {

/// A map of the model's, [n, pixels…, channels], as the device stores it.
struct DeviceLayout {
  enum class Order {
    kLast,    ///< [n, pixels, channels]
    kSecond,  ///< [n, channels, pixels]
    kBlocks,  ///< [n, blocks, pixels, block]
  };
  Order order = Order::kLast;
  std::int64_t channels = 0;               ///< as stored: the model's, or filled up
  std::int64_t block = 0;                  ///< of kBlocks
  bool as_shaped = true;                   ///< the axes of the device's map are those of this order, axes of 1 aside
  std::optional<double> correlation = {};  ///< with the model's map; nothing where one does not vary
};

/// The ways in which a map of `stored` axes holds as many elements as one of the model's `wanted`: what its axes say first.
std::vector<DeviceLayout> possible_layouts(const Shape& stored, const Shape& wanted);

/// The elements in the model's order, without what fills up channels.
std::vector<double> in_model_order(const std::vector<double>& stored, const DeviceLayout& layout, const Shape& wanted);

/// Pearson's, over at most 16384 elements evenly spread; nothing where one of the two does not vary or is not finite.
std::optional<double> correlation(const std::vector<double>& a, const std::vector<double>& b);

/// Whether a map and the model's are so alike (0.9 and more) that it must lie so.
bool is_sure(const DeviceLayout& layout);

/// The first of the ways, unless a later one is sure and better by more than 0.05. There must be one.
const DeviceLayout& likest(const std::vector<DeviceLayout>& ways);

/// What is to be said about a layout that is not the model's own: "its channels come second, [1, 8, 4, 4] for [1, 4, 4, 8] (correlation
/// 1.000)". Empty where there is nothing to say.
std::string description(const DeviceLayout& layout, const Shape& stored, const Shape& wanted);

}  // namespace visq::analysis
