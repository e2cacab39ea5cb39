#include "support/runs/corpus.h"

#include <algorithm>
#include <numeric>

namespace visq::testing {

namespace fs = std::filesystem;

std::vector<fs::path> models_below(std::initializer_list<const char*> folders) {
  std::vector<fs::path> found;
  for (const char* folder : folders) {
    const fs::path root = fs::path(VISQ_SHARED_DIR) / folder;
    if (!fs::exists(root)) continue;
    for (const auto& entry : fs::recursive_directory_iterator(root)) {
      const bool broken = entry.path().parent_path().filename() == "bad";
      const bool model = entry.path().extension() == ".tflite" || entry.path().extension() == ".circle";
      if (model && !broken) found.push_back(entry.path());
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

ModelPart whole_graph(const Model& model) {
  ModelPart part{{}, model.main().inputs, model.main().outputs, {}};
  part.operators.resize(model.main().operators.size());
  std::iota(part.operators.begin(), part.operators.end(), 0);
  return part;
}

}  // namespace visq::testing
