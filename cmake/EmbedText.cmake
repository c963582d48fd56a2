# modicum_embed_text(<target> <file> <name>)
#
# Compiles a text file into the target, as the constant modicum::<name> (const char* const). It is a
# library of its own: otherwise all sources of the target would wait for the libraries it links.

if(CMAKE_SCRIPT_MODE_FILE)
  file(READ "${INPUT}" text)
  file(WRITE "${OUTPUT}"
    "namespace modicum {\n\nextern const char* const ${NAME};\n"
    "const char* const ${NAME} = R\"embedded(${text})embedded\";\n\n}  // namespace modicum\n")
  return()
endif()

set(MODICUM_EMBED_TEXT "${CMAKE_CURRENT_LIST_FILE}")

function(modicum_embed_text target file name)
  set(source "${PROJECT_SOURCE_DIR}/${file}")
  set(generated "${PROJECT_BINARY_DIR}/embedded/${name}.cpp")
  add_custom_command(OUTPUT "${generated}"
    COMMAND "${CMAKE_COMMAND}" "-DINPUT=${source}" "-DOUTPUT=${generated}" "-DNAME=${name}"
            -P "${MODICUM_EMBED_TEXT}"
    DEPENDS "${source}" "${MODICUM_EMBED_TEXT}"
    COMMENT "Embedding ${file}"
    VERBATIM)
  add_library(modicum_${name} OBJECT "${generated}")
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:modicum_${name}>)
endfunction()
