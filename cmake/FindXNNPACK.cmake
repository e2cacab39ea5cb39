# XNNPACK ships no CMake package in Debian: xnnpack.h, libXNNPACK, and the thread pool it is linked with.
find_path(XNNPACK_INCLUDE_DIR xnnpack.h)
find_library(XNNPACK_LIBRARY XNNPACK)
find_library(PTHREADPOOL_LIBRARY pthreadpool)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(XNNPACK REQUIRED_VARS XNNPACK_LIBRARY PTHREADPOOL_LIBRARY XNNPACK_INCLUDE_DIR)
if(XNNPACK_FOUND AND NOT TARGET XNNPACK::XNNPACK)
  add_library(XNNPACK::XNNPACK UNKNOWN IMPORTED)
  set_target_properties(XNNPACK::XNNPACK PROPERTIES
    IMPORTED_LOCATION ${XNNPACK_LIBRARY}
    INTERFACE_INCLUDE_DIRECTORIES ${XNNPACK_INCLUDE_DIR}
    INTERFACE_LINK_LIBRARIES ${PTHREADPOOL_LIBRARY})
endif()
# The library states no version of its own; its Debian package has one.
find_program(DPKG_QUERY dpkg-query)
if(DPKG_QUERY)
  execute_process(COMMAND ${DPKG_QUERY} -W -f "\${Version}" libxnnpack-dev OUTPUT_VARIABLE XNNPACK_PACKAGE_VERSION ERROR_QUIET)
endif()
mark_as_advanced(DPKG_QUERY XNNPACK_INCLUDE_DIR XNNPACK_LIBRARY PTHREADPOOL_LIBRARY)
