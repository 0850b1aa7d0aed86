# SPDX-FileCopyrightText: 2026 The sandboxio authors
# SPDX-License-Identifier: MIT
# cmake -DBUILD=… -DWORK=… -DGENERATOR=… -DCOMPILER=… -DPROGRAMS=… [-DLAUNCHER=…] -P installtest.cmake
set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK})

function(run)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "OUTPUT" "COMMAND")
    execute_process(COMMAND ${arg_COMMAND} OUTPUT_VARIABLE output ERROR_VARIABLE problem RESULT_VARIABLE result)
    if(NOT result EQUAL 0)
        string(REPLACE ";" " " line "${arg_COMMAND}")
        message(FATAL_ERROR "${line}\nended with ${result}\n${output}\n${problem}")
    endif()
    if(arg_OUTPUT)
        set(${arg_OUTPUT} "${output}" PARENT_SCOPE)
    endif()
endfunction()

function(build project)
    run(COMMAND ${CMAKE_COMMAND} -G ${GENERATOR} -S ${CMAKE_CURRENT_LIST_DIR}/${project} -B ${WORK}/${project}
        -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_CXX_COMPILER_LAUNCHER=${LAUNCHER}
        -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS=-Wall\ -Wextra\ -Werror\ -Wno-missing-field-initializers)
    run(COMMAND ${CMAKE_COMMAND} --build ${WORK}/${project})
endfunction()

function(expect text part)
    string(FIND "${text}" "${part}" position)
    if(position EQUAL -1)
        message(FATAL_ERROR "'${part}' is not in\n${text}")
    endif()
endfunction()

foreach(component engine cli)
    run(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix} --component ${component})
endforeach()
file(GLOB_RECURSE private ${prefix}/include/*_p.h)
if(private)
    message(FATAL_ERROR "private headers are installed: ${private}")
endif()
# Nothing of the build tree helps from here on.
unset(ENV{SANDBOXIO_PLUGIN_PATH})
unset(ENV{LD_LIBRARY_PATH})

build(embedding)
run(COMMAND ${WORK}/embedding/embedding fake:// OUTPUT hello)
expect("${hello}" "hello\n")
run(COMMAND ${WORK}/embedding/scripted)

build(thirdparty)
set(ENV{SANDBOXIO_PLUGIN_PATH} ${WORK}/thirdparty/plugins)
run(COMMAND ${prefix}/${PROGRAMS}/sandboxio doctor --json --target tiny:// OUTPUT doctor)
expect("${doctor}" "Tiny (a third party's)")
expect("${doctor}" "\"usable\": true")
set(ENV{SANDBOXIO_CONTRACT_REPORT} ${WORK}/tiny.json)
run(COMMAND ${WORK}/thirdparty/tinycontract OUTPUT table)
message(STATUS "${table}")
file(READ ${WORK}/tiny.json report)
string(JSON failed GET "${report}" failed)
string(JSON passed GET "${report}" passed)
if(NOT failed EQUAL 0 OR passed LESS 60)
    message(FATAL_ERROR "the third party's adapter: ${passed} rows passed, ${failed} failed")
endif()
