// Edits that take parts of the quantized model out of quantization. No kernel mixes types so, and no file holds it: for trials only.
#pragma once

#include <vector>

#include "diagnosis/symptoms.h"
#include "model/model_edit.h"

namespace visq::diagnosis {

/// Leaves a feature map as it is computed. Graph inputs then take their values as given.
void keep_map_in_float(const Subject& subject, int tensor, ModelEdit& edit);

/// Gives a constant these real values.
void store_in_float(int tensor, const std::vector<float>& values, ModelEdit& edit);
void store_in_float(const PairedConstant& constant, const std::vector<float>& values, ModelEdit& edit);

/// Gives an operator the reference's weights and bias, in float.
void keep_constants_in_float(const Symptoms& symptoms, int node, ModelEdit& edit);

/// The reference's values of a constant; null where they are not known.
const ConstantValues* values_of(const Symptoms& symptoms, const PairedConstant& constant);

}  // namespace visq::diagnosis
