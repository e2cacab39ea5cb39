// Model files that others made, and models as a whole.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <vector>

#include "visq/model_part.h"

namespace visq::testing {

/// The sound models below these folders beside the project, sorted; empty where there are none.
std::vector<std::filesystem::path> models_below(std::initializer_list<const char*> folders);

/// All operators of the main graph.
ModelPart whole_graph(const Model& model);

}  // namespace visq::testing
