/* buffer.h: memory for bursts, a megabyte and more, in large pages where the system has them: every byte of
 * it is read and written for every burst, and in a virtual machine a page that the processor has forgotten
 * costs two walks through page tables. Called by uplink.c and udp.c. */
#ifndef TUNNEL_BUFFER_H
#define TUNNEL_BUFFER_H

#include <stddef.h>
#include <stdlib.h>
#include <sys/mman.h>

#define BUFFER_PAGE ((size_t)2 << 20)

/* len bytes for free(); NULL when there are none. */
static inline void *buffer_alloc(size_t len)
{
    size_t whole = (len + BUFFER_PAGE - 1) / BUFFER_PAGE * BUFFER_PAGE;
    void *p = aligned_alloc(BUFFER_PAGE, whole);

    if (p != NULL)
        madvise(p, whole, MADV_HUGEPAGE); /* refused: small pages do as well */
    return p;
}

#endif
