/* sealane.h: all public headers of the library. */
#ifndef SEALANE_H
#define SEALANE_H

#include <sealane/aead.h>
#include <sealane/chacha.h>
#include <sealane/cpu.h>
#include <sealane/error.h>
#include <sealane/packet.h>
#include <sealane/poly1305.h>

#endif
