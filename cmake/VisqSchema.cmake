# visq_schema(TARGET [OBJECT_API] FILE…): generates C++ headers and embedded binary schemas (for reflection) from .fbs files. OBJECT_API: with
# a struct for every table too, which takes four times as long to compile.
find_program(VISQ_FLATC flatc REQUIRED)
function(visq_schema target)
  cmake_parse_arguments(ARG "OBJECT_API" "" "" ${ARGN})
  set(out ${CMAKE_CURRENT_BINARY_DIR}/generated)
  set(flags --cpp --scoped-enums --bfbs-gen-embed --bfbs-builtins --reflect-names)
  if(ARG_OBJECT_API)
    list(APPEND flags --gen-object-api)
  endif()
  foreach(file ${ARG_UNPARSED_ARGUMENTS})
    get_filename_component(stem ${file} NAME_WE)
    add_custom_command(
      OUTPUT ${out}/${stem}_generated.h ${out}/${stem}_bfbs_generated.h
      COMMAND ${VISQ_FLATC} ${flags} -o ${out} ${file}
      DEPENDS ${file} VERBATIM)
    target_sources(${target} PRIVATE ${out}/${stem}_generated.h)
  endforeach()
  target_include_directories(${target} SYSTEM PRIVATE ${out})
endfunction()
