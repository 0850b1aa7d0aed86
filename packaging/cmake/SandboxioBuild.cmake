# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
# The rules every target follows: language level, warnings, output folders, one include root per layer.

set(CMAKE_CXX_STANDARD 23)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_AUTOMOC ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
# An installation finds its own libraries, wherever it is put.
file(RELATIVE_PATH libraries_from_programs ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set(CMAKE_INSTALL_RPATH "$ORIGIN;$ORIGIN/${libraries_from_programs}")
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin)
set(CMAKE_LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
# Linking is a noticeable part of a build on two cores. What is installed is linked by the system's own linker.
find_program(SANDBOXIO_MOLD mold)
if(SANDBOXIO_MOLD AND NOT CMAKE_BUILD_TYPE STREQUAL "Release" AND NOT DEFINED CMAKE_LINKER_TYPE)
    set(CMAKE_LINKER_TYPE MOLD) # known to CMake from 3.29 on, and without effect before
endif()
set(SANDBOXIO_PLUGIN_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/sandboxio/adapters)
set(SANDBOXIO_LAYER_ROOT ${CMAKE_BINARY_DIR}/layers)

add_library(sandboxio_build INTERFACE)
target_compile_options(sandboxio_build INTERFACE
    -Wall -Wextra -Wno-missing-field-initializers -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual -Werror)
target_compile_definitions(sandboxio_build INTERFACE
    QT_NO_KEYWORDS QT_NO_FOREACH QT_NO_CAST_FROM_ASCII QT_NO_CAST_TO_ASCII QT_NO_URL_CAST_FROM_STRING
    QT_NO_CAST_FROM_BYTEARRAY QT_NO_CONTEXTLESS_CONNECT QT_NO_NARROWING_CONVERSIONS_IN_CONNECT
    QT_STRICT_ITERATORS QT_DISABLE_DEPRECATED_UP_TO=0x060800)
if(CMAKE_UNITY_BUILD)
    # Joined sources stand in a file that includes them, and what is local to each is no part of its interface.
    target_compile_options(sandboxio_build INTERFACE $<$<CXX_COMPILER_ID:GNU>:-Wno-subobject-linkage>)
endif()
if(SANDBOXIO_COVERAGE)
    target_compile_options(sandboxio_build INTERFACE --coverage -fprofile-update=atomic)
    target_link_options(sandboxio_build INTERFACE --coverage)
endif()
if(SANDBOXIO_SANITIZE)
    # GCC 14 sees phantom problems in Qt's inline code when instrumented; the plain presets keep these warnings.
    target_compile_options(sandboxio_build INTERFACE
        -fsanitize=${SANDBOXIO_SANITIZE} -fno-omit-frame-pointer -Wno-maybe-uninitialized)
    target_link_options(sandboxio_build INTERFACE -fsanitize=${SANDBOXIO_SANITIZE})
endif()

# sandboxio_layer(<name>): gives the folder engine/<name> its own include root, so that
# <sandboxio/<name>/…> is visible only to targets that link the layer.
function(sandboxio_layer name)
    set(root ${SANDBOXIO_LAYER_ROOT}/${name})
    file(MAKE_DIRECTORY ${root}/sandboxio)
    file(CREATE_LINK ${CMAKE_CURRENT_SOURCE_DIR} ${root}/sandboxio/${name} SYMBOLIC)
    add_library(sandboxio_${name}_headers INTERFACE)
    target_include_directories(sandboxio_${name}_headers INTERFACE $<BUILD_INTERFACE:${root}>)
endfunction()

# sandboxio_adapter(<name> SOURCES … [LIBRARIES …]): one plugin with its metadata file <name>.json.
function(sandboxio_adapter name)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "" "SOURCES;LIBRARIES")
    add_library(sandboxio_adapter_${name} MODULE ${arg_SOURCES})
    set_target_properties(sandboxio_adapter_${name} PROPERTIES
        LIBRARY_OUTPUT_DIRECTORY ${SANDBOXIO_PLUGIN_OUTPUT_DIRECTORY} PREFIX "" OUTPUT_NAME ${name}
        INSTALL_RPATH "$ORIGIN/../..")
    target_link_libraries(sandboxio_adapter_${name} PRIVATE Sandboxio::Core sandboxio_build ${arg_LIBRARIES})
    install(TARGETS sandboxio_adapter_${name} LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/sandboxio/adapters
        COMPONENT engine)
endfunction()

# sandboxio_install_library(<target> <layer>…): the library and the public headers of its layers, as Sandboxio::<name>
# for find_package(Sandboxio COMPONENTS <name>).
function(sandboxio_install_library target)
    string(REPLACE "Sandboxio" "" name ${target})
    set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
    install(TARGETS ${target} EXPORT Sandboxio${name}Targets
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT engine
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT engine)
    install(EXPORT Sandboxio${name}Targets NAMESPACE Sandboxio:: COMPONENT engine
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/Sandboxio)
    foreach(layer IN LISTS ARGN)
        install(DIRECTORY ${PROJECT_SOURCE_DIR}/engine/${layer} COMPONENT engine
            DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/sandboxio
            FILES_MATCHING PATTERN "*.h" PATTERN "*_p.h" EXCLUDE PATTERN "families" EXCLUDE)
    endforeach()
endfunction()
