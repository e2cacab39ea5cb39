# visq_manual(TARGET): the man pages and completions are what the finished program says about itself, made after each link of it, in
# VISQ_MANUAL_DIR.
set(VISQ_MANUAL_DIR ${PROJECT_BINARY_DIR}/manual)

function(visq_manual target)
  add_custom_command(TARGET ${target} POST_BUILD VERBATIM COMMENT "Man pages and completions"
    COMMAND ${CMAKE_COMMAND} -D BINARY=$<TARGET_FILE:${target}> -D OUT=${VISQ_MANUAL_DIR}
      -D CHANGELOG=${PROJECT_SOURCE_DIR}/packaging/changelog -P ${PROJECT_SOURCE_DIR}/cmake/make_manual.cmake)
endfunction()
