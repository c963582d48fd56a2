# The Python package, ready to be imported from ${PROJECT_BINARY_DIR}/python: the extension module
# modicum/_core, and links to the sources in python/modicum.

# Before pybind11, which would otherwise look for a Python of its own.
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
find_package(pybind11 2.10 REQUIRED)

set(MODICUM_PYTHON_PATH "${PROJECT_BINARY_DIR}/python")
file(GLOB python_bindings CONFIGURE_DEPENDS src/python/*.cpp)
pybind11_add_module(modicum_python MODULE NO_EXTRAS ${python_bindings})
set_target_properties(modicum_python PROPERTIES
  OUTPUT_NAME _core
  LIBRARY_OUTPUT_DIRECTORY "${MODICUM_PYTHON_PATH}/modicum")
target_link_libraries(modicum_python PRIVATE modicum_interfaces modicum_flags)
target_link_options(modicum_python PRIVATE LINKER:--as-needed)
if(MODICUM_UNITY)
  modicum_group(modicum_python ${python_bindings})
endif()

file(GLOB python_sources CONFIGURE_DEPENDS python/modicum/*.py python/modicum/*.pyi
  python/modicum/py.typed)
file(MAKE_DIRECTORY "${MODICUM_PYTHON_PATH}/modicum")
foreach(source IN LISTS python_sources)
  get_filename_component(name "${source}" NAME)
  file(CREATE_LINK "${source}" "${MODICUM_PYTHON_PATH}/modicum/${name}" SYMBOLIC)
endforeach()
