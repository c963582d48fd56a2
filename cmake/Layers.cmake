# modicum_add_layer(<name> [PUBLIC <libraries>] [PRIVATE <libraries>] [HEADERS_ONLY <libraries>])
#
# Makes the static library modicum_<name> from the sources in src/<name> and its folders; a layer
# without sources yet is an interface library. It links every layer added before it.
#   PUBLIC        libraries whose headers the layer's own headers include
#   PRIVATE       libraries used in its sources only
#   HEADERS_ONLY  header-only libraries used in its sources only; users of an installed copy need
#                 not have them

set(modicum_unity_size 32)  # of sources compiled at once with MODICUM_UNITY
set(modicum_small_folder 6)  # sources, at most, of a folder that is compiled with others
# Headers that take seconds, and jobs that call their methods by the same names.
set(modicum_compiled_alone src/data/json.cpp src/interfaces/command_line/options.cpp
  src/interfaces/release/classification.cpp src/interfaces/release/components.cpp
  src/interfaces/release/moments.cpp src/interfaces/release/regressions.cpp
  src/interfaces/serve/http_server.cpp)

# modicum_group(<target> [ACROSS_FOLDERS] <source>...): the sources of each folder in groups, those of small
# folders together; with ACROSS_FOLDERS those of all folders, for sources that each have a namespace of their own.
function(modicum_group target)
  cmake_parse_arguments(PARSE_ARGV 1 group "ACROSS_FOLDERS" "" "")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # A class of a source may have members from its unnamed namespace: nobody else sees it.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
  endif()
  set(folders "")
  foreach(source IN LISTS group_UNPARSED_ARGUMENTS)
    file(RELATIVE_PATH place "${PROJECT_SOURCE_DIR}" "${source}")
    if(place IN_LIST modicum_compiled_alone)
      continue()
    endif()
    get_filename_component(folder "${place}" DIRECTORY)
    string(MAKE_C_IDENTIFIER "${folder}" folder)
    list(APPEND folders ${folder})
    list(APPEND sources_${folder} "${source}")
  endforeach()
  list(REMOVE_DUPLICATES folders)
  foreach(folder IN LISTS folders)
    list(LENGTH sources_${folder} size)
    if(group_ACROSS_FOLDERS)
      set(name ${target})
    elseif(size LESS_EQUAL modicum_small_folder)
      set(name ${target}_small_folders)
    else()
      set(name ${folder})
    endif()
    foreach(source IN LISTS sources_${folder})
      list(APPEND members_${name} "${source}")
      list(LENGTH members_${name} count)
      math(EXPR number "(${count} - 1) / ${modicum_unity_size}")
      set_source_files_properties("${source}" PROPERTIES UNITY_GROUP "${name}_${number}")
    endforeach()
  endforeach()
endfunction()

define_property(GLOBAL PROPERTY MODICUM_LAYERS BRIEF_DOCS "Layers added so far, lowest first")

function(modicum_layers result)
  get_property(layers GLOBAL PROPERTY MODICUM_LAYERS)
  set(${result} "${layers}" PARENT_SCOPE)
endfunction()

function(modicum_add_layer name)
  cmake_parse_arguments(PARSE_ARGV 1 layer "" "" "PUBLIC;PRIVATE;HEADERS_ONLY")
  set(target modicum_${name})
  modicum_layers(lower_layers)
  list(TRANSFORM lower_layers PREPEND modicum_ OUTPUT_VARIABLE lower_targets)

  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/src/${name}/*.cpp")
  if(MODICUM_FUZZERS)
    list(FILTER sources EXCLUDE REGEX "/src/mechanisms/components/")  # no target reaches them
  endif()
  if(sources)
    set(scope PUBLIC)
    add_library(${target} STATIC ${sources})
    modicum_precompile(${target})
    if(MODICUM_UNITY)
      modicum_group(${target} ${sources})
    endif()
    target_link_libraries(${target} PRIVATE ${layer_PRIVATE} fmt::fmt)
    foreach(library IN LISTS layer_HEADERS_ONLY ITEMS modicum_flags)
      target_link_libraries(${target} PRIVATE $<BUILD_INTERFACE:${library}>)
    endforeach()
  else()
    set(scope INTERFACE)
    add_library(${target} INTERFACE)
  endif()

  add_library(modicum::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_compile_features(${target} ${scope} cxx_std_20)
  target_link_libraries(${target} ${scope} ${layer_PUBLIC} ${lower_targets})
  target_include_directories(${target} ${scope}
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_BINARY_DIR}/include>
    $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/src>
    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

  set_property(GLOBAL APPEND PROPERTY MODICUM_LAYERS ${name})
endfunction()
