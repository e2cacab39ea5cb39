// Records of one or more inputs, each input's in one array along its first axis.
#pragma once

#include <istream>
#include <memory>
#include <string>
#include <vector>

#include "data/numpy/npy.h"
#include "data/sources/input_spec.h"
#include "visq/data.h"

namespace visq::data {

struct StackedInput {
  InputSpec spec;
  NpyHeader header;
  std::unique_ptr<std::istream> stream;  ///< of the bytes that the header is the beginning of
  std::string place;                     ///< "data.npz: 'x'"
};

/// `notes`: what is to be said of the data, as remarks of the record that is read first.
/// Errors: an array that is a scalar or empty, or does not fit its input; arrays of different lengths.
Result<std::unique_ptr<RecordSource>> stacked_source(std::string path, std::vector<StackedInput> inputs, std::vector<std::string> notes);

/// Whether the array's records fit the input. Errors: say how not, and what to do about it.
Status check_stacked(const InputSpec& input, const NpyHeader& header, const std::string& place);

}  // namespace visq::data
