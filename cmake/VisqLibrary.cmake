# Rooms and wings: every folder of src/ is a static library, every folder in it a wing.
#
# visq_library(NAME [DEPENDS visq_… | package targets …] [PRIVATE package targets …] [USES wing …]): the room of the calling folder.
# visq_wing(NAME FOLDER [USES wing …]): a wing of it; `.` is the room's own folder.
#
# DEPENDS and USES are the arrows: which folders a folder's files may include from, by way of others too. All point down; a test in
# tests/docs holds the includes against them.
include(VisqSources)

function(visq_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;PRIVATE;USES" ${ARGN})
  add_library(${name} STATIC)
  target_include_directories(${name}
    PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
    PRIVATE ${PROJECT_SOURCE_DIR}/src)
  target_link_libraries(${name} PUBLIC ${ARG_DEPENDS} PRIVATE ${ARG_PRIVATE} $<BUILD_INTERFACE:visq_warnings>)
  target_compile_features(${name} PUBLIC cxx_std_20)
  set_property(GLOBAL APPEND PROPERTY VISQ_LIBRARIES ${name})
  list(FILTER ARG_DEPENDS INCLUDE REGEX "^visq_")
  list(TRANSFORM ARG_DEPENDS REPLACE "^visq_" "")
  set_target_properties(${name} PROPERTIES VISQ_ROOMS "${ARG_DEPENDS}")
  visq_wing(${name} . USES ${ARG_USES})
endfunction()

function(visq_wing name folder)
  cmake_parse_arguments(ARG "" "" "USES" ${ARGN})
  visq_sources(${name} ${folder})
  get_target_property(rooms ${name} VISQ_ROOMS)
  visq_arrows(${folder} ${ARG_USES} ROOMS ${rooms})
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
