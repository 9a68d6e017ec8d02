# libtorch as the target samestep::libtorch: headers and libraries, nothing of TorchConfig.cmake's search for CUDA, MKL
# and Kineto. For the build, and for samestepConfig.cmake's component `torch`.
#
# Found at SAMESTEP_LIBTORCH (a folder with include/ and lib/), else at the Torch_DIR or CMAKE_PREFIX_PATH of a libtorch
# archive, else in the PyTorch of SAMESTEP_TORCH_PYTHON or of the python3 that is found. Sets SAMESTEP_LIBTORCH_FOUND.
set(SAMESTEP_LIBTORCH "" CACHE PATH "Folder of libtorch (include/ and lib/); empty: look for it")
set(SAMESTEP_TORCH_PYTHON "" CACHE FILEPATH "The Python whose PyTorch is used; empty: look for one")

function(samestep_find_libtorch result)
  set(folder "${SAMESTEP_LIBTORCH}")
  if(NOT folder)
    find_path(SAMESTEP_TORCH_CONFIG TorchConfig.cmake HINTS ${Torch_DIR} PATH_SUFFIXES share/cmake/Torch NO_CACHE)
    if(SAMESTEP_TORCH_CONFIG)
      get_filename_component(folder ${SAMESTEP_TORCH_CONFIG}/../../.. ABSOLUTE)
    endif()
  endif()
  if(NOT folder)
    set(python "${SAMESTEP_TORCH_PYTHON}")
    if(NOT python)
      set(python "${Python_EXECUTABLE}")
    endif()
    if(NOT python)
      find_program(python NAMES python3 HINTS ${CMAKE_SOURCE_DIR}/.venv/bin NO_CACHE)
    endif()
    if(python)
      # The folder alone: importing torch takes seconds.
      execute_process(
        COMMAND ${python} -c "import importlib.util as u; s = u.find_spec('torch'); print(s.submodule_search_locations[0] if s else '', end='')"
        OUTPUT_VARIABLE folder ERROR_QUIET)
    endif()
  endif()
  if(folder AND EXISTS "${folder}/lib/libtorch_cpu.so" AND EXISTS "${folder}/include/ATen/core/Tensor.h")
    set(${result} "${folder}" PARENT_SCOPE)
  else()
    set(${result} "" PARENT_SCOPE)
  endif()
endfunction()

# "2.13.0", as its headers say.
function(samestep_libtorch_version result)
  get_target_property(folders samestep::libtorch INTERFACE_INCLUDE_DIRECTORIES)
  foreach(file torch/headeronly/version.h torch/csrc/api/include/torch/version.h)
    list(GET folders 0 folder)
    if(EXISTS ${folder}/${file})
      file(STRINGS ${folder}/${file} lines REGEX "define TORCH_VERSION_(MAJOR|MINOR|PATCH) ")
      string(REGEX MATCHALL "[0-9]+" numbers "${lines}")
      list(JOIN numbers "." version)
      set(${result} "${version}" PARENT_SCOPE)
      return()
    endif()
  endforeach()
endfunction()

if(NOT TARGET samestep::libtorch)
  samestep_find_libtorch(SAMESTEP_LIBTORCH_FOLDER)
  if(SAMESTEP_LIBTORCH_FOLDER)
    add_library(samestep::libtorch INTERFACE IMPORTED GLOBAL)
    target_include_directories(samestep::libtorch SYSTEM INTERFACE
      ${SAMESTEP_LIBTORCH_FOLDER}/include ${SAMESTEP_LIBTORCH_FOLDER}/include/torch/csrc/api/include)
    target_link_libraries(samestep::libtorch INTERFACE ${SAMESTEP_LIBTORCH_FOLDER}/lib/libtorch.so
      ${SAMESTEP_LIBTORCH_FOLDER}/lib/libtorch_cpu.so ${SAMESTEP_LIBTORCH_FOLDER}/lib/libc10.so)
    # Programs run where they were built; installed ones find libtorch as their makers see fit.
    target_link_options(samestep::libtorch INTERFACE LINKER:-rpath,${SAMESTEP_LIBTORCH_FOLDER}/lib)
  endif()
endif()
if(TARGET samestep::libtorch)
  set(SAMESTEP_LIBTORCH_FOUND TRUE)
  samestep_libtorch_version(SAMESTEP_LIBTORCH_VERSION)
else()
  set(SAMESTEP_LIBTORCH_FOUND FALSE)
endif()
