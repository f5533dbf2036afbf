/* own_stack.h: runs a function on a stack that the test owns, so that what it left there can be looked at. */
#ifndef TESTS_OWN_STACK_H
#define TESTS_OWN_STACK_H

#include "hex.h"

#include <pthread.h>
#include <string.h>

#include <sys/mman.h>

#define OWN_STACK_LEN ((size_t)512 << 10)
#define OWN_STACK_ABOVE ((size_t)16384)                      /* of the thread's beginning and end */
#define OWN_STACK_SEARCHED (OWN_STACK_LEN - OWN_STACK_ABOVE) /* all that the function can have written */

struct own_stack_call {
    void *(*function)(void *);
    void *arg;
};

/* Calls the function far down the stack, where the end of the thread does not write over what it left. */
static inline void *own_stack_deep(void *call)
{
    const struct own_stack_call *c = call;
    uint8_t above[OWN_STACK_ABOVE];

    __asm__ volatile("" : : "r"(above) : "memory"); /* who knows what looks at it: it has to be there */
    c->function(c->arg);
    __asm__ volatile("" : : "r"(above) : "memory");
    return call;
}

/* A stack of zeros: OWN_STACK_LEN bytes, to be unmapped. */
static inline uint8_t *own_stack_new(void)
{
    uint8_t *stack = mmap(NULL, OWN_STACK_LEN, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_true(stack != MAP_FAILED);
    return stack;
}

/* Runs the function to its end on the stack. What is searched ends at OWN_STACK_SEARCHED: behind it the C
 * library keeps addresses, which are other ones in each run and now and then have the four bytes of a secret
 * word in them. */
static inline void own_stack_run_on(uint8_t *stack, void *(*function)(void *), void *arg)
{
    struct own_stack_call call = {function, arg};
    pthread_attr_t attr;
    pthread_t thread;

    assert_int_equal(pthread_attr_init(&attr), 0);
    assert_int_equal(pthread_attr_setstack(&attr, stack, OWN_STACK_LEN), 0);
    assert_int_equal(pthread_create(&thread, &attr, own_stack_deep, &call), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_int_equal(pthread_attr_destroy(&attr), 0);
}

static inline uint8_t *own_stack_run(void *(*function)(void *), void *arg)
{
    uint8_t *stack = own_stack_new();

    own_stack_run_on(stack, function, arg);
    return stack;
}

static inline void own_stack_free(uint8_t *stack)
{
    assert_int_equal(munmap(stack, OWN_STACK_LEN), 0);
}

#endif
