# Every third-party package the project uses, found once.
find_package(Threads REQUIRED)
find_package(fmt REQUIRED)
find_package(FlatBuffers REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(OneDNN REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)  # the size of oneDNN's teams is set through it
find_package(Eigen3 REQUIRED NO_MODULE)
find_package(hwy REQUIRED)
find_package(XNNPACK REQUIRED)
find_package(D3 5 REQUIRED)        # the pages of `report`
find_package(Graphviz REQUIRED)  # pictures of graphs: the layout engine `dot`
# The shared HDF5 library loads some thirty others (for files in the cloud), which cost every start of the tool 5 ms.
set(HDF5_USE_STATIC_LIBRARIES ON)
find_package(HDF5 REQUIRED COMPONENTS C)

# Eigen, header-only, as we take it: its products start no threads of OpenMP, and nothing comes along that is not under the MPL.
add_library(visq_eigen INTERFACE)
target_link_libraries(visq_eigen INTERFACE Eigen3::Eigen)
target_compile_definitions(visq_eigen INTERFACE EIGEN_DONT_PARALLELIZE EIGEN_MPL2_ONLY)
