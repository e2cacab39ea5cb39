// What quantization costs at the model's outputs.
#pragma once

#include "diagnosis/subject.h"
#include "visq/data.h"
#include "visq/diagnose.h"

namespace visq::diagnosis {

/// Runs both models over the records, the quantized one in this mode. Where that fails nothing is known: no record.
OutputDamage output_damage(const Subject& subject, RecordSource& data, const RunRequest& request, Mode mode);

}  // namespace visq::diagnosis
