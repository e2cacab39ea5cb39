# visq_gather(TARGET DIR TYPE FUNCTION HEADER [USES wing …]): collects one definition per file into a table, so that adding a file adds an
# entry.
#
# Every NAME.cpp in DIR, or in a folder under it, defines `std::span<const TYPE> FUNCTION_NAME::definitions();` beside what it implements: a
# namespace each, in TYPE's. The generated file defines `std::vector<const TYPE*> FUNCTION_all();`, which visits the files in the order of
# their names. TYPE is qualified; HEADER declares it. USES: as for visq_wing().
function(visq_gather target dir type function header)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  file(GLOB_RECURSE entries CONFIGURE_DEPENDS LIST_DIRECTORIES true ${CMAKE_CURRENT_SOURCE_DIR}/${dir}/*)
  set(stems "")
  foreach(folder ${CMAKE_CURRENT_SOURCE_DIR}/${dir} ${entries})
    if(IS_DIRECTORY ${folder})
      file(RELATIVE_PATH folder ${CMAKE_CURRENT_SOURCE_DIR} ${folder})
      visq_sources(${target} ${folder})
      set(home ${folder})
      visq_arrows(${folder} ${ARG_USES})
      file(GLOB files ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
      foreach(file ${files})
        get_filename_component(stem ${file} NAME_WE)
        list(APPEND stems ${stem})
      endforeach()
    endif()
  endforeach()
  list(SORT stems)
  string(REGEX REPLACE "::[A-Za-z0-9_]*$" "" scope ${type})
  set(declarations "")
  set(calls "")
  foreach(stem ${stems})
    string(APPEND declarations "namespace ${function}_${stem} { std::span<const ${type}> definitions(); }\n")
    string(APPEND calls "  for (const auto& entry : ${function}_${stem}::definitions()) all.push_back(&entry);\n")
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
  get_target_property(group ${target} VISQ_UNITY_GROUP)  # with files that read the same headers
  set_source_files_properties(${CMAKE_CURRENT_BINARY_DIR}/${function}_all.cpp PROPERTIES UNITY_GROUP ${group})
endfunction()
