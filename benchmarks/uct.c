/* UCT on 7 x 6 Connect 4 in C, as `mcts.search` plays it: UCB1, one uniform playout a simulation, no options.

   It reads the same random streams in the same order, so that its visits and values equal ours to the last bit (with
   -ffp-contract=off). What is free to differ is how the tree lies in memory: one array of nodes, a node of 32 bytes,
   the children of a node side by side. The board is that of `connect4.kernels.bitboard`, with its sizes known here. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "xoshiro.h"

enum { WIDTH = 7, STRIDE = 7, CELLS = 42, ROOM = 4096, BONUSES = 4096 };
enum { DRAWN = 0, WON = 1, UNDECIDED = 2, UNSEEN = 3 };     /* of the side that moved into a node */
static const uint64_t BOARD = 0xfdfbf7efdfbfull, COLUMN = 63;

typedef struct {
    double visits, value, width;    /* value: mean result of the side that moved into the node; width: 1 / sqrt(visits) */
    int32_t child;                  /* the first */
    int8_t children, move, outcome; /* children: -1 before they are made */
} Node;

typedef struct {
    uint64_t mine, filled; /* stones of the side to move, of both sides */
} Position;

static inline uint64_t below(uint64_t bound, uint64_t *s) { return ((next_word(s) >> 32) * bound) >> 32; }

/* The game. */

static inline int connects(uint64_t stones)
{
    const uint64_t up = stones & (stones >> 1), right = stones & (stones >> STRIDE);
    const uint64_t down_right = stones & (stones >> (STRIDE - 1)), up_right = stones & (stones >> (STRIDE + 1));
    return ((up & (up >> 2)) | (right & (right >> 2 * STRIDE)) | (down_right & (down_right >> 2 * (STRIDE - 1))) |
            (up_right & (up_right >> 2 * (STRIDE + 1)))) != 0;
}

static inline int outcome_of(Position p) { return connects(p.mine ^ p.filled) ? WON : p.filled == BOARD ? DRAWN : UNDECIDED; }

static inline Position after(Position p, int column)
{
    return (Position){p.mine ^ p.filled, p.filled | (p.filled + (1ull << (STRIDE * column)))};
}

static double playout(Position p, uint64_t *stream)
{
    uint64_t s[4] = {stream[0], stream[1], stream[2], stream[3]};
    double value = 1.0;
    for (;;) {
        uint64_t stone, shift;
        do {
            shift = below(WIDTH, s) * STRIDE;
            stone = (p.filled + (1ull << shift)) & (COLUMN << shift);
        } while (stone == 0);
        p.mine |= stone;
        p.filled |= stone;
        if (connects(p.mine))
            break;
        if (p.filled == BOARD) {
            value = 0.5;
            break;
        }
        p.mine ^= p.filled;
        value = 1.0 - value;
    }
    stream[0] = s[0], stream[1] = s[1], stream[2] = s[2], stream[3] = s[3];
    return value;
}

/* The search. */

static const Node NEW = {0.0, 0.5, INFINITY, -1, -1, -1, UNSEEN};

static int64_t expand(Node *nodes, int64_t node, int64_t used, Position p, uint64_t *order)
{
    int8_t moves[WIDTH], count = 0;
    for (int8_t column = 0; column < WIDTH; column++)
        if (!(p.filled >> (STRIDE * column + STRIDE - 2) & 1))
            moves[count++] = column;
    for (int last = count - 1; last > 0; last--) {
        const int other = (int)below(last + 1, order);
        const int8_t move = moves[other];
        moves[other] = moves[last];
        moves[last] = move;
    }
    nodes[node].child = (int32_t)used;
    nodes[node].children = count;
    for (int i = 0; i < count; i++) {
        nodes[used + i] = NEW;
        nodes[used + i].move = moves[i];
    }
    return used + count;
}

static int best_of(const Node *children, int count, double bonus, uint64_t *order)
{
    double scores[WIDTH], top = -INFINITY;
    for (int i = 0; i < count; i++)
        scores[i] = children[i].value + bonus * children[i].width;
    for (int i = 0; i < count; i++)
        top = scores[i] > top ? scores[i] : top;
    int best = 0, equals = 0;
    for (int i = count - 1; i >= 0; i--) {
        equals += scores[i] == top;
        best = scores[i] == top ? i : best;
    }
    if (equals > 1) {
        int skip = (int)((double)(next_word(order) >> 11) * 0x1p-53 * equals);
        while (skip-- > 0)
            for (best++; scores[best] != top; best++)
                ;
    }
    return best;
}

static inline double bonus_of(double t, double c)
{
    static double kept[BONUSES], kept_c = NAN;
    if (kept_c != c) {
        for (int i = 1; i < BONUSES; i++)
            kept[i] = c * sqrt(log(i));
        kept_c = c;
    }
    return t < BONUSES ? kept[(int)t] : c * sqrt(log(t));
}

/* streams: 4 words each of the rule, which draws nothing, of the order of moves and of the playouts. Writes the visits
   and values of the root's moves, by column, 0 where there is none; returns the number of nodes, or -1 without memory. */
int64_t uct(uint64_t mine, uint64_t filled, int64_t simulations, double c, uint64_t *streams, double *visits, double *values)
{
    uint64_t *order = streams + 4, *playouts = streams + 8;
    int64_t room = ROOM, used = 1, path[CELLS + 1] = {0};
    Node *nodes = malloc(room * sizeof(Node));
    if (nodes == NULL)
        return -1;
    nodes[0] = NEW;
    nodes[0].outcome = UNDECIDED;
    for (; simulations > 0; simulations--) {
        if (used + WIDTH > room) {
            Node *longer = realloc(nodes, (room *= 2) * sizeof(Node));
            if (longer == NULL) {
                free(nodes);
                return -1;
            }
            nodes = longer;
        }
        Position p = {mine, filled};
        int64_t node = 0;
        int depth = 0;
        for (;;) {
            if (nodes[node].outcome == UNSEEN)
                nodes[node].outcome = (int8_t)outcome_of(p);
            if (nodes[node].outcome != UNDECIDED || (nodes[node].visits == 0.0 && depth > 0))
                break;
            if (nodes[node].children < 0)
                used = expand(nodes, node, used, p, order);
            const int64_t first = nodes[node].child;
            const int count = nodes[node].children;
            const double tried = nodes[node].visits - (depth > 0); /* the first visit of all nodes but the root made none */
            node = first + (tried < count ? (int)tried : best_of(nodes + first, count, bonus_of(tried + 1.0, c), order));
            path[++depth] = node;
            p = after(p, nodes[node].move);
        }
        const int known = nodes[node].outcome;
        double result = known == UNDECIDED ? 1.0 - playout(p, playouts) : 0.5 + 0.5 * known;
        for (; depth >= 0; depth--) {
            Node *visited = nodes + path[depth];
            visited->visits += 1.0;
            visited->value += (result - visited->value) * (1.0 / visited->visits);
            visited->width = 1.0 / sqrt(visited->visits);
            result = 1.0 - result;
        }
    }
    for (int column = 0; column < WIDTH; column++)
        visits[column] = values[column] = 0.0;
    for (int i = 0; i < nodes[0].children; i++) {
        const Node child = nodes[nodes[0].child + i];
        visits[child.move] = child.visits;
        values[child.move] = child.value;
    }
    free(nodes);
    return used;
}
