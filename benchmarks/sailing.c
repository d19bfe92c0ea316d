/* UCT on sailing in C, as `mcts.processes.planning.plan` searches it: UCB1, a closed loop, scale "tree".

   It reads the same random streams in the same order, so that its visits and values equal ours to the last bit (with
   -ffp-contract=off). As ours does, it knows the lake only by a hook that it has the address of, which writes every
   outcome of a leg; `sail` is that of `mcts.processes.sailing`. What is free to differ is how the tree lies in memory. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

#include "xoshiro.h"

enum { LEGS = 8, OUTCOMES = 3, TRIES = 4 * LEGS, ROOM = 4096 };
enum { X, Y, WIND, TACK, SIZE, DELAY, WORDS };
static const int EAST[LEGS] = {0, 1, 1, 1, 0, -1, -1, -1}, NORTH[LEGS] = {1, 1, 0, -1, -1, -1, 0, 1};
static const double TURNS[LEGS][LEGS] = {
    {0.4, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3}, {0.4, 0.3, 0.3, 0.0, 0.0, 0.0, 0.0, 0.0},
    {0.0, 0.4, 0.3, 0.3, 0.0, 0.0, 0.0, 0.0}, {0.0, 0.0, 0.4, 0.3, 0.3, 0.0, 0.0, 0.0},
    {0.0, 0.0, 0.0, 0.4, 0.2, 0.4, 0.0, 0.0}, {0.0, 0.0, 0.0, 0.0, 0.3, 0.3, 0.4, 0.0},
    {0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 0.3, 0.4}, {0.4, 0.0, 0.0, 0.0, 0.0, 0.0, 0.3, 0.3},
};

typedef struct {
    int64_t states[OUTCOMES][WORDS];
    double chances[OUTCOMES], rewards[OUTCOMES];
} Room;

typedef int64_t Hook(const int64_t *state, int64_t leg, Room *room); /* returns the number of outcomes; 0: impossible */

typedef struct {
    double visits, value;          /* value: mean return */
    int32_t after[OUTCOMES], leg;  /* the node of each outcome; 0 before it is made, since none leads to the root */
} Edge;

typedef struct {
    double visits;
    int32_t first, edges; /* edges: -1 before they are made */
} Node;

static inline uint64_t below(uint64_t bound, uint64_t *s) { return ((next_word(s) >> 32) * bound) >> 32; }
static inline double uniform(uint64_t *s) { return (double)(next_word(s) >> 11) * 0x1p-53; }

/* The lake. */

static int64_t sail(const int64_t *state, int64_t leg, Room *room)
{
    const int64_t size = state[SIZE], x = state[X] + EAST[leg], y = state[Y] + NORTH[leg], turn = (leg - state[WIND]) & 7;
    const int at_goal = state[X] == size - 1 && state[Y] == size - 1;
    if (at_goal || turn == 4 || x < 0 || y < 0 || x >= size || y >= size)
        return 0;
    double cost = (double)(1 + (turn < 4 ? turn : 8 - turn));
    int64_t tack = 0, count = 0;
    if (state[DELAY] > 0) {
        if (leg % 2 == 1)
            cost *= sqrt(2.0);
        tack = turn == 0 ? 0 : turn < 4 ? 1 : 2;
        if (state[TACK] + tack == 3)
            cost += (double)state[DELAY];
    }
    for (int64_t wind = 0; wind < LEGS; wind++)
        if (TURNS[state[WIND]][wind] > 0.0) {
            int64_t *after = room->states[count];
            after[X] = x, after[Y] = y, after[WIND] = wind, after[TACK] = tack, after[SIZE] = size, after[DELAY] = state[DELAY];
            room->chances[count] = TURNS[state[WIND]][wind];
            room->rewards[count++] = -cost;
        }
    return count;
}

/* Have one of the outcomes happen that the hook has written, and return its number. */
static inline int happen(int64_t *state, int64_t count, const Room *room, uint64_t *s)
{
    double u = uniform(s);
    int chosen = 0;
    while (chosen < count - 1 && u >= room->chances[chosen])
        u -= room->chances[chosen++];
    for (int word = 0; word < WORDS; word++)
        state[word] = room->states[chosen][word];
    return chosen;
}

/* Write the outcomes of a possible leg at random, and return how many; 0 at the goal. */
static inline int64_t random_leg(Hook *hook, const int64_t *state, Room *room, uint64_t *s)
{
    for (int tried = 0; tried < TRIES; tried++) {
        const int64_t count = hook(state, (int64_t)below(LEGS, s), room);
        if (count)
            return count;
    }
    int64_t possible[LEGS], legs = 0;
    for (int64_t leg = 0; leg < LEGS; leg++)
        if (hook(state, leg, room))
            possible[legs++] = leg;
    return legs ? hook(state, possible[below((uint64_t)legs, s)], room) : 0;
}

static double playout(Hook *hook, int64_t *state, int64_t left, Room *room, uint64_t *stream, int64_t *steps)
{
    uint64_t s[4] = {stream[0], stream[1], stream[2], stream[3]};
    double total = 0.0;
    for (; left > 0; left--) {
        const int64_t count = random_leg(hook, state, room, s);
        if (count == 0)
            break;
        total += room->rewards[happen(state, count, room, s)];
        ++*steps;
    }
    stream[0] = s[0], stream[1] = s[1], stream[2] = s[2], stream[3] = s[3];
    return total;
}

/* The search. */

static int expand(Hook *hook, Edge *edges, const int64_t *state, Room *room, uint64_t *order)
{
    int32_t legs[LEGS], count = 0;
    for (int leg = 0; leg < LEGS; leg++)
        if (hook(state, leg, room))
            legs[count++] = leg;
    for (int last = count - 1; last > 0; last--) {
        const int other = (int)below(last + 1, order);
        const int32_t leg = legs[other];
        legs[other] = legs[last];
        legs[last] = leg;
    }
    for (int i = 0; i < count; i++)
        edges[i] = (Edge){.leg = legs[i]};
    return count;
}

static int best_of(const Edge *edges, int count, double c, double low, double high, uint64_t *order)
{
    const double width = fmax(high - low, 0.0);
    double scores[LEGS], total = 1.0, top = -INFINITY;
    for (int i = 0; i < count; i++) {
        if (edges[i].visits == 0.0)
            return i;
        total += edges[i].visits;
    }
    const double bonus = c * sqrt(log(total));
    int best = 0, equals = 0;
    for (int i = 0; i < count; i++) {
        const double scaled = width > 0.0 ? (edges[i].value - low) / width : 0.5;
        scores[i] = scaled + bonus * (1.0 / sqrt(edges[i].visits));
        if (scores[i] > top)
            top = scores[i], best = i, equals = 1;
        else
            equals += scores[i] == top;
    }
    if (equals > 1)
        for (int skip = (int)(uniform(order) * equals); skip > 0; skip--)
            while (scores[++best] != top)
                ;
    return best;
}

/* Make an array twice as long if fewer than `more` of its entries are left; return whether there is memory. */
static int fits(void **array, size_t entry, int64_t used, int64_t more, int64_t *room)
{
    if (used + more <= *room)
        return 1;
    void *longer = realloc(*array, 2 * *room * entry);
    if (longer == NULL)
        return 0;
    *array = longer;
    *room *= 2;
    return 1;
}

/* streams: 4 words each of the rule, which draws nothing, of the order of legs, of playouts and of chance. most: the steps
   of a simulation, at most. Writes the visits and values of the first legs; returns the simulated steps, or -1 without
   memory. */
int64_t search(Hook *hook, const int64_t *root, int64_t simulations, int64_t most, double c, uint64_t *streams,
               double *visits, double *values)
{
    uint64_t *order = streams + 4, *playouts = streams + 8, *chance = streams + 12;
    int64_t node_room = ROOM, edge_room = ROOM, nodes_used = 1, edges_used = 0, steps = 0, state[WORDS];
    Room room;
    Node *nodes = malloc(node_room * sizeof(Node));
    Edge *edges = malloc(edge_room * sizeof(Edge));
    int32_t *path = malloc(most * sizeof(int32_t)), *passed = malloc(most * sizeof(int32_t));
    double *earned = malloc(most * sizeof(double)), *low = malloc(most * sizeof(double)), *high = malloc(most * sizeof(double));
    int there = nodes && edges && path && passed && earned && low && high;
    for (int64_t depth = 0; there && depth < most; depth++)
        low[depth] = INFINITY, high[depth] = -INFINITY;
    if (there)
        nodes[0] = (Node){.edges = -1};
    for (; there && simulations > 0; simulations--) {
        there = fits((void **)&nodes, sizeof(Node), nodes_used, 1, &node_room) &&
                fits((void **)&edges, sizeof(Edge), edges_used, LEGS, &edge_room);
        if (!there)
            break;
        for (int word = 0; word < WORDS; word++)
            state[word] = root[word];
        int32_t node = 0;
        int64_t depth = 0;
        double result = 0.0;
        while (depth < most) {
            if (nodes[node].visits == 0.0 && depth > 0) {
                result = playout(hook, state, most - depth, &room, playouts, &steps);
                break;
            }
            if (nodes[node].edges < 0) {
                nodes[node].first = (int32_t)edges_used;
                nodes[node].edges = expand(hook, edges + edges_used, state, &room, order);
                edges_used += nodes[node].edges;
            }
            const int32_t first = nodes[node].first, count = nodes[node].edges;
            if (count == 0)
                break;
            const int32_t edge = first + best_of(edges + first, count, c, low[depth], high[depth], order);
            path[depth] = edge;
            passed[depth] = node;
            const int chosen = happen(state, hook(state, edges[edge].leg, &room), &room, chance);
            earned[depth++] = room.rewards[chosen];
            steps++;
            int32_t *after = &edges[edge].after[chosen];
            if (*after == 0) {
                *after = (int32_t)nodes_used;
                nodes[nodes_used++] = (Node){.edges = -1};
            }
            node = *after;
        }
        nodes[node].visits += 1.0;
        while (depth-- > 0) {
            Edge *edge = edges + path[depth];
            result += earned[depth];
            edge->visits += 1.0;
            edge->value += (result - edge->value) / edge->visits;
            low[depth] = fmin(low[depth], edge->value);
            high[depth] = fmax(high[depth], edge->value);
            nodes[passed[depth]].visits += 1.0;
        }
    }
    for (int leg = 0; leg < LEGS; leg++)
        visits[leg] = values[leg] = 0.0;
    for (int i = 0; there && i < nodes[0].edges; i++) {
        const Edge edge = edges[nodes[0].first + i];
        visits[edge.leg] = edge.visits;
        values[edge.leg] = edge.value;
    }
    free(nodes), free(edges), free(path), free(passed), free(earned), free(low), free(high);
    return there ? steps : -1;
}

/* Return the hook by its address, which the compiler does not look behind. */
Hook *hook_of_sailing(void) { return sail; }
