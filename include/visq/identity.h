// What a result is of: models, data, records, modes. All results are built on one of these, and every output says it in the same words.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "visq/checksum.h"
#include "visq/data.h"
#include "visq/mode.h"
#include "visq/model.h"
#include "visq/post_process.h"
#include "visq/sequence.h"

namespace visq {

/// A model by its file.
struct ModelIdentity {
  std::string path;
  Checksum sha256;                     ///< of the file's content; empty where there is no file
  std::string_view format = "tflite";  ///< FormatInfo::name
  std::string signature = {};          ///< the chosen one; empty: none was, see choose_signature()
};

ModelIdentity identity(const Model& model);

/// A run over records.
struct RunIdentity {
  std::string data;     ///< RecordSource::description()
  RecordRange records;  ///< that the numbers are of
  SequenceIdentity sequence;
  bool interrupted = false;  ///< ended early: fewer records, or not all that was asked for
};

/// A run of a pair of models.
struct PairIdentity : RunIdentity {
  ModelIdentity reference, quantized;
  Mode reference_mode = Mode::kFp32, quantized_mode = Mode::kFakeQuant;
  PostProcess post = PostProcess::kNone;  ///< what the models' outputs went through before they were compared
};

/// The outputs' SQNR over all records of the data, beside a result of some of them.
struct WholeSqnr {
  std::int64_t records = 0;     ///< 0: the result itself is of all
  std::vector<double> outputs;  ///< in dB, parallel to the result's outputs; NaN where an output has none
};

/// What repairs of a model were judged on.
struct Judgement {
  std::int64_t records = 0;
  std::int64_t unseen = 0;  ///< of these, records that repairs were not fitted to
};

}  // namespace visq
