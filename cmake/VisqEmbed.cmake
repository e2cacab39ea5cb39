# visq_embed(TARGET NAMESPACE FILE…): text files as constants of the program: page.css becomes `std::string_view NAMESPACE::page_css()`,
# which the code that uses it declares.
function(visq_embed target namespace)
  foreach(file ${ARGN})
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${file})
    file(READ ${CMAKE_CURRENT_SOURCE_DIR}/${file} content)
    get_filename_component(name ${file} NAME)
    string(MAKE_C_IDENTIFIER ${name} name)
    # Assembled by hand: configure_file would take the text's own @WORDS@ for variables.
    set(out ${CMAKE_CURRENT_BINARY_DIR}/embedded_${name}.cpp)
    file(CONFIGURE OUTPUT ${out} @ONLY CONTENT
"// Generated from @file@.
#include <string_view>

namespace @namespace@ {
std::string_view @name@();
std::string_view @name@() { return R\"visqembed(@content@)visqembed\"; }
}  // namespace @namespace@
")
    target_sources(${target} PRIVATE ${out})
  endforeach()
endfunction()
