# d3, the JavaScript library that draws the pages of `report`; no code of ours is linked with it, its text is put into the pages.
find_file(D3_JS d3.min.js PATHS /usr/share/nodejs/d3/dist /usr/share/javascript/d3 PATH_SUFFIXES nodejs/d3/dist)
if(EXISTS "${D3_JS}")
  file(STRINGS ${D3_JS} D3_VERSION LIMIT_COUNT 1 REGEX "d3js.org v[0-9.]+")
  string(REGEX REPLACE ".*d3js.org v([0-9.]+).*" "\\1" D3_VERSION "${D3_VERSION}")
endif()
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(D3 REQUIRED_VARS D3_JS VERSION_VAR D3_VERSION)
mark_as_advanced(D3_JS)
