// What a result is of, as texts and pictures say it.
#pragma once

#include <string>

#include "visq/identity.h"

namespace visq::report {

/// "3 records".
std::string records_text(const RunIdentity& run);

/// ", 44.64 dB over all 64 records": of output `i`, behind the number that is of some of them. Empty where the result is of all.
std::string whole_sqnr_text(const WholeSqnr& whole, std::size_t i);

/// "16 records, 8 of which no repair is fitted to".
std::string judgement_text(const Judgement& judgement);

/// "m.tflite", or "m.tflite, signature 'decode'".
std::string model_text(const ModelIdentity& model);

/// "data.h5, 3 records".
std::string data_text(const RunIdentity& run);

/// "fp32.tflite and int8.tflite", with modes "fp32.tflite (fp32) and int8.tflite (fake-quant)".
std::string models_text(const PairIdentity& pair, bool modes = false);

/// The head of a text: models, data, an empty line.
std::string pair_head(const PairIdentity& pair, bool modes = false);

/// One line for pictures, files without their folders: "fp32.tflite and int8.tflite, 3 records of data.h5".
std::string pair_caption(const PairIdentity& pair);

}  // namespace visq::report
