# Warnings for our own code only: a private INTERFACE target, not exported. Who builds no tests only wants the program, and sooner.
option(VISQ_WARNINGS "Compile with the warnings that the code is kept free of, which takes longer" ${VISQ_BUILD_TESTS})
add_library(visq_warnings INTERFACE)
if(VISQ_WARNINGS)
  target_compile_options(visq_warnings INTERFACE -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion
    -Wnon-virtual-dtor -Woverloaded-virtual)
endif()
# GCC 12 sees overlapping copies in std::string's operator+ where there are none (GCC bug 105651).
target_compile_options(visq_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict>)
# The same source gives the same numbers on every CPU: no fused multiply-add where the source has two operations.
target_compile_options(visq_warnings INTERFACE -ffp-contract=off)
# GCC looks for memory to give back from 128 MB on; with 300 MB it does so seldom, and a tenth of its time is saved.
target_compile_options(visq_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:--param=ggc-min-heapsize=300000>)
# Where files are compiled together, their unnamed namespaces stand in what the compiler takes for headers.
if(CMAKE_UNITY_BUILD)
  target_compile_options(visq_warnings INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
