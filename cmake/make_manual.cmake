# A script: cmake -D BINARY=visqerror -D OUT=folder -D CHANGELOG=file -P make_manual.cmake
# writes OUT/man1/*.1.gz, OUT/{bash,zsh,fish}/* and OUT/changelog.gz (without .gz where there is no gzip).
find_program(GZIP gzip)

function(said_by_binary file)
  execute_process(COMMAND ${BINARY} ${ARGN} OUTPUT_FILE ${OUT}/${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(REMOVE_RECURSE ${OUT})
file(MAKE_DIRECTORY ${OUT}/man1 ${OUT}/bash ${OUT}/zsh ${OUT}/fish)
said_by_binary(bash/visqerror --completion bash)
said_by_binary(zsh/_visqerror --completion zsh)
said_by_binary(fish/visqerror.fish --completion fish)
said_by_binary(man1/visqerror.1 --man-page)

# The overview names the pages of all commands.
file(READ ${OUT}/man1/visqerror.1 overview)
string(REGEX MATCHALL "visqerror\\\\-[a-z]+" pages "${overview}")
foreach(page ${pages})
  string(REGEX REPLACE ".*-" "" command ${page})
  said_by_binary(man1/visqerror-${command}.1 --man-page ${command})
endforeach()

file(COPY ${CHANGELOG} DESTINATION ${OUT})
if(GZIP)
  file(GLOB plain ${OUT}/man1/*.1)
  execute_process(COMMAND ${GZIP} -9n ${plain} ${OUT}/changelog COMMAND_ERROR_IS_FATAL ANY)
endif()
