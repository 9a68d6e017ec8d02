# What each target of ours has: the language level, warnings as errors, sanitizers, position-independent code.
include(GNUInstallDirs)
set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE RelWithDebInfo CACHE STRING "" FORCE)
endif()
set(CMAKE_CXX_FLAGS_RELEASE "-O2 -DNDEBUG")
find_program(SAMESTEP_CCACHE ccache)
if(SAMESTEP_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Paths relative to the tree, so that clones and worktrees share one cache.
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=true
                                  ${SAMESTEP_CCACHE})
endif()

# Gives `target` the options that all of our own code is built with.
function(samestep_options target)
  # nvcc has warnings of its own (capture/cuda).
  set(cxx $<COMPILE_LANGUAGE:CXX>)
  target_compile_options(${target} PRIVATE "$<${cxx}:-Wall;-Wextra;-Wpedantic;-Wshadow;-Wconversion;-Wno-sign-conversion>"
                         # Other versions of clang may warn of more: that is shown.
                         $<$<OR:$<AND:${cxx},$<CXX_COMPILER_ID:GNU>>,$<AND:${cxx},$<CXX_COMPILER_ID:Clang>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,15>>>:-Werror>)
  # Optimising more, gcc 12 sees overlapping copies in std::string's operator+ (PR 105651) and unset parts of an empty
  # std::optional (PR 80635) where there are none.
  target_compile_options(${target} PRIVATE
    $<$<AND:${cxx},$<CXX_COMPILER_ID:GNU>,$<CONFIG:Release>>:-Wno-restrict$<SEMICOLON>-Wno-maybe-uninitialized>)
  target_include_directories(${target} PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                              $<INSTALL_INTERFACE:include/samestep>)
  target_compile_features(${target} PUBLIC cxx_std_20)
  if(SAMESTEP_SANITIZE)
    target_compile_options(${target} PUBLIC -fsanitize=${SAMESTEP_SANITIZE} -fno-omit-frame-pointer
                                            -fno-sanitize-recover=all)
    # Instrumented code gives gcc the same false alarms.
    target_compile_options(${target} PRIVATE $<$<CXX_COMPILER_ID:GNU>:-Wno-restrict$<SEMICOLON>-Wno-maybe-uninitialized>)
    target_link_options(${target} PUBLIC -fsanitize=${SAMESTEP_SANITIZE})
  endif()
  if(SAMESTEP_FUZZ)
    target_compile_options(${target} PUBLIC -fsanitize=fuzzer-no-link)
  endif()
endfunction()

# samestep_library(<folder> SOURCES ... LINKS ... PRIVATE_LINKS ...): the library of a layer, samestep::<folder>.
function(samestep_library name)
  cmake_parse_arguments(arg "" "" "SOURCES;LINKS;PRIVATE_LINKS" ${ARGN})
  add_library(samestep_${name} STATIC ${arg_SOURCES})
  add_library(samestep::${name} ALIAS samestep_${name})
  set_target_properties(samestep_${name} PROPERTIES EXPORT_NAME ${name})
  samestep_options(samestep_${name})
  target_link_libraries(samestep_${name} PUBLIC ${arg_LINKS} PRIVATE ${arg_PRIVATE_LINKS})
endfunction()

# samestep_torch_library(<name> ...): the same, of sources that include libtorch, compiled as one.
function(samestep_torch_library name)
  samestep_library(${name} ${ARGN})
  target_link_libraries(samestep_${name} PUBLIC samestep::libtorch)
  set_target_properties(samestep_${name} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 0)
endfunction()

# samestep_fuzzer(<name>_fuzz SOURCES ... LINKS ... SEEDS ... DICT <name>): a libFuzzer program. `make fuzz` runs all of
# them, each with the files that its SEEDS globs name and the words of tests/fuzz/words/<name>.dict.
function(samestep_fuzzer name)
  cmake_parse_arguments(arg "" "DICT" "SOURCES;LINKS;SEEDS" ${ARGN})
  add_executable(${name} ${arg_SOURCES})
  samestep_options(${name})
  target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  target_link_libraries(${name} PRIVATE ${arg_LINKS} samestep_test_data)
  list(JOIN arg_SEEDS "\n" seeds)
  file(GENERATE OUTPUT ${PROJECT_BINARY_DIR}/fuzz/${name}.seeds CONTENT "${seeds}\n")
  if(arg_DICT)
    file(MAKE_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
    file(CREATE_LINK ${PROJECT_SOURCE_DIR}/tests/fuzz/words/${arg_DICT}.dict
                     ${PROJECT_BINARY_DIR}/fuzz/${name}.dict SYMBOLIC)
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/fuzz)
endfunction()

# In a wheel the build back end says where scripts and modules go; else the usual folders.
set(SAMESTEP_SCRIPTS_DIR ${CMAKE_INSTALL_BINDIR})
set(SAMESTEP_MODULES_DIR ${CMAKE_INSTALL_LIBDIR}/samestep-python)
if(SKBUILD)
  set(SAMESTEP_SCRIPTS_DIR ${SKBUILD_SCRIPTS_DIR})
  set(SAMESTEP_MODULES_DIR ${SKBUILD_PLATLIB_DIR})
endif()

# All that the wheel is made of, and nothing else: what somebody needs who only uses it.
add_custom_target(samestep_wheel)

# The command `samestep`: becomes <prefix>/bin/samestep, and a script of the wheel.
function(samestep_install_command target)
  set_target_properties(${target} PROPERTIES OUTPUT_NAME samestep)
  add_dependencies(samestep_wheel ${target})
  install(TARGETS ${target} RUNTIME DESTINATION ${SAMESTEP_SCRIPTS_DIR} COMPONENT python)
endfunction()

# The extension samestep._core, and the samestep.pth that starts the hooks where SAMESTEP_PLAN is set.
function(samestep_install_extension target pth)
  add_dependencies(samestep_wheel ${target})
  install(TARGETS ${target} LIBRARY DESTINATION ${SAMESTEP_MODULES_DIR}/samestep COMPONENT python)
  install(FILES ${pth} DESTINATION ${SAMESTEP_MODULES_DIR} COMPONENT python)
endfunction()

# The op tracer, beside the extension: samestep/op_trace.torch-<version>.so.
function(samestep_install_op_trace target)
  add_dependencies(samestep_wheel ${target})
  install(TARGETS ${target} LIBRARY DESTINATION ${SAMESTEP_MODULES_DIR}/samestep COMPONENT python)
endfunction()
