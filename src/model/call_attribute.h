// Which fields of an operator's options are indices of subgraphs that it calls.
#pragma once

#include <string_view>

namespace visq::loader {

/// Such fields are called *_subgraph_index, *_subgraph_indices or subgraph.
inline bool names_subgraphs(std::string_view field) { return field.find("subgraph") != std::string_view::npos; }

}  // namespace visq::loader
