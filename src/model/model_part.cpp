#include "visq/model_part.h"

#include <new>

#include "core/error.h"
#include "model/format_def.h"
#include "model/model_file.h"

namespace visq {

Result<std::string> write_part(const Model& model, const ModelPart& part) {
  VISQ_ASSIGN(const auto file, loader::open_model_file(model.path));
  VISQ_ASSIGN(const loader::FormatDef* format, loader::format_of(model));
  try {
    return format->write_part(file.bytes, model, part);
  } catch (const std::bad_alloc&) {
    return bad_input("{}: its part does not fit into memory", model.path);
  }
}

}  // namespace visq
