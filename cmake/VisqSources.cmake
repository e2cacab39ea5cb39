# visq_sources(TARGET FOLDER): the folder's *.cpp files. Where CMAKE_UNITY_BUILD is on, some of them at a time become one, which saves
# reading the same headers again; never those of two folders, and none that is compiled for other instruction sets.
set(VISQ_UNITY_FILES 8)

function(visq_sources target folder)
  file(GLOB files CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${folder}/*.cpp)
  target_sources(${target} PRIVATE ${files})
  set_target_properties(${target} PROPERTIES UNITY_BUILD_MODE GROUP)
  set(together 0)
  foreach(file ${files})
    file(STRINGS ${file} for_one_cpu LIMIT_COUNT 1 REGEX "foreach_target|__attribute__..target")
    if(for_one_cpu)
      # Without optimization GCC 12 takes the intrinsics' headers behind a precompiled one for those of an optimizing compiler.
      set_source_files_properties(${file} PROPERTIES SKIP_PRECOMPILE_HEADERS $<CONFIG:Debug>)
    else()
      math(EXPR group "${together} / ${VISQ_UNITY_FILES}")
      math(EXPR together "${together} + 1")
      set_source_files_properties(${file} PROPERTIES UNITY_GROUP "${folder}_${group}")
    endif()
  endforeach()
endfunction()
