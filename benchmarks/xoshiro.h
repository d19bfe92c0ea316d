/* Random numbers as our kernels draw them: xoshiro256++, a stream being four words. */

#ifndef XOSHIRO_H
#define XOSHIRO_H

#include <stdint.h>

static inline uint64_t rotate(uint64_t word, int by) { return (word << by) | (word >> (64 - by)); }

static inline uint64_t next_word(uint64_t *s)
{
    const uint64_t word = rotate(s[0] + s[3], 23) + s[0], shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return word;
}

#endif
