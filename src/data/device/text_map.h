// Feature maps as text: numbers between white space or commas.
#pragma once

#include <cstdint>
#include <string>

#include "visq/dump.h"

namespace visq::data {

/// Whether a file begins with a number.
bool holds_numbers(const std::string& path);

/// Type and number of the elements: int64 where all are whole numbers, else float32; shape [elements]. Errors: begin with `place`; a word
/// that is no number.
Result<DumpTensor> look_at_text(const std::string& path, const std::string& place);

/// The elements. Errors: likewise; more bytes than limits().input.
Result<Array> read_text(const std::string& path, const DumpTensor& tensor, const std::string& place);

}  // namespace visq::data
