# `cmake --install`: the binary, the libraries and headers, and a package that find_package(visq) reads.
include(CMakePackageConfigHelpers)

add_library(visq_all INTERFACE)
set_target_properties(visq_all PROPERTIES EXPORT_NAME visq)
add_library(visq::visq ALIAS visq_all)
get_property(libraries GLOBAL PROPERTY VISQ_LIBRARIES)
target_link_libraries(visq_all INTERFACE ${libraries})

install(TARGETS visqerror RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS visq_all ${libraries} EXPORT visqTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/visq DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/visq)
install(EXPORT visqTargets NAMESPACE visq:: DESTINATION ${package_dir})
configure_package_config_file(cmake/visqConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/visqConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/visqConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/visqConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/visqConfigVersion.cmake
  cmake/FindXNNPACK.cmake cmake/FindOneDNN.cmake cmake/FindGraphviz.cmake DESTINATION ${package_dir})
