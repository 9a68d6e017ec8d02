# Third-party packages, all from Debian 12. One list for the build and for samestepConfig.cmake, because our
# libraries are static: who links them needs the same imported targets.
#
# target                         home (the only place that includes it; tests/tidy checks it)
# nlohmann_json::nlohmann_json   schemas/json
# PkgConfig::xxhash              checkpoint/hasher
# PkgConfig::zstd                checkpoint/compressor
# Boost::filesystem              checkpoint/files
# OpenSSL::Crypto                checkpoint/hasher (SHA-256)
# ZLIB::ZLIB                     checkpoint/containers/inflate
# CLI11::CLI11, fmt::fmt, pugixml tools (found there)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(Boost 1.74 REQUIRED COMPONENTS filesystem)
find_package(OpenSSL 3 REQUIRED COMPONENTS Crypto)
find_package(Threads REQUIRED)
find_package(ZLIB 1.2 REQUIRED)
find_package(PkgConfig REQUIRED)
if(NOT TARGET PkgConfig::xxhash)
  pkg_check_modules(xxhash REQUIRED IMPORTED_TARGET GLOBAL libxxhash>=0.8.1)
endif()
if(NOT TARGET PkgConfig::zstd)
  pkg_check_modules(zstd REQUIRED IMPORTED_TARGET GLOBAL libzstd>=1.5.4)
endif()
