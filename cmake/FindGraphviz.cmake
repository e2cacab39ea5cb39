# Graphviz ships no CMake package: the layout engines' library (gvc), and the graphs that it works on (cgraph).
find_path(GRAPHVIZ_INCLUDE_DIR graphviz/gvc.h)
find_library(GRAPHVIZ_GVC_LIBRARY gvc)
find_library(GRAPHVIZ_CGRAPH_LIBRARY cgraph)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Graphviz REQUIRED_VARS GRAPHVIZ_GVC_LIBRARY GRAPHVIZ_CGRAPH_LIBRARY GRAPHVIZ_INCLUDE_DIR)
if(Graphviz_FOUND AND NOT TARGET Graphviz::gvc)
  add_library(Graphviz::gvc UNKNOWN IMPORTED)
  set_target_properties(Graphviz::gvc PROPERTIES
    IMPORTED_LOCATION ${GRAPHVIZ_GVC_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${GRAPHVIZ_INCLUDE_DIR};${GRAPHVIZ_INCLUDE_DIR}/graphviz"
    INTERFACE_LINK_LIBRARIES ${GRAPHVIZ_CGRAPH_LIBRARY})
endif()
mark_as_advanced(GRAPHVIZ_INCLUDE_DIR GRAPHVIZ_GVC_LIBRARY GRAPHVIZ_CGRAPH_LIBRARY)
