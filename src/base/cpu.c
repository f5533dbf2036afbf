/* cpu.c: the public cpu.h over whatever the machine's folder finds.
 *
 * Both words are computed from the same facts by every thread that comes first, so the races here are between
 * equal values; they are atomics all the same. */
#include <sealane/cpu.h>

#include <stdatomic.h>

#include "cpu_probe.h"

#define KNOWN (UINT64_C(1) << 63) /* the word was set */

static _Atomic uint64_t probed;      /* KNOWN, defaults in bits 32 .. 62, found below */
static _Atomic uint64_t chosen_mask; /* KNOWN, mask below; 0 while nobody chose */

#if !SEALANE_X86
struct cpu_probe cpu_probe(void)
{
    return (struct cpu_probe){0, 0};
}
#endif

/* CPUID is slow, and slower under a hypervisor: it is asked once. */
static uint64_t probe_once(void)
{
    uint64_t v = atomic_load_explicit(&probed, memory_order_relaxed);

    if (v == 0) {
        struct cpu_probe p = cpu_probe();

        v = KNOWN | (uint64_t)p.defaults << 32 | p.found;
        atomic_store_explicit(&probed, v, memory_order_relaxed);
    }
    return v;
}

uint32_t sealane_cpu_found(void)
{
    return (uint32_t)probe_once();
}

uint32_t sealane_cpu_used(void)
{
    uint64_t mask = atomic_load_explicit(&chosen_mask, memory_order_relaxed);

    if (mask == 0)
        return (uint32_t)((probe_once() & ~KNOWN) >> 32);
    return sealane_cpu_found() & (uint32_t)mask;
}

void sealane_cpu_use(uint32_t mask)
{
    atomic_store_explicit(&chosen_mask, KNOWN | mask, memory_order_relaxed);
}
