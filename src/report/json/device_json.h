// Where a device leaves its model, in a comparison's JSON.
#pragma once

#include "report/json/json_text.h"
#include "visq/device/device_report.h"

namespace visq::report {

Json json_device(const DeviceReport& report);

}  // namespace visq::report
