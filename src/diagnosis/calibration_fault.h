// CALIBRATION in words: all ranges are wrong together.
#pragma once

#include "diagnosis/examination.h"
#include "diagnosis/recalibration.h"

namespace visq::diagnosis {

/// An error where the outputs are poor, else a note.
Fault calibration_fault(const MeasuredPair& pair, const Trials& trials, const CalibrationTrial& trial);

}  // namespace visq::diagnosis
