/* main.c: checkkernel [--quick] [--list] [--kernel TEXT]: runs every kernel of every table of the library
 * that this machine can run against the portable reference. --kernel: those whose name holds TEXT. Also a
 * ctest. */
#include "checkkernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sealane/cpu.h>

static const struct family *const families[] = {&aead_family, &burst_family, &chacha_family};

#define N_FAMILIES (sizeof families / sizeof families[0])

#define MAX_TESTS 1024

static struct CMUnitTest tests[MAX_TESTS];
static char names[MAX_TESTS][96];
static struct kernel_list lists[N_FAMILIES];

void kernel_add(struct kernel_list *list, const struct kernel *k)
{
    for (size_t i = 0; i < list->n; i++)
        if (list->of[i].run == k->run) {
            if (k->min_len < list->of[i].min_len)
                list->of[i].min_len = k->min_len;
            if (k->max_len > list->of[i].max_len)
                list->of[i].max_len = k->max_len;
            return;
        }
    if (list->n == MAX_KERNELS)
        abort();
    list->of[list->n++] = *k;
}

size_t kernel_len_from(const struct kernel *k, size_t len)
{
    if (len < k->min_len)
        len = k->min_len;
    len = (len + k->step - 1) / k->step * k->step;
    return len <= k->max_len ? len : SIZE_MAX;
}

#if defined(__x86_64__)
void call_checked(const char *name, any_function *f, const uint64_t args[6])
{
    static const char *const what[] = {
        "rbx", "rbp", "r12", "r13", "r14", "r15", "rsp", "direction flag", "mxcsr", "x87 control"};
    static struct call_report report;
    const uint32_t found = sealane_cpu_found();

    report.look_at_vectors = (found & SEALANE_CPU_AVX512) != 0 ? 2 : (found & SEALANE_CPU_AVX2) != 0 ? 1 : 0;
    call_and_look(f, args, &report);
    for (size_t i = 0; i < sizeof what / sizeof what[0]; i++)
        if ((report.changed >> i & 1) != 0)
            fail_msg("%s: %s not as it was", name, what[i]);
    if (report.look_at_vectors == 0)
        return;
    for (size_t i = 0; i < 16; i++)
        for (size_t k = 16; k < 32 * (size_t)report.look_at_vectors; k++)
            if (report.vectors[i][k] != 0)
                fail_msg("%s: upper half of vector register %zu in use: no vzeroupper", name, i);
}
#else
void call_checked(const char *name, any_function *f, const uint64_t args[6])
{
    typedef void of_six(uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t, uintptr_t);

    (void)name;
    ((of_six *)f)((uintptr_t)args[0], (uintptr_t)args[1], (uintptr_t)args[2], (uintptr_t)args[3],
                  (uintptr_t)args[4], (uintptr_t)args[5]);
}
#endif

int main(int argc, char **argv)
{
    int quick = 0, list = 0;
    const char *only = "";
    size_t n = 0;

    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            quick = 1;
        else if (strcmp(argv[i], "--list") == 0)
            list = 1;
        else if (strcmp(argv[i], "--kernel") == 0 && i + 1 < argc)
            only = argv[++i];
        else {
            const int asked = strcmp(argv[i], "--help") == 0;

            fputs("usage: checkkernel [--quick] [--list] [--kernel TEXT]\n"
                  "Every kernel that this machine can run against the portable code.\n"
                  "  --quick         leave out the long checks\n"
                  "  --list          print the kernels' names, run nothing\n"
                  "  --kernel TEXT   only those whose name holds TEXT\n",
                  asked ? stdout : stderr);
            return asked ? 0 : 2;
        }
    }
    for (size_t f = 0; f < N_FAMILIES; f++) {
        families[f]->collect(&lists[f]);
        for (size_t i = 0; i < lists[f].n; i++) {
            struct kernel *k = &lists[f].of[i];

            if (strstr(k->name, only) == NULL)
                continue;
            if (list)
                printf("%s\n", k->name);
            for (const struct check *c = families[f]->checks; c->run != NULL && !list; c++) {
                if (quick && c->full)
                    continue;
                if (n == MAX_TESTS)
                    abort();
                snprintf(names[n], sizeof names[n], "%s: %s", k->name, c->name);
                tests[n] = (struct CMUnitTest){names[n], c->run, NULL, NULL, k};
                n++;
            }
        }
    }
    if (list)
        return 0;
    if (n == 0) {
        fprintf(stderr, "checkkernel: no kernel's name holds \"%s\"\n", only);
        return 2;
    }
    return _cmocka_run_group_tests("checkkernel", tests, n, NULL, NULL);
}
