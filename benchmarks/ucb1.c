/* UCB1 on Bernoulli arms in C, twice: `twin` is the loop of our general kernel, step by step; `fast` is the fastest we
   could write, and what our counting kernel does. Both use the streams of our kernels, so that pull counts are the same
   to the last one (unless the compiler fuses multiplications with additions, which moves an index by one rounding).

   The argmax of `twin` takes two arms a pass and carries its running values through memory. Written with vectors as our
   kernel has it, C knows no choice between two vectors; by masks GCC 12 needs 1.4 times as long, with arrays of eight 3
   times.

   `fast` knows what a general kernel cannot: blocks of 64, at most 16 arms, whose means are the same in all
   replications, so that the limits below which a word is a success stay in two registers. Where there is AVX-512 it
   asks for its instructions by name, which GCC 12 does not find by itself. */

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#ifdef __AVX512F__
#include <immintrin.h>
#endif

#include "xoshiro.h"

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

static double *row(int64_t size, double value)
{
    double *made = aligned_alloc(64, (size * sizeof(double) + 127) / 64 * 64);
    for (int64_t i = 0; i < size; i++) made[i] = value;
    return made;
}

static double next_uniform(uint64_t *s) { return (double)(int64_t)(next_word(s) >> 11) * TO_UNIT; }

/* Draw the 53 bits of AT_ONCE uniforms from each of `streams` streams, eight at a time; `scaled`, the uniforms. */
static inline __attribute__((always_inline)) void fill(uint64_t *restrict state, uint64_t *restrict out, int64_t streams,
                                                       const int scaled)
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
            if (scaled)
                *(Reals *)(out + step * streams + r) = __builtin_convertvector(word >> 11, Reals) * TO_UNIT;
            else
                *(Words *)(out + step * streams + r) = word >> 11;
        }
        *(Words *)(state + r) = a;
        *(Words *)(state + streams + r) = b;
        *(Words *)(state + 2 * streams + r) = c;
        *(Words *)(state + 3 * streams + r) = d;
    }
    for (int64_t r = whole; r < streams; r++)
        for (int step = 0; step < AT_ONCE; step++) {
            uint64_t words[4] = {state[r], state[streams + r], state[2 * streams + r], state[3 * streams + r]};
            const double uniform = next_uniform(words);
            if (scaled)
                memcpy(out + step * streams + r, &uniform, sizeof uniform);
            else
                out[step * streams + r] = (uint64_t)(uniform / TO_UNIT);
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

void twin(const Problem *p)
{
    const int64_t arms = p->arms;
    double best_mean = p->means[0];
    double *restrict roots = row(p->horizon + 1, 0.0);
    for (int64_t n = 0; n <= p->horizon; n++) roots[n] = 1.0 / sqrt((double)n);
    for (int64_t a = 1; a < arms; a++) best_mean = p->means[a] > best_mean ? p->means[a] : best_mean;
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
                const double bonus = sqrt(2.0) * sqrt(log(step + 1.0));
                for (int64_t i = 0; i < cells; i++) scores[i] = means[i] + bonus * widths[i];
                const int64_t begun = 2 - arms % 2;
                for (int64_t r = 0; r < size; r++) {
                    const double score = scores[r], rival = scores[(begun - 1) * size + r];
                    top[r] = score > rival ? score : rival;
                    second[r] = begun == 1 ? -INFINITY : score < rival ? score : rival;
                    arm[r] = rival > score;
                }
                for (int64_t a = begun; a < arms; a += 2)
                    for (int64_t r = 0; r < size; r++) {
                        double score = scores[a * size + r], high = top[r], runner_up = second[r];
                        double low = score < high ? score : high;
                        int64_t best = score > high ? a : arm[r];
                        runner_up = low > runner_up ? low : runner_up;
                        high = score > high ? score : high;
                        score = scores[(a + 1) * size + r];
                        low = score < high ? score : high;
                        second[r] = low > runner_up ? low : runner_up;
                        arm[r] = score > high ? a + 1 : best;
                        top[r] = score > high ? score : high;
                    }
                int tied = 0;
                for (int64_t r = 0; r < size; r++) tied |= top[r] == second[r];
                if (tied) break_ties(scores, top, second, p->rule + 4 * first, arm, arms, size);
            }
            for (int64_t r = 0; r < size; r++) target[r] = p->means[arm[r]];
            if (step % AT_ONCE == 0) fill(rng, (uint64_t *)uniforms, 2 * size, 1);
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
    free(roots);
}

enum { BLOCK = 64, SHORT_LANES = 16, MOST_ARMS = 16, LAST = 15, CLOSE = 3 * MOST_ARMS };
typedef float Singles __attribute__((vector_size(64), aligned(4), may_alias));
typedef int32_t Shorts __attribute__((vector_size(64), aligned(4), may_alias));

#ifdef __AVX512F__
static inline Shorts larger(Shorts a, Shorts b) { return (Shorts)_mm512_max_epi32((__m512i)a, (__m512i)b); }
static inline Shorts smaller(Shorts a, Shorts b) { return (Shorts)_mm512_min_epi32((__m512i)a, (__m512i)b); }
static inline uint64_t negative(Shorts a) { return _mm512_cmplt_epi32_mask((__m512i)a, _mm512_setzero_si512()); }
#else
static inline Shorts larger(Shorts a, Shorts b) { return (b & (b > a)) | (a & ~(b > a)); }
static inline Shorts smaller(Shorts a, Shorts b) { return (a & (b > a)) | (b & ~(b > a)); }
static inline uint64_t negative(Shorts a)
{
    uint64_t bits = 0;
    for (int k = 0; k < SHORT_LANES; k++) bits |= (uint64_t)(a[k] < 0) << k;
    return bits;
}
#endif

/* The best arm of replication r by exact indices, at random among equals; `top` holds its highest index in float. */
static int decide(const int64_t *counts, const float *means, const float *widths, double bonus, const double *roots,
                  int32_t top, int64_t arms, int64_t r, uint64_t *rule)
{
    double best = -1.0;
    uint32_t close = 0, equal = 0;
    for (int64_t a = 0; a < arms; a++) {
        const float index = means[a * BLOCK + r] + (float)bonus * widths[a * BLOCK + r];
        int32_t bits;
        memcpy(&bits, &index, sizeof bits);
        close |= (uint32_t)(bits >= top - 4 * MOST_ARMS) << a;
    }
    for (; close; close &= close - 1) {
        const int a = __builtin_ctz(close);
        const int64_t count = counts[a * BLOCK + r], n = count >> 32;
        const double index = (double)(count & 0xffffffff) / (double)n + bonus * roots[n];
        equal = index > best ? 1u << a : equal | (uint32_t)(index == best) << a;
        best = index > best ? index : best;
    }
    if (equal & (equal - 1))
        for (int64_t skip = (int64_t)(next_uniform(rule) * __builtin_popcount(equal)); skip > 0; skip--)
            equal &= equal - 1;
    return __builtin_ctz(equal);
}

void fast(const Problem *p)
{
    const int64_t arms = p->arms, cells = arms * BLOCK;
    double best_mean = 0.0, *restrict roots = row(p->horizon + 1, 0.0);
    float *restrict single_roots = (float *)row(p->horizon / 2 + 1, 0.0);
    uint64_t limits[MOST_ARMS] __attribute__((aligned(64))) = {0}, best_limit = 0;
    for (int64_t n = 0; n <= p->horizon; n++) roots[n] = 1.0 / sqrt((double)n), single_roots[n] = (float)roots[n];
    for (int64_t a = 0; a < arms; a++) {
        limits[a] = (uint64_t)ceil(p->means[a] * 9007199254740992.0);
        best_mean = p->means[a] > best_mean ? p->means[a] : best_mean;
        best_limit = limits[a] > best_limit ? limits[a] : best_limit;
    }
    for (int64_t first = 0; first < p->runs; first += BLOCK) {
        const int64_t size = p->runs - first < BLOCK ? p->runs - first : BLOCK;
        int64_t *restrict counts = (int64_t *)row(cells, 0.0); /* pulls * 2^32 + successes */
        float *restrict means = (float *)row(cells / 2, 0.0), *restrict widths = (float *)row(cells / 2, 0.0);
        uint64_t *restrict rng = (uint64_t *)row(8 * BLOCK, 0.0);
        uint64_t *restrict words = (uint64_t *)row(AT_ONCE * 2 * BLOCK, 0.0);
        int32_t top[BLOCK] __attribute__((aligned(64))), place[BLOCK] __attribute__((aligned(64))), column[BLOCK];
        int64_t added[BLOCK] __attribute__((aligned(64))), best_gain[BLOCK] = {0};
        for (int r = 0; r < BLOCK; r++) column[r] = r;
        for (int64_t r = 0; r < size; r++)
            for (int word = 0; word < 4; word++) {
                rng[word * 2 * BLOCK + r] = p->reward[(first + r) * 4 + word];
                rng[word * 2 * BLOCK + BLOCK + r] = p->best[(first + r) * 4 + word];
            }
        int64_t reached = 0;
        for (int64_t step = 0; step < p->horizon; step++) {
            if (step < arms) {
                for (int r = 0; r < BLOCK; r++) top[r] = (int32_t)step;
            } else {
                const double bonus = sqrt(2.0) * sqrt(log(step + 1.0));
                uint64_t doubtful = 0;
                for (int r = 0; r < BLOCK; r += SHORT_LANES) {
                    Shorts high = {0}, second = {0};
                    for (int32_t a = 0; a < arms; a++) {
                        const int64_t i = a * BLOCK + r;
                        const Singles index = *(Singles *)(widths + i) * (float)bonus + *(Singles *)(means + i);
                        const Shorts named = ((Shorts)index & ~LAST) | a;
                        second = larger(second, smaller(named, high));
                        high = larger(high, named);
                    }
                    *(Shorts *)(top + r) = high;
                    doubtful |= negative(high - second - CLOSE - 1) << r;
                }
                for (doubtful &= size == BLOCK ? ~0ull : (1ull << size) - 1; doubtful; doubtful &= doubtful - 1) {
                    const int r = __builtin_ctzll(doubtful);
                    top[r] = decide(counts, means, widths, bonus, roots, top[r], arms, r, p->rule + 4 * (first + r));
                }
            }
            if (step % AT_ONCE == 0) fill(rng, words, 2 * BLOCK, 0);
            const uint64_t *restrict drawn = words + step % AT_ONCE * 2 * BLOCK;
            for (int r = 0; r < BLOCK; r++) place[r] = (top[r] & LAST) * BLOCK + column[r];
            for (int r = 0; r < BLOCK; r += LANES) {
#ifdef __AVX512F__
                const __m256i names = _mm256_and_si256(_mm256_loadu_si256((__m256i *)(top + r)), _mm256_set1_epi32(LAST));
                const __m512i low = _mm512_load_si512(limits), high = _mm512_load_si512(limits + LANES);
                const __m512i limit = _mm512_permutex2var_epi64(low, _mm512_cvtepi32_epi64(names), high);
                const __mmask8 won = _mm512_cmplt_epu64_mask(_mm512_loadu_si512(drawn + r), limit);
                const __m512i pull = _mm512_set1_epi64(1ll << 32);
                _mm512_store_si512(added + r, _mm512_mask_add_epi64(pull, won, pull, _mm512_set1_epi64(1)));
#else
                for (int k = r; k < r + LANES; k++) added[k] = (1ll << 32) + (drawn[k] < limits[top[k] & LAST]);
#endif
            }
            for (int r = 0; r < BLOCK; r++) {
                const int64_t i = place[r], count = counts[i] + added[r];
                const float width = single_roots[count >> 32];
                counts[i] = count;
                means[i] = (float)(int32_t)count * width * width;
                widths[i] = width;
            }
            for (int r = 0; r < BLOCK; r++) best_gain[r] += drawn[BLOCK + r] < best_limit;
            if (step + 1 == p->checkpoints[reached]) {
                for (int64_t r = 0; r < size; r++) {
                    const int64_t at = (first + r) * p->reached + reached;
                    double regret = 0.0, gain = 0.0;
                    for (int64_t a = 0; a < arms; a++) {
                        regret += (best_mean - p->means[a]) * (double)(counts[a * BLOCK + r] >> 32);
                        gain += (double)(counts[a * BLOCK + r] & 0xffffffff);
                    }
                    p->pseudo_regret[at] = regret;
                    p->gain[at] = gain;
                    p->best_gain[at] = (double)best_gain[r];
                }
                reached++;
            }
        }
        for (int64_t r = 0; r < size; r++)
            for (int64_t a = 0; a < arms; a++) p->pulls[(first + r) * arms + a] = counts[a * BLOCK + r] >> 32;
        void *made[] = {counts, means, widths, rng, words};
        for (size_t i = 0; i < sizeof made / sizeof *made; i++) free(made[i]);
    }
    free(roots);
    free(single_roots);
}
