# modicum_embed_text(<target> <file> <name>)
#
# Compiles a text file into the target, as the constant modicum::<name> (const char* const). It is a
# library of its own: otherwise all sources of the target would wait for the libraries it links.
#
# modicum_embed_folder(<target> <folder> <name>)
#
# The same for all files of a folder: modicum::<name>_files, an array of {name, text}, and
# modicum::<name>_file_count.

if(CMAKE_SCRIPT_MODE_FILE)
  if(NOT IS_DIRECTORY "${INPUT}")
    file(READ "${INPUT}" text)
    file(WRITE "${OUTPUT}"
      "namespace modicum {\n\nextern const char* const ${NAME};\n"
      "const char* const ${NAME} = R\"embedded(${text})embedded\";\n\n}  // namespace modicum\n")
    return()
  endif()
  file(WRITE "${OUTPUT}" "#include <cstddef>\nnamespace modicum {\n\n"
    "struct PageFile {\n  const char* name;\n  const char* text;\n};\n"
    "extern const PageFile ${NAME}_files[];\nextern const std::size_t ${NAME}_file_count;\n"
    "const PageFile ${NAME}_files[] = {\n")
  file(GLOB files RELATIVE "${INPUT}" "${INPUT}/*")
  foreach(name IN LISTS files)
    file(READ "${INPUT}/${name}" text)
    file(APPEND "${OUTPUT}" "{\"${name}\", R\"embedded(")
    file(APPEND "${OUTPUT}" "${text}")
    file(APPEND "${OUTPUT}" ")embedded\"},\n")
  endforeach()
  list(LENGTH files count)
  file(APPEND "${OUTPUT}" "};\nconst std::size_t ${NAME}_file_count = ${count};\n\n}  // namespace modicum\n")
  return()
endif()

set(MODICUM_EMBED_TEXT "${CMAKE_CURRENT_LIST_FILE}")

function(modicum_embed target input name)
  set(generated "${PROJECT_BINARY_DIR}/embedded/${name}.cpp")
  add_custom_command(OUTPUT "${generated}"
    COMMAND "${CMAKE_COMMAND}" "-DINPUT=${PROJECT_SOURCE_DIR}/${input}" "-DOUTPUT=${generated}"
            "-DNAME=${name}" -P "${MODICUM_EMBED_TEXT}"
    DEPENDS ${ARGN} "${MODICUM_EMBED_TEXT}"
    COMMENT "Embedding ${input}"
    VERBATIM)
  add_library(modicum_${name} OBJECT "${generated}")
  target_sources(${target} PRIVATE $<TARGET_OBJECTS:modicum_${name}>)
endfunction()

function(modicum_embed_text target file name)
  modicum_embed(${target} "${file}" ${name} "${PROJECT_SOURCE_DIR}/${file}")
endfunction()

function(modicum_embed_folder target folder name)
  file(GLOB files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/${folder}/*")
  modicum_embed(${target} "${folder}" ${name} ${files})
endfunction()
