// What a tensor's name says about the layer that made it, whichever converter wrote it.
#pragma once

#include <string_view>
#include <vector>

namespace visq::quant {

/// The names that a converter has joined with ';' when it merged operators, each without what converters add ("_int8", "_dequantize", ":0",
/// "quant_"); each once, in order. Names that say nothing ("tfl.quantize") are left out.
std::vector<std::string_view> name_parts(std::string_view name);

}  // namespace visq::quant
