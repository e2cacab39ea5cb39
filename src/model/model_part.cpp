#include "visq/model_part.h"

#include <new>

#include "core/error.h"
#include "core/file.h"
#include "model/formats.h"

namespace visq {

Result<std::string> write_part(const Model& model, const ModelPart& part) {
  VISQ_ASSIGN(const auto file, MappedFile::open(model.path));
  const auto write = model.format == Format::kCircle ? loader::write_circle_part : loader::write_tflite_part;
  try {
    return write(file->bytes(), model, part);
  } catch (const std::bad_alloc&) {
    return bad_input("{}: its part does not fit into memory", model.path);
  }
}

}  // namespace visq
