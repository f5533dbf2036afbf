/* trace.c: see trace.h. */
#include "trace.h"

#include "hex.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include <ucontext.h>

/* The general registers by their numbers in instructions. */
static const int numbered[16] = {REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
                                 REG_R8,  REG_R9,  REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15};

static struct trace *running;

/* Of an instruction: its ModRM byte, NULL when it has none or only pretends to read (lea); and the fourth
 * bits of the base's and the index' numbers. (Intel SDM volume 2, chapter 2 and appendix A.) */
struct operand {
    const uint8_t *modrm;
    unsigned base_high, index_high;
    int is_string; /* its addresses are rsi and rdi */
};

static int is_prefix(uint8_t b)
{
    return b == 0x66 || b == 0x67 || b == 0xf0 || b == 0xf2 || b == 0xf3 || b == 0x2e || b == 0x3e ||
           b == 0x26 || b == 0x36 || b == 0x64 || b == 0x65;
}

/* Opcodes of one byte, and those behind 0x0f. */
static int has_modrm(uint8_t op)
{
    return (op < 0x40 && (op & 7) < 4) || op == 0x63 || op == 0x69 || op == 0x6b || (op & 0xf0) == 0x80 ||
           op == 0xc0 || op == 0xc1 || op == 0xc6 || op == 0xc7 || (op & 0xfc) == 0xd0 ||
           (op & 0xf8) == 0xd8 || (op & 0xf6) == 0xf6;
}

static int has_modrm_0f(uint8_t op)
{
    return op != 0x05 && op != 0x0b && op != 0x31 && op != 0x77 && (op & 0xf0) != 0x80 &&
           (op & 0xf6) != 0xa0 && op != 0xa2 && (op & 0xf8) != 0xc8;
}

static struct operand decode(const uint8_t *p)
{
    struct operand o = {0};

    while (is_prefix(*p))
        p++;
    if (*p == 0xc4 || *p == 0x62) { /* VEX of three bytes, EVEX */
        o.base_high = ~(unsigned)p[1] >> 5 & 1;
        o.index_high = ~(unsigned)p[1] >> 6 & 1;
        o.modrm = p + (*p == 0xc4 ? 4 : 5);
        return o;
    }
    if (*p == 0xc5) {
        o.modrm = p[2] == 0x77 ? NULL : p + 3;
        return o;
    }
    if ((*p & 0xf0) == 0x40) { /* REX */
        o.base_high = *p & 1;
        o.index_high = *p >> 1 & 1;
        p++;
    }
    if (*p == 0x0f && (p[1] == 0x38 || p[1] == 0x3a))
        o.modrm = p + 3;
    else if (*p == 0x0f)
        o.modrm = has_modrm_0f(p[1]) && p[1] != 0x1f ? p + 2 : NULL;
    else
        o.modrm = has_modrm(*p) && *p != 0x8d ? p + 1 : NULL;
    o.is_string = (*p >= 0xa4 && *p < 0xa8) || (*p >= 0xaa && *p < 0xb0);
    return o;
}

static uint64_t mixed(uint64_t digest, uint64_t word)
{
    digest = (digest ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return digest ^ digest >> 29;
}

static uint64_t addresses_of(const uint8_t *instruction, const greg_t *registers)
{
    const struct operand o = decode(instruction);
    uint64_t digest = mixed(0, (uint64_t)registers[REG_RSP]);

    if (o.is_string)
        digest = mixed(mixed(digest, (uint64_t)registers[REG_RSI]), (uint64_t)registers[REG_RDI]);
    if (o.modrm == NULL || *o.modrm >> 6 == 3)
        return digest;

    const unsigned mod = *o.modrm >> 6, rm = *o.modrm & 7;
    const unsigned sib = rm == 4 ? o.modrm[1] : 0x20 | rm; /* 0x20: no index */
    const unsigned index = (sib >> 3 & 7) | o.index_high << 3;

    if ((sib & 7) != 5 || mod != 0) /* else there is no base */
        digest = mixed(digest, (uint64_t)registers[numbered[(sib & 7) | o.base_high << 3]]);
    if (index != 4)
        digest = mixed(digest, (uint64_t)registers[numbered[index]]);
    return digest;
}

static void on_step(int signal, siginfo_t *info, void *context)
{
    const greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uint8_t *instruction = (const uint8_t *)(uintptr_t)registers[REG_RIP];

    (void)signal;
    (void)info;
    if (running->n < running->cap)
        running->steps[running->n] = (struct trace_step){instruction, addresses_of(instruction, registers)};
    running->n++;
}

void trace_make(struct trace *t, size_t cap)
{
    *t = (struct trace){malloc(cap * sizeof *t->steps), 0, cap};
    assert_non_null(t->steps);
}

void trace_free(struct trace *t)
{
    free(t->steps);
}

/* Sets or clears the trap flag; the red zone stays as it is. */
#define TRAP_FLAG(change)                                                                                    \
    __asm__ volatile("leaq -128(%%rsp), %%rsp\n\tpushfq\n\t" change                                          \
                     ", (%%rsp)\n\tpopfq\n\tleaq 128(%%rsp), %%rsp"                                          \
                     :                                                                                       \
                     :                                                                                       \
                     : "memory", "cc")

void trace_run(struct trace *t, void (*function)(void *), void *arg)
{
    struct sigaction step = {.sa_sigaction = on_step, .sa_flags = SA_SIGINFO}, before;

    t->n = 0;
    running = t;
    assert_int_equal(sigaction(SIGTRAP, &step, &before), 0);
    TRAP_FLAG("orq $0x100");
    function(arg);
    TRAP_FLAG("andq $~0x100");
    assert_int_equal(sigaction(SIGTRAP, &before, NULL), 0);
}

size_t trace_difference(const struct trace *a, const struct trace *b)
{
    const size_t n = a->n < b->n ? a->n : b->n;

    for (size_t i = 0; i < n && i < a->cap && i < b->cap; i++)
        if (a->steps[i].instruction != b->steps[i].instruction ||
            a->steps[i].addresses != b->steps[i].addresses)
            return i;
    return a->n == b->n && a->n <= a->cap && b->n <= b->cap ? SIZE_MAX : n;
}
