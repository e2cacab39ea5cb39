# `cmake --install`: component `tool` is the program with its manual, component `development` the library with a package that
# find_package(visq) reads.
include(CMakePackageConfigHelpers)

add_library(visq_all INTERFACE)
set_target_properties(visq_all PROPERTIES EXPORT_NAME visq)
add_library(visq::visq ALIAS visq_all)
get_property(libraries GLOBAL PROPERTY VISQ_LIBRARIES)
target_link_libraries(visq_all INTERFACE ${libraries})

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME tool)
set(doc_dir ${CMAKE_INSTALL_DATADIR}/doc/visqerror)
install(TARGETS visqerror RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(DIRECTORY ${VISQ_MANUAL_DIR}/man1 DESTINATION ${CMAKE_INSTALL_MANDIR})
install(DIRECTORY ${VISQ_MANUAL_DIR}/bash/ DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(DIRECTORY ${VISQ_MANUAL_DIR}/zsh/ DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/vendor-completions)
install(DIRECTORY ${VISQ_MANUAL_DIR}/fish/ DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
install(DIRECTORY ${VISQ_MANUAL_DIR}/ DESTINATION ${doc_dir} FILES_MATCHING PATTERN "changelog*"
  PATTERN man1 EXCLUDE PATTERN bash EXCLUDE PATTERN zsh EXCLUDE PATTERN fish EXCLUDE)
install(FILES README.md CONTRIBUTING.md SECURITY.md packaging/copyright DESTINATION ${doc_dir})
install(DIRECTORY docs examples DESTINATION ${doc_dir} PATTERN __pycache__ EXCLUDE PATTERN "*.sh" EXCLUDE)
install(DIRECTORY schema DESTINATION ${doc_dir} FILES_MATCHING PATTERN "*.schema.json")
install(CODE "set(licences_dir ${doc_dir}/licences)
include(\"${CMAKE_CURRENT_SOURCE_DIR}/cmake/Licences.cmake\")
put_licences_of_compiled_in()")

# Component `libraries`, for the wheel and the tarball: all that the program loads, but glibc. A package of the system has no use for it.
install(CODE "set(program \"$<TARGET_FILE:visqerror>\")
set(libraries_dir lib/visqerror)
set(licences_dir ${doc_dir}/licences)
include(\"${CMAKE_CURRENT_SOURCE_DIR}/cmake/BundleLibraries.cmake\")" COMPONENT libraries EXCLUDE_FROM_ALL)

set(CMAKE_INSTALL_DEFAULT_COMPONENT_NAME development)
install(TARGETS visq_all ${libraries} EXPORT visqTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/visq DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/visq)
install(EXPORT visqTargets NAMESPACE visq:: DESTINATION ${package_dir})
configure_package_config_file(cmake/visqConfig.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/visqConfig.cmake
  INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/visqConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/visqConfig.cmake ${CMAKE_CURRENT_BINARY_DIR}/visqConfigVersion.cmake
  cmake/FindXNNPACK.cmake cmake/FindOneDNN.cmake cmake/FindGraphviz.cmake DESTINATION ${package_dir})
