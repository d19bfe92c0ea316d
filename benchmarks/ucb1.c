/* UCB1 on Bernoulli arms in C, twice: `twin` is the loop of our kernel, step by step; `fast` is the fastest we could
   write. Both use the streams of our kernel, so that pull counts are the same to the last one (unless the compiler fuses
   multiplications with additions, which moves an index by one rounding).

   The argmax takes two arms a pass and carries its running values through memory. Written with vectors as our kernel has
   it, C knows no choice between two vectors; by masks GCC 12 needs 1.4 times as long, with arrays of eight 3 times.

   `fast` leaves out what a general kernel needs: the scores are never stored, index and argmax are one loop; the bonus of
   every step is looked up. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>

typedef struct {
    const double *means;        /* [arms] */
    int64_t arms, runs, horizon, block;
    const int64_t *checkpoints; /* [reached], the last one is the horizon */
    int64_t reached;
    uint64_t *rule, *reward, *best;                 /* [runs][4] */
    int64_t *pulls;                                 /* [runs][arms] */
    double *pseudo_regret, *gain, *best_gain;       /* [runs][reached] */
} Problem;

static const double TO_UNIT = 1.0 / 9007199254740992.0;

enum { LANES = 8, AT_ONCE = 4 }; /* replications in a register; steps whose uniforms are drawn together */
typedef double Reals __attribute__((vector_size(64), aligned(8), may_alias));
typedef uint64_t Words __attribute__((vector_size(64), aligned(8), may_alias));

static inline uint64_t rotate(uint64_t word, int by) { return (word << by) | (word >> (64 - by)); }

static double *row(int64_t size, double value)
{
    double *made = aligned_alloc(64, (size * sizeof(double) + 127) / 64 * 64);
    for (int64_t i = 0; i < size; i++) made[i] = value;
    return made;
}

static double next_uniform(uint64_t *s)
{
    uint64_t word = rotate(s[0] + s[3], 23) + s[0], shifted = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= shifted;
    s[3] = rotate(s[3], 45);
    return (double)(int64_t)(word >> 11) * TO_UNIT;
}

/* Draw AT_ONCE uniforms from each of `streams` streams, eight streams at a time. */
static inline void fill_uniforms(uint64_t *restrict state, double *restrict out, int64_t streams)
{
    const int64_t whole = streams - streams % LANES;
    for (int64_t r = 0; r < whole; r += LANES) {
        Words a = *(Words *)(state + r), b = *(Words *)(state + streams + r);
        Words c = *(Words *)(state + 2 * streams + r), d = *(Words *)(state + 3 * streams + r);
        for (int step = 0; step < AT_ONCE; step++) {
            const Words total = a + d, word = ((total << 23) | (total >> 41)) + a, shifted = b << 17;
            c ^= a;
            d ^= b;
            b ^= c;
            a ^= d;
            c ^= shifted;
            d = (d << 45) | (d >> 19);
            *(Reals *)(out + step * streams + r) = __builtin_convertvector(word >> 11, Reals) * TO_UNIT;
        }
        *(Words *)(state + r) = a;
        *(Words *)(state + streams + r) = b;
        *(Words *)(state + 2 * streams + r) = c;
        *(Words *)(state + 3 * streams + r) = d;
    }
    for (int64_t r = whole; r < streams; r++)
        for (int step = 0; step < AT_ONCE; step++) {
            uint64_t words[4] = {state[r], state[streams + r], state[2 * streams + r], state[3 * streams + r]};
            out[step * streams + r] = next_uniform(words);
            for (int word = 0; word < 4; word++) state[word * streams + r] = words[word];
        }
}

/* Break the ties of a step at random: the arms of `top[r]`, where `second[r]` equals it. */
static void break_ties(const double *scores, const double *top, const double *second, uint64_t *rule, int64_t *arm,
                       int64_t arms, int64_t size)
{
    for (int64_t r = 0; r < size; r++) {
        if (top[r] != second[r]) continue;
        int64_t ties = 0;
        for (int64_t a = 0; a < arms; a++) ties += scores[a * size + r] == top[r];
        int64_t skip = (int64_t)(next_uniform(rule + 4 * r) * ties);
        for (int64_t a = 0; a < arms; a++)
            if (scores[a * size + r] == top[r] && skip-- == 0) {
                arm[r] = a;
                break;
            }
    }
}

static inline void play(const Problem *p, const int fast)
{
    const int64_t arms = p->arms;
    double best_mean = p->means[0], *bonuses = row(fast ? p->horizon + 1 : 0, 0.0);
    double *restrict roots = row(p->horizon + 1, 0.0);
    for (int64_t n = 0; n <= p->horizon; n++) roots[n] = 1.0 / sqrt((double)n);
    for (int64_t a = 1; a < arms; a++) best_mean = p->means[a] > best_mean ? p->means[a] : best_mean;
    if (fast)
        for (int64_t t = 1; t <= p->horizon; t++) bonuses[t] = sqrt(2.0) * sqrt(log((double)t));
    for (int64_t first = 0; first < p->runs; first += p->block) {
        const int64_t size = p->runs - first < p->block ? p->runs - first : p->block, cells = arms * size;
        double *restrict pulls = row(cells, 0.0), *restrict sums = row(cells, 0.0), *restrict means = row(cells, 0.0);
        double *restrict widths = row(cells, INFINITY), *restrict scores = row(cells, 0.0);
        double *restrict top = row(size, 0.0), *restrict second = row(size, 0.0);
        double *restrict uniforms = row(AT_ONCE * 2 * size, 0.0), *restrict target = row(2 * size, best_mean);
        double *restrict paid = row(2 * size, 0.0), *restrict best_gain = row(size, 0.0);
        int64_t *restrict arm = (int64_t *)row(size, 0.0);
        uint64_t *restrict rng = (uint64_t *)row(8 * size, 0.0); /* of the pulled arms, then of the best ones */
        for (int64_t r = 0; r < size; r++) {
            for (int word = 0; word < 4; word++) {
                rng[word * 2 * size + r] = p->reward[(first + r) * 4 + word];
                rng[word * 2 * size + size + r] = p->best[(first + r) * 4 + word];
            }
        }
        int64_t reached = 0;
        for (int64_t step = 0; step < p->horizon; step++) {
            if (step < arms) {
                for (int64_t r = 0; r < size; r++) arm[r] = step;
            } else {
                const double bonus = fast ? bonuses[step + 1] : sqrt(2.0) * sqrt(log(step + 1.0));
                if (!fast)
                    for (int64_t i = 0; i < cells; i++) scores[i] = means[i] + bonus * widths[i];
#define SCORE(i) (fast ? means[i] + bonus * widths[i] : scores[i])
                const int64_t begun = 2 - arms % 2;
                for (int64_t r = 0; r < size; r++) {
                    const double score = SCORE(r), rival = SCORE((begun - 1) * size + r);
                    top[r] = score > rival ? score : rival;
                    second[r] = begun == 1 ? -INFINITY : score < rival ? score : rival;
                    arm[r] = rival > score;
                }
                for (int64_t a = begun; a < arms; a += 2)
                    for (int64_t r = 0; r < size; r++) {
                        double score = SCORE(a * size + r), high = top[r], runner_up = second[r];
                        double low = score < high ? score : high;
                        int64_t best = score > high ? a : arm[r];
                        runner_up = low > runner_up ? low : runner_up;
                        high = score > high ? score : high;
                        score = SCORE((a + 1) * size + r);
                        low = score < high ? score : high;
                        second[r] = low > runner_up ? low : runner_up;
                        arm[r] = score > high ? a + 1 : best;
                        top[r] = score > high ? score : high;
                    }
                int tied = 0;
                for (int64_t r = 0; r < size; r++) tied |= top[r] == second[r];
                if (tied) {
                    if (fast)
                        for (int64_t i = 0; i < cells; i++) scores[i] = means[i] + bonus * widths[i];
                    break_ties(scores, top, second, p->rule + 4 * first, arm, arms, size);
                }
            }
            for (int64_t r = 0; r < size; r++) target[r] = p->means[arm[r]];
            if (step % AT_ONCE == 0) fill_uniforms(rng, uniforms, 2 * size);
            const double *restrict uniform = uniforms + step % AT_ONCE * 2 * size;
            for (int64_t r = 0; r < 2 * size; r++) paid[r] = uniform[r] < target[r] ? 1.0 : 0.0;
            for (int64_t r = 0; r < size; r++) {
                const int64_t i = arm[r] * size + r;
                const double n = pulls[i] + 1.0, s = sums[i] + paid[r];
                pulls[i] = n;
                sums[i] = s;
                means[i] = s / n;
                widths[i] = roots[(int64_t)n];
            }
            for (int64_t r = 0; r < size; r++) best_gain[r] += paid[size + r];
            if (step + 1 == p->checkpoints[reached]) {
                for (int64_t r = 0; r < size; r++) {
                    const int64_t at = (first + r) * p->reached + reached;
                    double regret = 0.0, gain = 0.0;
                    for (int64_t a = 0; a < arms; a++) {
                        regret += (best_mean - p->means[a]) * pulls[a * size + r];
                        gain += sums[a * size + r];
                    }
                    p->pseudo_regret[at] = regret;
                    p->gain[at] = gain;
                    p->best_gain[at] = best_gain[r];
                }
                reached++;
            }
        }
        for (int64_t r = 0; r < size; r++)
            for (int64_t a = 0; a < arms; a++) p->pulls[(first + r) * arms + a] = (int64_t)pulls[a * size + r];
        double *made[] = {pulls, sums, means, widths, scores, top, second, uniforms, target, paid, best_gain, (double *)arm,
                          (double *)rng};
        for (size_t i = 0; i < sizeof made / sizeof *made; i++) free(made[i]);
    }
    free(bonuses);
    free(roots);
}

void twin(const Problem *p) { play(p, 0); }

void fast(const Problem *p) { play(p, 1); }
