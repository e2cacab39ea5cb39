# visq_embed(TARGET NAMESPACE FILE…): text files as constants of the program: page.css becomes `std::string_view NAMESPACE::page_css()`,
# which the code that uses it declares. A file's path is relative to the caller's folder, or absolute. Called once per target.
function(visq_embed target namespace)
  set(constants "")
  foreach(file ${ARGN})
    get_filename_component(path ${file} ABSOLUTE)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${path})
    file(READ ${path} content)
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER ${name} name)
    string(APPEND constants "std::string_view ${name}();\nstd::string_view ${name}() { return R\"visqembed(${content})visqembed\"; }\n\n")
  endforeach()
  # Assembled by hand: configure_file would take the text's own @WORDS@ for variables.
  set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded.cpp)
  file(CONFIGURE OUTPUT ${out} @ONLY CONTENT
"// Generated from text files.
#include <string_view>

namespace @namespace@ {
@constants@}  // namespace @namespace@
")
  target_sources(${target} PRIVATE ${out})
  set_source_files_properties(${out} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)  # it needs one
endfunction()
