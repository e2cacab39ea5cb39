# Every third-party package the project uses, found once.

# visq_optional(PACKAGE [VERSION] INSTALL packages LOSES text): what a distribution may leave out. It is asked for unless
# -DVISQ_WITH_PACKAGE=OFF says otherwise, so that nothing goes missing in silence.
macro(visq_optional package)
  cmake_parse_arguments(OPTIONAL "" "INSTALL;LOSES" "" ${ARGN})
  string(TOUPPER ${package} upper)
  option(VISQ_WITH_${upper} "Build with ${package}; without it ${OPTIONAL_LOSES}" ON)
  if(VISQ_WITH_${upper})
    find_package(${package} ${OPTIONAL_UNPARSED_ARGUMENTS})
    if(NOT ${package}_FOUND)
      message(FATAL_ERROR "${package} was not found: install ${OPTIONAL_INSTALL}, or configure with -DVISQ_WITH_${upper}=OFF; "
        "without it ${OPTIONAL_LOSES}.")
    endif()
  endif()
endmacro()

find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(FlatBuffers REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(OneDNN REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)  # the size of oneDNN's teams is set through it
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(hwy REQUIRED)
find_package(Protozero REQUIRED)
find_package(ZLIB REQUIRED)
visq_optional(JPEG INSTALL "libjpeg-dev" LOSES "JPEG files are not read")
visq_optional(PNG INSTALL "libpng-dev" LOSES "PNG files are not read")
visq_optional(XNNPACK INSTALL "libxnnpack-dev and libpthreadpool-dev" LOSES "some float convolutions are slower")
visq_optional(D3 5 INSTALL "node-d3 (or give the path of d3.min.js with -DD3_JS=)" LOSES "`report` makes no pages")
visq_optional(Graphviz INSTALL "libgraphviz-dev" LOSES "the pages of `report` show no graph")
# The shared HDF5 library loads some thirty others (for files in the cloud), which cost every start of the tool 5 ms.
set(HDF5_USE_STATIC_LIBRARIES ON)
find_package(HDF5 REQUIRED COMPONENTS C)

# Eigen, header-only, as we take it: its products start no threads of OpenMP, and nothing comes along that is not under the MPL.
add_library(visq_eigen INTERFACE)
target_link_libraries(visq_eigen INTERFACE Eigen3::Eigen)
target_compile_definitions(visq_eigen INTERFACE EIGEN_DONT_PARALLELIZE EIGEN_MPL2_ONLY)
# Highway for the instruction sets of core/simd.h.
add_library(visq_highway INTERFACE)
target_link_libraries(visq_highway INTERFACE hwy::hwy)
target_compile_definitions(visq_highway INTERFACE HWY_DISABLED_TARGETS=HWY_SSSE3)
