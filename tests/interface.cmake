# interface.cmake: tests of the public interface of base, chacha, poly1305 and aead. Included by CMakeLists.txt.

find_package(Threads REQUIRED)

sealane_test(test_rfc8439 SOURCES test_rfc8439.c INTERNAL LEVELS)
sealane_test(test_vectors SOURCES test_vectors.c LEVELS)
sealane_test(test_chacha SOURCES test_chacha.c LEVELS)
sealane_test(test_sodium SOURCES test_sodium.c LEVELS LEVEL_LABELS full)
sealane_test(test_aead SOURCES test_aead.c LEVELS)
sealane_test(test_poly1305 SOURCES test_poly1305.c bigpoly.c LEVELS LEVEL_LABELS full)

# The same with limbs of 26 bits, the code of machines without 128-bit products.
file(GLOB poly1305_sources CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/poly1305/*.c)
sealane_test(test_poly1305_limbs26 SOURCES test_poly1305.c bigpoly.c ${poly1305_sources})
target_include_directories(test_poly1305_limbs26 PRIVATE ${PROJECT_SOURCE_DIR}/src/poly1305 ${PROJECT_SOURCE_DIR}/src/base)
target_compile_definitions(test_poly1305_limbs26 PRIVATE SEALANE_POLY1305_32=1 SEALANE_X86=0)

sealane_test(test_jobs SOURCES test_jobs.c LEVELS LEVEL_LABELS full)
sealane_test(test_base SOURCES test_base.c INTERNAL)
sealane_test(test_bytes SOURCES test_bytes.c INTERNAL)
sealane_test(test_bytes_any_order SOURCES test_bytes.c INTERNAL)
target_compile_definitions(test_bytes_any_order PRIVATE BYTE_BY_BYTE=1)
sealane_test(test_key_kernels INTERNAL SOURCES test_key_kernels.c)
sealane_test(test_first_use SOURCES test_first_use.c LIBS Threads::Threads LABELS quick threads)
sealane_test(test_probe SOURCES test_probe.c ${PROJECT_SOURCE_DIR}/src/base/cpu.c LIBS Threads::Threads LABELS quick threads)
foreach(room base chacha poly1305 aead packet)
  target_include_directories(test_probe PRIVATE ${PROJECT_SOURCE_DIR}/src/${room})
endforeach()
target_compile_definitions(test_probe PRIVATE SEALANE_X86=1) # the probe is not cpu.c's

# Tests of what is built, not of what it does: once, plainly.
function(sealane_script name)
  add_test(NAME ${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/${ARGN})
  set_tests_properties(${name} PROPERTIES LABELS "quick;plain" TIMEOUT ${SEALANE_TEST_SECONDS} SKIP_RETURN_CODE 77)
endfunction()
sealane_script(headers headers.sh ${PROJECT_SOURCE_DIR}/include ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER})
sealane_script(library library.sh $<TARGET_FILE:sealane_shared> $<TARGET_FILE:sealane_static>
  ${PROJECT_SOURCE_DIR}/include $<CONFIG>)
sealane_script(snippets snippets.sh ${CMAKE_C_COMPILER} ${PROJECT_SOURCE_DIR}/include $<TARGET_FILE:sealane_static>
  ${PROJECT_SOURCE_DIR}/README.md ${PROJECT_SOURCE_DIR}/docs/guide.md ${PROJECT_SOURCE_DIR}/docs/packet.md)
sealane_script(installed installed.sh ${CMAKE_COMMAND} ${PROJECT_BINARY_DIR} ${CMAKE_C_COMPILER} ${CMAKE_CXX_COMPILER})

# Wiping and comparing under an optimizer that sees the whole program.
include(CheckIPOSupported)
check_ipo_supported(RESULT has_lto LANGUAGES C)
foreach(kind whole lto)
  if(kind STREQUAL whole OR has_lto)
    sealane_test(test_wipe_${kind} SOURCES test_wipe.c LIBS Threads::Threads LABELS quick plain)
    target_include_directories(test_wipe_${kind} PRIVATE ${PROJECT_SOURCE_DIR}/src/base)
    target_compile_options(test_wipe_${kind} PRIVATE -O3)
  endif()
endforeach()
target_compile_definitions(test_wipe_whole PRIVATE WHOLE=1)
if(has_lto)
  target_sources(test_wipe_lto PRIVATE ${PROJECT_SOURCE_DIR}/src/base/secret.c)
  target_compile_definitions(test_wipe_lto PRIVATE WHOLE=0)
  set_target_properties(test_wipe_lto PROPERTIES INTERPROCEDURAL_OPTIMIZATION ON)
endif()

sealane_test(test_leftovers INTERNAL SOURCES test_leftovers.c LEVELS LIBS Threads::Threads LABELS quick plain)
target_link_options(test_leftovers PRIVATE LINKER:-z,now) # lazy binding saves registers to the stack
