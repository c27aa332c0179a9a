/* Largest magnitudes and 2-norms of float32 values. */
#include "kernels.h"
#include "parallel.h"
#include "pieces.h"

/* Between these, float32 squares and sums of thousands of them have neither overflowed nor vanished. */
static const double SMALLEST_SQUARES = 1e-30, LARGEST_SQUARES = 1e30;

typedef struct {
    const float *values;
    int64_t size, piece;
    int32_t parts[PIECES];
} Magnitude;

/* Without their sign, the bits of floats are in the order of their magnitudes: those of NaN come after infinity. */
FOR_EVERY_PROCESSOR
static int32_t largest_bits(const float *values, int64_t size)
{
    int32_t largest[LANES] = {0}, result = 0;
    int64_t i = 0;
    for (; i + LANES <= size; i += LANES) {
        int32_t bits[LANES];
        memcpy(bits, values + i, sizeof bits);
#ifdef __GNUC__
        __builtin_prefetch(values + i + AHEAD);
#endif
        for (int j = 0; j < LANES; j++) {
            int32_t magnitude = bits[j] & 0x7fffffff;
            largest[j] = magnitude > largest[j] ? magnitude : largest[j];
        }
    }
    for (; i < size; i++) {
        int32_t bits;
        memcpy(&bits, values + i, sizeof bits);
        bits &= 0x7fffffff;
        result = bits > result ? bits : result;
    }
    for (int j = 0; j < LANES; j++)
        result = largest[j] > result ? largest[j] : result;
    return result;
}

static void look_for_largest(void *data, int64_t index, int thread)
{
    Magnitude *all = data;
    (void)thread;
    int64_t start = index * all->piece, left = all->size - start;
    all->parts[index] = largest_bits(all->values + start, left < all->piece ? left : all->piece);
}

static float magnitude_of(int32_t bits)
{
    float magnitude;
    memcpy(&magnitude, &bits, sizeof magnitude);
    return magnitude;
}

/* The largest magnitude of values; NaN where there is one. */
float largest_magnitude(const float *values, int64_t size, int threads)
{
    Magnitude all = {.values = values, .size = size};
    int64_t pieces = count_pieces(size, &all.piece);
    do_jobs(look_for_largest, &all, pieces, threads);
    int32_t largest = 0;
    for (int64_t i = 0; i < pieces; i++)
        largest = all.parts[i] > largest ? all.parts[i] : largest;
    return magnitude_of(largest);
}

/* That of values and others. */
float largest_magnitude_of_both(const float *values, int64_t size, const float *others, int64_t others_size)
{
    int32_t first = largest_bits(values, size), second = largest_bits(others, others_size);
    return magnitude_of(first > second ? first : second);
}

/* The sum of squares of values, from which others are subtracted if there are any. */
FOR_EVERY_PROCESSOR
static double add_squares(const float *restrict values, const float *restrict others, int64_t size)
{
    double total = 0;
    int64_t i = 0;
    while (i + LANES <= size) {
        int64_t left = (size - i) / LANES;
        int steps = left < STEPS ? (int)left : STEPS;
        float squares[LANES] = {0};
        if (others)
            for (int step = 0; step < steps; step++, i += LANES)
                for (int j = 0; j < LANES; j++) {
                    float x = values[i + j] - others[i + j];
                    squares[j] += x * x;
                }
        else
            for (int step = 0; step < steps; step++, i += LANES)
                for (int j = 0; j < LANES; j++)
                    squares[j] += values[i + j] * values[i + j];
        for (int j = 0; j < LANES; j++)
            total += squares[j];
    }
    for (; i < size; i++) {
        float x = others ? values[i] - others[i] : values[i];
        total += (double)x * x;
    }
    return total;
}

static double add_squares_carefully(const float *values, const float *others, int64_t size)
{
    double total = 0;
    for (int64_t i = 0; i < size; i++) {
        double x = (double)values[i] - (others ? others[i] : 0);
        total += x * x;
    }
    return total;
}

typedef struct {
    const float *before, *now;
    int64_t size, piece;
    double parts[PIECES][2];
} Change;

static void measure_piece(void *data, int64_t index, int thread)
{
    Change *change = data;
    (void)thread;
    int64_t start = index * change->piece, end = change->size - start < change->piece ? change->size : start + change->piece;
    const float *before = change->before, *now = change->now;
    double *part = change->parts[index];
    part[0] = part[1] = 0;
    for (int64_t i = start; i < end; i += BLOCK) {
        int64_t length = end - i < BLOCK ? end - i : BLOCK;
        for (int which = 0; which < (now ? 2 : 1); which++) {
            const float *values = which ? now + i : before + i, *others = which ? before + i : 0;
            double total = add_squares(values, others, length);
            int is_exact = total >= SMALLEST_SQUARES && total <= LARGEST_SQUARES;
            part[which] += is_exact ? total : add_squares_carefully(values, others, length);
        }
    }
}

/* 2-norms: of what was there before, and, if there is anything now, of the difference. */
void measure_change(const float *before, const float *now, int64_t size, double *found, int threads)
{
    Change change = {.before = before, .now = now, .size = size};
    int64_t pieces = count_pieces(size, &change.piece);
    do_jobs(measure_piece, &change, pieces, threads);
    found[0] = found[1] = 0;
    for (int64_t i = 0; i < pieces; i++) {
        found[0] += change.parts[i][0];
        found[1] += change.parts[i][1];
    }
    found[0] = sqrt(found[0]);
    found[1] = sqrt(found[1]);
}
