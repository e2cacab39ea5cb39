# visq_gather(TARGET DIR TYPE FUNCTION HEADER): collects one definition per file into a table, so that adding a file adds an entry.
#
# Every DIR/NAME.cpp defines `std::span<const TYPE> FUNCTION_NAME();` beside what it implements. The generated file defines
# `std::vector<const TYPE*> FUNCTION_all();`, which visits the files in the order of their names. TYPE is qualified; HEADER declares it.
function(visq_gather target dir type function header)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*.cpp)
  target_sources(${target} PRIVATE ${files})
  string(REGEX REPLACE "::[A-Za-z0-9_]*$" "" scope ${type})
  set(declarations "")
  set(calls "")
  foreach(file ${files})
    get_filename_component(stem ${file} NAME_WE)
    string(APPEND declarations "std::span<const ${type}> ${function}_${stem}();\n")
    string(APPEND calls "  for (const auto& entry : ${function}_${stem}()) all.push_back(&entry);\n")
  endforeach()
  file(CONFIGURE OUTPUT ${CMAKE_CURRENT_BINARY_DIR}/${function}_all.cpp CONTENT
"// Generated from the file names in ${dir}/.
#include <span>
#include <vector>

#include \"@header@\"

namespace @scope@ {
@declarations@
std::vector<const @type@*> @function@_all();
std::vector<const @type@*> @function@_all() {
  std::vector<const @type@*> all;
@calls@  return all;
}
}  // namespace @scope@
" @ONLY)
  target_sources(${target} PRIVATE ${CMAKE_CURRENT_BINARY_DIR}/${function}_all.cpp)
endfunction()
