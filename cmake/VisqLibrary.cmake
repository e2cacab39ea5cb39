# Rooms and wings: every folder of src/ is a static library, every folder in it a wing.
#
# visq_library(NAME [COLD] [DEPENDS visq_… | package targets …] [PRIVATE package targets …] [USES wing …]): the room of the calling
# folder. COLD: see visq_cold().
# visq_wing(NAME FOLDER [HOT file …] [WITHOUT file …] [USES wing …]): a wing of it; `.` is the room's own folder. HOT: what in a COLD
# room goes over elements. WITHOUT: what this build leaves out.
#
# DEPENDS and USES are the arrows: which folders a folder's files may include from, by way of others too. All point down; a test in
# tests/docs holds the includes against them.
include(VisqSources)
include(VisqHeaders)

function(visq_library name)
  cmake_parse_arguments(ARG "COLD" "" "DEPENDS;PRIVATE;USES" ${ARGN})
  add_library(${name} STATIC)
  visq_compiled_as_ours(${name} "${ARG_DEPENDS}" "${ARG_PRIVATE}")
  set_property(GLOBAL APPEND PROPERTY VISQ_LIBRARIES ${name})
  if(ARG_COLD)
    visq_headers(${name} COLD)
  else()
    visq_headers(${name})
  endif()
  set_target_properties(${name} PROPERTIES VISQ_DEPENDS "${ARG_DEPENDS}" VISQ_PRIVATE "${ARG_PRIVATE}")
  list(FILTER ARG_DEPENDS INCLUDE REGEX "^visq_")
  list(TRANSFORM ARG_DEPENDS REPLACE "^visq_" "")
  set_target_properties(${name} PROPERTIES VISQ_ROOMS "${ARG_DEPENDS}")
  visq_wing(${name} . USES ${ARG_USES})
endfunction()

function(visq_compiled_as_ours name depends private)
  target_include_directories(${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${depends} PRIVATE ${private} $<BUILD_INTERFACE:visq_warnings>)
  target_compile_features(${name} PUBLIC cxx_std_20)
endfunction()

function(visq_wing name folder)
  cmake_parse_arguments(ARG "" "" "HOT;WITHOUT;USES" ${ARGN})
  visq_sources(${name} ${folder} EXCEPT ${ARG_HOT} ${ARG_WITHOUT})
  if(ARG_HOT)
    if(NOT TARGET ${name}_hot)
      get_target_property(depends ${name} VISQ_DEPENDS)
      get_target_property(private ${name} VISQ_PRIVATE)
      add_library(${name}_hot OBJECT)
      visq_compiled_as_ours(${name}_hot "${depends}" "${private}")
      visq_headers(${name}_hot)
      target_sources(${name} PRIVATE $<TARGET_OBJECTS:${name}_hot>)
    endif()
    visq_sources(${name}_hot ${folder} ONLY ${ARG_HOT})
  endif()
  get_target_property(rooms ${name} VISQ_ROOMS)
  visq_arrows(${folder} ${ARG_USES} ROOMS ${rooms})
endfunction()

# visq_absent(VARIABLE OPTION FILE): adds to a list what this build leaves out: FILE.cpp, or FILE_absent.cpp where OPTION is on.
function(visq_absent variable option file)
  if(${option})
    set(${variable} ${${variable}} ${file}_absent.cpp PARENT_SCOPE)
  else()
    set(${variable} ${${variable}} ${file}.cpp PARENT_SCOPE)
  endif()
endfunction()

# visq_arrows(FOLDER wing … ROOMS room …): notes what FOLDER, a wing of the calling folder's room, may include from, as a line of
# arrows.txt in the build folder: "room/wing: room/other room …".
function(visq_arrows folder)
  cmake_parse_arguments(ARG "" "" "ROOMS" ${ARGN})
  get_filename_component(room ${CMAKE_CURRENT_SOURCE_DIR} NAME)
  set(line "")
  foreach(place ${folder} ${ARG_UNPARSED_ARGUMENTS})
    string(APPEND line "${room}/${place} ")
  endforeach()
  list(JOIN ARG_ROOMS " " rooms)
  string(REPLACE "/." "" line "${line}${rooms}")
  file(APPEND ${PROJECT_BINARY_DIR}/arrows.txt "${line}\n")
endfunction()
