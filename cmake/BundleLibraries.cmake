# Run by `cmake --install --component libraries`: copies what the program loads, but for glibc, into `libraries_dir`, and the licence of
# each package that a library comes from into `licences_dir`. Packages are Debian's: elsewhere it says what it lacks.
#   program   the finished program
include(${CMAKE_CURRENT_LIST_DIR}/Licences.cmake)

file(GET_RUNTIME_DEPENDENCIES EXECUTABLES "${program}" RESOLVED_DEPENDENCIES_VAR found UNRESOLVED_DEPENDENCIES_VAR missing
  POST_EXCLUDE_REGEXES "/ld-linux[^/]*$" "/lib(c|m|dl|rt|pthread)\\.so[.0-9]*$")
if(missing)
  message(FATAL_ERROR "libraries that ${program} needs were not found: ${missing}")
endif()

# The package that a file belongs to: dpkg knows some by the path that it was linked by, others by the one behind all links.
function(package_of file out)
  file(REAL_PATH "${file}" real)
  foreach(path ${file} ${real} /usr${file})
    execute_process(COMMAND dpkg-query --search ${path} OUTPUT_VARIABLE line ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
      string(REGEX REPLACE ":.*" "" package "${line}")
      set(${out} ${package} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  message(FATAL_ERROR "no package of the system owns ${file}: its licence cannot be put beside it")
endfunction()

set(packages ${compiled_in})
file(MAKE_DIRECTORY "${target}/${libraries_dir}")
foreach(library ${found})
  file(REAL_PATH "${library}" real)
  get_filename_component(name "${library}" NAME)
  file(COPY_FILE "${real}" "${target}/${libraries_dir}/${name}" ONLY_IF_DIFFERENT)
  package_of(${library} package)
  list(APPEND packages ${package})
endforeach()
list(REMOVE_DUPLICATES packages)
foreach(package ${packages})
  if(NOT EXISTS /usr/share/doc/${package}/copyright)
    message(FATAL_ERROR "the licence of ${package} is not in /usr/share/doc")
  endif()
  put_licence(${package})
endforeach()
