# The warnings that every target of this project is built with.
set(SEALANE_WARNINGS -Wall -Wextra -Wshadow -Wvla
  $<$<COMPILE_LANGUAGE:C>:-Wconversion -Wstrict-prototypes -Wmissing-prototypes>)
if(SEALANE_WERROR)
  list(APPEND SEALANE_WARNINGS -Werror)
endif()
add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${SEALANE_WARNINGS}>")
