#include "model/model_edit.h"

#include <new>
#include <utility>

#include "core/as_size.h"
#include "core/error.h"
#include "model/format_def.h"
#include "model/model_file.h"

namespace visq {

void add(ModelEdit& edit, const ModelEdit& later) {
  for (const auto& [tensor, change] : later) {
    TensorEdit& own = edit[tensor];
    if (change.dtype) own.dtype = change.dtype;
    if (change.quantization) own.quantization = change.quantization;
    if (change.data) own.data = change.data;
  }
}

std::shared_ptr<const Model> edited(const Model& model, const ModelEdit& edit) {
  struct Storage {
    std::shared_ptr<const void> original;
    std::vector<std::vector<std::byte>> constants;
  };
  const auto storage = std::make_shared<Storage>();
  storage->original = model.storage;
  auto copy = std::make_shared<Model>(model);
  for (const auto& [index, change] : edit) {
    TensorInfo& tensor = copy->subgraphs.front().tensors[as_size(index)];
    if (change.dtype) tensor.dtype = *change.dtype;
    if (change.quantization) tensor.quantization = *change.quantization;
    if (change.data) {
      tensor.data = storage->constants.emplace_back(*change.data);
      tensor.sparsity = nullptr;
    }
  }
  copy->storage = storage;
  return copy;
}

Result<std::string> write_edited(const Model& model, const ModelEdit& edit) {
  VISQ_ASSIGN(const auto file, loader::open_model_file(model.path));
  VISQ_ASSIGN(const loader::FormatDef* format, loader::format_of(model));
  try {
    return format->write_edited(file.bytes, model, edit);
  } catch (const std::bad_alloc&) {
    return bad_input("{}: does not fit into memory a second time", model.path);
  }
}

}  // namespace visq
