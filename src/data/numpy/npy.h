// numpy's .npy files (format versions 1.0 to 3.0): an array's type and shape, then its elements.
#pragma once

#include <cstdint>
#include <istream>
#include <string>
#include <string_view>

#include "visq/status.h"
#include "visq/tensor.h"

namespace visq::data {

inline constexpr std::string_view kNpySignature = "\x93NUMPY";

/// What the header says, checked against the size of the file.
struct NpyHeader {
  DType dtype = DType::kFloat32;
  Shape shape;
  bool swapped = false;     ///< the elements are in the other byte order
  std::int64_t offset = 0;  ///< of the first element, in bytes
};

/// Reads the header of the `size` bytes that the stream gives from its beginning. Accepted types: f2, f4, f8, i1 to i8, u1 to u8, b1, c8,
/// c16, in either byte order, in C order. Errors: begin with `place`.
Result<NpyHeader> read_npy_header(std::istream& file, std::int64_t size, const std::string& place);
/// The same of a file.
Result<NpyHeader> read_npy_header(const std::string& path, const std::string& place);

/// Reads as many elements as `shape` has, beginning with element `first` (which the header must cover), into an array of that shape in
/// the machine's byte order, bools as 0 and 1. Errors: begin with `place`; also where that exceeds limits().input.
Result<Array> read_npy(std::istream& file, const NpyHeader& header, std::int64_t first, const Shape& shape, const std::string& place);
Result<Array> read_npy(const std::string& path, const NpyHeader& header, std::int64_t first, const Shape& shape, const std::string& place);

}  // namespace visq::data
