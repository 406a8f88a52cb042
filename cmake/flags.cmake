# kvlab_flags: the compile options of every translation unit of ours. They are on one target because the instruction set
# decides Eigen's alignment and packet size, which are part of the ABI, and because the order of additions is a promise.
include(CheckCXXCompilerFlag)

add_library(kvlab_flags INTERFACE)
target_include_directories(kvlab_flags INTERFACE ${PROJECT_SOURCE_DIR})
target_compile_definitions(kvlab_flags INTERFACE EIGEN_DONT_PARALLELIZE)
target_compile_options(kvlab_flags INTERFACE
  -Wall -Wextra -Wconversion
  # A fused multiply-add is asked for by name (cpu_reference/lanes.h) and never left to the compiler: it fused the same
  # expression in one tile shape and not in another.
  -ffp-contract=off)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # g++ 12's own AVX-512 header reads a variable that it calls undefined on purpose (GCC bug 105593), and it notes that a
  # register as a template argument, as in Eigen's PacketBlock, loses its alignment attribute, which nothing here relies on.
  # It also takes "a" + std::string for an overlapping copy (GCC bug 105651).
  target_compile_options(kvlab_flags INTERFACE -Wno-maybe-uninitialized -Wno-ignored-attributes -Wno-restrict)
  if(KVLAB_SANITIZE)
    target_compile_options(kvlab_flags INTERFACE -Wno-uninitialized)  # the same header; clang still looks
  endif()
endif()

if(KVLAB_WERROR)
  target_compile_options(kvlab_flags INTERFACE -Werror)
endif()

if(NOT KVLAB_PORTABLE)
  check_cxx_compiler_flag(-march=native KVLAB_HAS_MARCH_NATIVE)
  if(KVLAB_HAS_MARCH_NATIVE)
    target_compile_options(kvlab_flags INTERFACE -march=native)
  endif()
endif()

if(KVLAB_SANITIZE)
  target_compile_options(kvlab_flags INTERFACE -fsanitize=${KVLAB_SANITIZE} -fno-omit-frame-pointer
    -fno-sanitize-recover=all)
  target_link_options(kvlab_flags INTERFACE -fsanitize=${KVLAB_SANITIZE})
endif()

if(KVLAB_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "libFuzzer comes with clang: set CXX to a clang, not ${CMAKE_CXX_COMPILER}")
  endif()
  target_compile_options(kvlab_flags INTERFACE -fsanitize=fuzzer-no-link)  # counts what an input reaches
endif()

# With KVLAB_PRECOMPILE a target's heaviest headers are compiled once for it. Off by default: a build without says when a
# file lacks an include.
function(kvlab_precompile target)
  if(KVLAB_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE
      <algorithm> <functional> <map> <memory> <optional> <span> <stdexcept> <string> <variant> <vector> ${ARGN})
  endif()
endfunction()
