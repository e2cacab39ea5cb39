# Graphviz ships no CMake package: the library of layouts (gvc), its engine `dot`, which is a plugin that is linked here instead of being
# looked for at run time, and the graphs that they work on (cgraph).
find_path(GRAPHVIZ_INCLUDE_DIR graphviz/gvc.h)
find_library(GRAPHVIZ_GVC_LIBRARY gvc)
find_library(GRAPHVIZ_DOT_LIBRARY gvplugin_dot_layout PATH_SUFFIXES graphviz)
find_library(GRAPHVIZ_CGRAPH_LIBRARY cgraph)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Graphviz REQUIRED_VARS GRAPHVIZ_GVC_LIBRARY GRAPHVIZ_DOT_LIBRARY
  GRAPHVIZ_CGRAPH_LIBRARY GRAPHVIZ_INCLUDE_DIR)
if(Graphviz_FOUND AND NOT TARGET Graphviz::gvc)
  add_library(Graphviz::gvc UNKNOWN IMPORTED)
  set_target_properties(Graphviz::gvc PROPERTIES
    IMPORTED_LOCATION ${GRAPHVIZ_GVC_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES "${GRAPHVIZ_INCLUDE_DIR};${GRAPHVIZ_INCLUDE_DIR}/graphviz"
    INTERFACE_LINK_LIBRARIES "${GRAPHVIZ_DOT_LIBRARY};${GRAPHVIZ_CGRAPH_LIBRARY}")
endif()
mark_as_advanced(GRAPHVIZ_INCLUDE_DIR GRAPHVIZ_GVC_LIBRARY GRAPHVIZ_DOT_LIBRARY GRAPHVIZ_CGRAPH_LIBRARY)
