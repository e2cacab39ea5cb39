// Pictures, and arrays of pictures, on their way to a model.
#pragma once

#include <memory>
#include <string>

#include "data/sources/data_format.h"

namespace visq::data {

/// Opens data of a kind and does to their pictures what request.preparation asks for. Errors: kUsage for what cannot be done to these data
/// or this model.
Result<std::unique_ptr<RecordSource>> open_prepared(const DataFormat& format, const std::string& path, const Model& model,
                                                    const DataRequest& request);

}  // namespace visq::data
