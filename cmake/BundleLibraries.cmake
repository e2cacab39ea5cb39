# Run by `cmake --install --component libraries`: copies what the program loads, but for glibc, into `libraries_dir`, and the licence of
# each package that a library, or a header compiled in, comes from into `licences_dir`, with the full texts that they refer to. Packages are
# Debian's: elsewhere it says what it lacks.
#   program   the finished program

set(target "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
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

set(packages libhdf5-dev libhwy-dev nlohmann-json3-dev libcli11-dev libflatbuffers-dev libeigen3-dev libprotozero-dev node-d3)  # compiled in
file(MAKE_DIRECTORY "${target}/${libraries_dir}" "${target}/${licences_dir}")
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
  file(READ /usr/share/doc/${package}/copyright text)
  file(WRITE "${target}/${licences_dir}/${package}" "${text}")
  string(REGEX MATCHALL "/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]" texts "${text}")
  foreach(common ${texts})
    if(EXISTS ${common})
      file(REAL_PATH ${common} real)
      get_filename_component(name ${common} NAME)
      file(COPY_FILE ${real} "${target}/${licences_dir}/${name}" ONLY_IF_DIFFERENT)
    endif()
  endforeach()
endforeach()
