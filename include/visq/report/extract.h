// The result of extract as text and as JSON, and the names of the files that it is about.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "visq/extract.h"

namespace visq::report {

/// The files of the folder that extract writes.
struct ExtractFiles {
  std::string reference_model, quantized_model;                                        ///< "fp32.tflite", "quant.circle"
  std::string data = "data.h5";                                                        ///< what the reference's part is fed with
  std::string reference_outputs = "reference.h5", quantized_outputs = "quantized.h5";  ///< both parts' outputs on `data`
  /// Where the quantized model fed its part with something else: that, and what the part gives for it. Empty: the inputs are the same.
  std::string quantized_inputs = "quantized_inputs.h5", quantized_own_outputs = "quantized_own.h5";
};
ExtractFiles extract_files(const ExtractResult& result, bool own_inputs);

/// What was extracted and what each file holds. `columns`: width of the terminal; 0: a file.
std::string extract_text(const ExtractResult& result, const ExtractFiles& files, std::size_t columns);

/// README.txt: the same, and how to use it.
std::string extract_readme(const ExtractResult& result, const ExtractFiles& files);

/// The document of schema/extract.schema.json.
std::string extract_json(const ExtractResult& result, const ExtractFiles& files);

}  // namespace visq::report
