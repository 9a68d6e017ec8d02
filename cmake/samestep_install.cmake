# What `cmake --install` lays down. Components, so that a Python wheel takes only its own:
#   python       the extension, the command and samestep.pth (the layer's CMakeLists.txt install them)
#   development  libraries, headers and the package configuration of find_package(samestep), pkg-config files
#   torch        the same of find_package(samestep COMPONENTS torch); where it was built (SAMESTEP_TORCH)
#   cuda         the same of find_package(samestep COMPONENTS cuda); where it was built (SAMESTEP_CUDA)
if(NOT SAMESTEP_INSTALL)
  return()
endif()
include(CMakePackageConfigHelpers)
set(SAMESTEP_CMAKE_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/samestep)

install(TARGETS samestep_schemas samestep_checkpoint samestep_capture samestep_resume_check
        EXPORT samestepTargets
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT development)
install(DIRECTORY schemas checkpoint capture resume_check
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/samestep COMPONENT development
        FILES_MATCHING PATTERN "*.h" PATTERN "torch" EXCLUDE PATTERN "cuda" EXCLUDE)
install(EXPORT samestepTargets NAMESPACE samestep::
        DESTINATION ${SAMESTEP_CMAKE_DIR} COMPONENT development)
configure_package_config_file(cmake/samestepConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/samestepConfig.cmake
                              INSTALL_DESTINATION ${SAMESTEP_CMAKE_DIR})
write_basic_package_version_file(${PROJECT_BINARY_DIR}/samestepConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/samestepConfig.cmake
              ${PROJECT_BINARY_DIR}/samestepConfigVersion.cmake
              cmake/samestep_packages.cmake
        DESTINATION ${SAMESTEP_CMAKE_DIR} COMPONENT development)
configure_file(cmake/samestep.pc.in ${PROJECT_BINARY_DIR}/samestep.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/samestep.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

if(TARGET samestep_torch)
  install(TARGETS samestep_torch samestep_resume_check_torch
          EXPORT samestepTorchTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT torch)
  install(DIRECTORY capture/torch
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/samestep/capture COMPONENT torch
          FILES_MATCHING PATTERN "*.h")
  install(DIRECTORY resume_check/torch
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/samestep/resume_check COMPONENT torch
          FILES_MATCHING PATTERN "*.h")
  install(EXPORT samestepTorchTargets NAMESPACE samestep::
          DESTINATION ${SAMESTEP_CMAKE_DIR} COMPONENT torch)
  install(FILES cmake/samestep_libtorch.cmake DESTINATION ${SAMESTEP_CMAKE_DIR} COMPONENT torch)
  configure_file(cmake/samestep-torch.pc.in ${PROJECT_BINARY_DIR}/samestep-torch.pc @ONLY)
  install(FILES ${PROJECT_BINARY_DIR}/samestep-torch.pc
          DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT torch)
endif()

if(TARGET samestep_capture_cuda)
  install(TARGETS samestep_capture_cuda
          EXPORT samestepCudaTargets
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT cuda)
  # What a caller includes; the rest is the kernels' own.
  install(FILES capture/cuda/device_digest.h
          DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/samestep/capture/cuda COMPONENT cuda)
  install(EXPORT samestepCudaTargets NAMESPACE samestep::
          DESTINATION ${SAMESTEP_CMAKE_DIR} COMPONENT cuda)
endif()
