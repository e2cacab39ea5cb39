#include "diagnosis/in_float.h"

#include <algorithm>
#include <cstring>

namespace visq::diagnosis {

void keep_map_in_float(const Subject& subject, int tensor, ModelEdit& edit) {
  if (subject.q().tensor(tensor).is_constant) return;
  edit[tensor].dtype = DType::kFloat32;
  edit[tensor].quantization = Quantization{};
}

void store_in_float(const PairedConstant& constant, const std::vector<float>& values, ModelEdit& edit) {
  store_in_float(constant.tensor, values, edit);
}

void store_in_float(int tensor, const std::vector<float>& values, ModelEdit& edit) {
  TensorEdit& change = edit[tensor];
  std::vector<std::byte> bytes(values.size() * sizeof(float));
  std::memcpy(bytes.data(), values.data(), bytes.size());
  change.dtype = DType::kFloat32;
  change.quantization = Quantization{};
  change.data = std::move(bytes);
}

const ConstantValues* values_of(const Symptoms& symptoms, const PairedConstant& constant) {
  const auto& all = symptoms.constants();
  const auto found = std::find_if(all.begin(), all.end(), [&](const ConstantValues& each) {
    return each.where.node == constant.node && each.where.slot == constant.slot;
  });
  return found == all.end() ? nullptr : &*found;
}

void keep_constants_in_float(const Symptoms& symptoms, int node, ModelEdit& edit) {
  for (const ConstantValues& constant : symptoms.constants()) {
    if (constant.where.node == node) store_in_float(constant.where, constant.reference, edit);
  }
}

}  // namespace visq::diagnosis
