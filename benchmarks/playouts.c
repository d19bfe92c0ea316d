/* Uniform playouts of Connect 4 in C, on the bitboard of `connect4.bitboard` and with the draws of its playout: a column
   is drawn from xoshiro256++ until it is open. Two loops, one after the other on one stream, give the same sum of values:

   `twin`       any board with (height + 1) * width <= 64, four in a row; the layout comes as numbers, as in our kernel.
   `constants`  7 x 6 only; all shifts and masks are known to the compiler. */

#include <stdint.h>

#include "xoshiro.h"

typedef struct {
    uint64_t mine, filled, board;   /* stones of the side to move, of both sides, every cell */
    int64_t width, stride;          /* stride = height + 1 */
} Position;

static inline __attribute__((always_inline)) double playouts(const Position *p, uint64_t width, uint64_t stride,
                                                             uint64_t board, uint64_t *rng, int64_t count)
{
    uint64_t s0 = rng[0], s1 = rng[1], s2 = rng[2], s3 = rng[3];
    const uint64_t column_cells = (1ull << (stride - 1)) - 1;
    double sum = 0.0;
    for (int64_t game = 0; game < count; game++) {
        uint64_t mine = p->mine, filled = p->filled;
        double value = 1.0;
        for (;;) {
            uint64_t move;
            do {
                const uint64_t word = rotate(s0 + s3, 23) + s0, shifted = s1 << 17;
                s2 ^= s0;
                s3 ^= s1;
                s1 ^= s2;
                s0 ^= s3;
                s2 ^= shifted;
                s3 = rotate(s3, 45);
                const uint64_t shift = (((word >> 32) * width) >> 32) * stride;
                move = (filled + (1ull << shift)) & (column_cells << shift);
            } while (move == 0);
            mine |= move;
            filled |= move;
            const uint64_t up = mine & (mine >> 1), right = mine & (mine >> stride);
            const uint64_t down_right = mine & (mine >> (stride - 1)), up_right = mine & (mine >> (stride + 1));
            if ((up & (up >> 2)) | (right & (right >> (2 * stride))) | (down_right & (down_right >> (2 * stride - 2))) |
                (up_right & (up_right >> (2 * stride + 2))))
                break;
            if (filled == board) {
                value = 0.5;
                break;
            }
            mine ^= filled;
            value = 1.0 - value;
        }
        sum += value;
    }
    rng[0] = s0, rng[1] = s1, rng[2] = s2, rng[3] = s3;
    return sum;
}

double twin(const Position *p, uint64_t *rng, int64_t count)
{
    return playouts(p, (uint64_t)p->width, (uint64_t)p->stride, p->board, rng, count);
}

/* 0xfdfbf7efdfbf: seven columns of six cells and an empty one above. */
double constants(const Position *p, uint64_t *rng, int64_t count)
{
    return playouts(p, 7, 7, 0xfdfbf7efdfbfull, rng, count);
}
