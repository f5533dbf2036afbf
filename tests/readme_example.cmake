# Run with -DREADME=... -DEXAMPLE=...: the README shows the example to the letter.
file(READ ${README} readme)
file(READ ${EXAMPLE} example)
string(STRIP "${example}" example)
string(FIND "${readme}" "${example}" at)
if(at EQUAL -1)
  message(FATAL_ERROR "README.md does not show examples/seal_packet.c as it is: copy it there")
endif()
