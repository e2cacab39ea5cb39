# `cpack -G DEB` in the build folder: visqerror_VERSION_ARCH.deb with the program, its manual and the example. What it depends on is read
# from the binary. `cpack -G TGZ`: the same with the libraries in it, to be unpacked anywhere.
set(CPACK_PACKAGE_NAME visqerror)
set(CPACK_PACKAGE_CONTACT "visqerror maintainers <maintainers@visqerror.example>" CACHE STRING "Whom the package names as maintainer")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "find the layer that lost a quantized network's accuracy")
set(CPACK_COMPONENT_TOOL_DESCRIPTION
"visqerror runs a float32 neural network and its quantized twin (circle, TFLite
or ONNX) over the same data, compares every feature map, and tells which layer
lost the accuracy, why, and what to do about it: error metrics per layer,
causes with the measured gain of each fix, sensitivity, mixed-precision
configurations for quantizers, and a report as one HTML file.")
set(CPACK_GENERATOR DEB)
set(CPACK_SYSTEM_NAME linux-${CMAKE_SYSTEM_PROCESSOR})  # in the tarball's name
set(CPACK_COMPONENTS_ALL tool)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_DEBIAN_TOOL_PACKAGE_NAME visqerror)
set(CPACK_DEBIAN_TOOL_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "graphviz, bash-completion")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PROJECT_CONFIG_FILE ${CMAKE_CURRENT_SOURCE_DIR}/cmake/PackageByGenerator.cmake)
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
include(CPack)
