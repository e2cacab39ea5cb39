# visq_headers(TARGET): the standard library's headers and fmt's, which nearly every file reads, compiled once for all targets that are
# compiled alike: COLD ones share one, the others one; a TARGET with options of its own gets its own with OWN. Large headers that few files read do not
# belong here: with nlohmann's JSON, every file would take 0.9 s to begin, where it now takes 0.3 s.
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
  cmake_parse_arguments(ARG "COLD;OWN" "" "" ${ARGN})
  if(ARG_OWN)
    target_precompile_headers(${target} PRIVATE ${VISQ_HEADERS})
  elseif(ARG_COLD)
    target_precompile_headers(${target} REUSE_FROM visq_headers_cold)
  else()
    target_precompile_headers(${target} REUSE_FROM visq_headers_hot)
  endif()
endfunction()

# visq_cold(TARGET): nothing in it goes over elements; optimizing what runs once would take half of the build's time.
function(visq_cold target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-Og>)
  # With -Og GCC 12 sees short strings overrun in std::string's operator+ (GCC bug 105329).
  target_compile_options(${target} PRIVATE "$<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>>:-Wno-array-bounds;-Wno-stringop-overflow>")
endfunction()
visq_cold(visq_headers_cold)
