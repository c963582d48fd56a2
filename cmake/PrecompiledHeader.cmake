# modicum_precompile(<target>): gives the target the headers that nearly every source includes,
# compiled once for all targets with the same flags.
#
# They are headers of others that do not change while one works; a header of this project here would
# mean that a change of it compiles everything again.

option(MODICUM_PRECOMPILED_HEADER "Compile the headers of other libraries once" ON)

add_library(modicum_precompiled OBJECT "${CMAKE_CURRENT_LIST_DIR}/precompiled.cpp")
target_link_libraries(modicum_precompiled PRIVATE Eigen3::Eigen fmt::fmt modicum_flags)
target_compile_features(modicum_precompiled PRIVATE cxx_std_20)
if(MODICUM_PRECOMPILED_HEADER)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(modicum_flags INTERFACE -fpch-preprocess)  # for ccache
  endif()
  target_precompile_headers(modicum_precompiled PRIVATE
    <algorithm> <any> <array> <chrono> <cmath> <cstdint> <deque> <filesystem> <functional>
    <limits> <map> <memory> <optional> <span> <string> <string_view> <utility> <variant> <vector>
    <Eigen/Core> <fmt/format.h> <fmt/ranges.h>)
endif()

function(modicum_precompile target)
  if(MODICUM_PRECOMPILED_HEADER)
    target_precompile_headers(${target} REUSE_FROM modicum_precompiled)
  endif()
endfunction()
