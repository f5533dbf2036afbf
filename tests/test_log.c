/* test_log.c: what a stranger can cause as often as he likes does not fill the disk: log.c says it once in
 * ten seconds, and how often it was left out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "log.h"

static void a_repeated_message_is_limited(void **state)
{
    struct log_limit limit = {0}, other = {0};
    FILE *file = tmpfile();
    int before = dup(STDERR_FILENO);
    char text[1000];

    (void)state;
    assert_non_null(file);
    assert_true(before >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    for (uint64_t now = 5000; now < 15000; now += 10)
        log_limited(&limit, now, "bad packet %d", (int)now);
    log_limited(&other, 14999, "something else");
    log_limited(&limit, 15000, "bad packet %d", 15000);
    log_limited(&limit, 25000, "bad packet %d", 25000);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    text[fread(text, 1, sizeof(text) - 1, file)] = '\0';
    fclose(file);
    assert_string_equal(text, "udp_tunnel: bad packet 5000\n"
                              "udp_tunnel: something else\n"
                              "udp_tunnel: bad packet 15000 (999 more like this)\n"
                              "udp_tunnel: bad packet 25000\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_repeated_message_is_limited),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
