/* consumer.c: a user's program: one message there and back. Built by ../installed.sh. */
#include <string.h>

#include <sealane/sealane.h>

int main(void)
{
    const uint8_t raw[32] = {1}, nonce[12] = {2};
    uint8_t text[5] = {'h', 'e', 'l', 'l', 'o'}, tag[16];
    struct sealane_key key;
    int failed =
        sealane_key_init(&key, raw) || sealane_seal(&key, nonce, NULL, 0, text, sizeof text, text, tag) ||
        memcmp(text, "hello", 5) == 0 || sealane_open(&key, nonce, NULL, 0, text, sizeof text, tag, text) ||
        memcmp(text, "hello", 5) != 0;

    sealane_key_wipe(&key);
    return failed;
}
