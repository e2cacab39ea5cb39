# visq_schema(TARGET FILE…): generates C++ headers and embedded binary schemas (for reflection over operator options) from .fbs files.
find_program(VISQ_FLATC flatc REQUIRED)
function(visq_schema target)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/generated)
  foreach(file ${ARGN})
    get_filename_component(stem ${file} NAME_WE)
    add_custom_command(
      OUTPUT ${out}/${stem}_generated.h ${out}/${stem}_bfbs_generated.h
      COMMAND ${VISQ_FLATC} --cpp --scoped-enums --gen-object-api --bfbs-gen-embed --reflect-names -o ${out} ${file}
      DEPENDS ${file} VERBATIM)
    target_sources(${target} PRIVATE ${out}/${stem}_generated.h)
  endforeach()
  target_include_directories(${target} SYSTEM PRIVATE ${out})
endfunction()
