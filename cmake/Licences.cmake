# Run by `cmake --install`: puts the licences of what is in the program beside it. Packages are Debian's.
#   licences_dir   where they go, below the prefix

set(target "$ENV{DESTDIR}${CMAKE_INSTALL_PREFIX}")
set(compiled_in libhdf5-dev libhwy-dev nlohmann-json3-dev libcli11-dev libflatbuffers-dev libeigen3-dev libprotozero-dev node-d3)

# The licence of a package, with the full texts that it refers to.
function(put_licence package)
  set(folder "${target}/${licences_dir}")
  file(MAKE_DIRECTORY "${folder}")
  file(READ /usr/share/doc/${package}/copyright text)
  file(WRITE "${folder}/${package}" "${text}")
  string(REGEX MATCHALL "/usr/share/common-licenses/[A-Za-z0-9.-]*[A-Za-z0-9]" texts "${text}")
  foreach(common ${texts})
    if(EXISTS ${common})
      file(REAL_PATH ${common} real)
      get_filename_component(name ${common} NAME)
      file(COPY_FILE ${real} "${folder}/${name}" ONLY_IF_DIFFERENT)
    endif()
  endforeach()
endfunction()

# Those of libraries that are compiled into the program.
function(put_licences_of_compiled_in)
  foreach(package ${compiled_in})
    if(EXISTS /usr/share/doc/${package}/copyright)
      put_licence(${package})
    else()
      message(WARNING "the licence of ${package}, which may be compiled in, is not in /usr/share/doc: who hands the program on adds it")
    endif()
  endforeach()
endfunction()
