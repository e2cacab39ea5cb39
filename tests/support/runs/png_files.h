// PNG files made by hand.
#pragma once

#include <string>

namespace visq::testing {

/// A PNG file of these bits per channel and this type of colours (0: grey, 2: RGB, 3: palette). `rows`: each with its filter's byte in
/// front; `palette`: three bytes per colour.
std::string png_file(int width, int height, int depth, int colours, const std::string& rows, const std::string& palette = "");

}  // namespace visq::testing
