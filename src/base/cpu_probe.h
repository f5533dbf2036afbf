/* cpu_probe.h: the contract between the public cpu.h and a machine's folder. */
#ifndef BASE_CPU_PROBE_H
#define BASE_CPU_PROBE_H

#include <stdint.h>

struct cpu_probe {
    uint32_t found;    /* SEALANE_CPU_ bits that CPU and operating system allow */
    uint32_t defaults; /* those that keys use when nobody chose */
};

/* Asks the machine; the same answer every time. Implemented once: by the machine's folder, or by cpu.c
 * where there is none. */
struct cpu_probe cpu_probe(void);

#endif
