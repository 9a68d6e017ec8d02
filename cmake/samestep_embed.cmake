# Text files as string literals, made at build time. As a script: writes OUT, which defines `const char* const
# <SYMBOL>Texts[][2]` (name, text) and `const unsigned <SYMBOL>Count` in namespace samestep from FILES.
if(CMAKE_SCRIPT_MODE_FILE)
  set(rows "")
  set(count 0)
  foreach(file IN LISTS FILES)
    get_filename_component(name ${file} NAME)
    string(REPLACE "${SUFFIX}" "" name "${name}")
    file(READ ${file} text)
    string(APPEND rows "    {\"${name}\", R\"~embedded~(${text})~embedded~\"},\n")
    math(EXPR count "${count} + 1")
  endforeach()
  file(WRITE ${OUT} "namespace samestep {
extern const char* const ${SYMBOL}Texts[][2];
extern const unsigned ${SYMBOL}Count;
const char* const ${SYMBOL}Texts[][2] = {
${rows}};
const unsigned ${SYMBOL}Count = ${count};
}  // namespace samestep
")
  return()
endif()

# samestep_embed(<target> SYMBOL k<Name> SUFFIX .<ending> FILES ...): adds them to the target. A file's name without
# SUFFIX is its key.
set(SAMESTEP_EMBED_SCRIPT ${CMAKE_CURRENT_LIST_FILE})
function(samestep_embed target)
  cmake_parse_arguments(arg "" "SYMBOL;SUFFIX" "FILES" ${ARGN})
  list(TRANSFORM arg_FILES PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/)
  set(out ${CMAKE_CURRENT_BINARY_DIR}/${arg_SYMBOL}.cpp)
  add_custom_command(
    OUTPUT ${out}
    COMMAND ${CMAKE_COMMAND} -DOUT=${out} -DSYMBOL=${arg_SYMBOL} -DSUFFIX=${arg_SUFFIX}
            "-DFILES=${arg_FILES}" -P ${SAMESTEP_EMBED_SCRIPT}
    DEPENDS ${arg_FILES} ${SAMESTEP_EMBED_SCRIPT}
    VERBATIM)
  target_sources(${target} PRIVATE ${out})
endfunction()
