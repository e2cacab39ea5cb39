// What quantization costs at the model's outputs.
#pragma once

#include "diagnosis/subject.h"
#include "visq/data.h"
#include "visq/diagnose.h"

namespace visq::diagnosis {

/// Runs both models over the records, the quantized one in this mode. Where that fails nothing is known: no record.
/// `sequence_length`: as DiagnoseOptions::sequence_length.
OutputDamage output_damage(const Subject& subject, RecordSource& data, const RunRequest& request, Mode mode, std::int64_t sequence_length);

}  // namespace visq::diagnosis
