# visq_headers(TARGET [COLD]): how a target is compiled, visq_hot() or visq_cold(), and the standard library's headers and fmt's, which
# nearly every file reads, compiled once for all targets that are compiled alike. Large headers that few files read do not belong here:
# with nlohmann's JSON, every file would take 0.9 s to begin, where it now takes 0.3 s.
set(VISQ_HEADERS <algorithm> <array> <cmath> <cstring> <filesystem> <functional> <limits> <map> <memory> <mutex> <optional> <set> <span>
  <string> <utility> <vector> <fmt/core.h>)

# Nothing is in the owner but the headers.
file(WRITE ${PROJECT_BINARY_DIR}/headers.cpp "")
foreach(kind hot cold)
  add_library(visq_headers_${kind} OBJECT ${PROJECT_BINARY_DIR}/headers.cpp)
  target_link_libraries(visq_headers_${kind} PRIVATE fmt::fmt visq_warnings)
  target_precompile_headers(visq_headers_${kind} PRIVATE ${VISQ_HEADERS})
endforeach()

function(visq_headers target)
  cmake_parse_arguments(ARG "COLD" "" "" ${ARGN})
  if(ARG_COLD)
    visq_cold(${target})
    target_precompile_headers(${target} REUSE_FROM visq_headers_cold)
  else()
    visq_hot(${target})
    target_precompile_headers(${target} REUSE_FROM visq_headers_hot)
  endif()
endfunction()

# visq_cold(TARGET): nothing in it goes over elements; optimizing what runs once would take half of the build's time.
function(visq_cold target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
  # With -Og GCC 12 sees short strings overrun in std::string's operator+ (GCC bug 105329).
  target_compile_options(${target} PRIVATE "$<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-array-bounds;-Wno-stringop-overflow>")
endfunction()

# visq_hot(TARGET): what goes over elements. Loops over square roots, roundings and comparisons vectorize only without errno and
# floating-point traps, which nobody looks at. Of what GCC's -O3 has more than -O2, they need what stands here: the same instructions are
# executed to within 0.4 % on every pair of models, and compiling takes a tenth less.
function(visq_hot target)
  target_compile_options(${target} PRIVATE -fno-math-errno -fno-trapping-math
    "$<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-O2;-ftree-vectorize;-fvect-cost-model=dynamic;-fpeel-loops;-funswitch-loops>"
    "$<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:--param=max-inline-insns-single=200;--param=inline-min-speedup=15>")
endfunction()

visq_hot(visq_headers_hot)
visq_cold(visq_headers_cold)
