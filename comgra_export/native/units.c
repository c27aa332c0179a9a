/* Statistics of single units: one dimension of a tensor, over all others. */
#include "kernels.h"
#include "parallel.h"
#include "pieces.h"

enum { UNITS = 256 };

/* A tensor `[outer, units, inner]`, of whose units some are measured: unit `i * units / count` for each `i`. */
typedef struct {
    const float *values;
    int64_t outer, units, inner, count;
    float *found;
} Measurement;

static void write_unit(const Measurement *all, int64_t index, float largest, double sum)
{
    all->found[index] = isnan(sum) ? NAN : largest;
    all->found[all->count + index] = (float)(sum / (double)(all->outer * all->inner));
}

/* Units that lie beside each other. */
FOR_EVERY_PROCESSOR
static void measure_columns(const Measurement *all, int64_t start, int width)
{
    double sums[UNITS] = {0};
    float largest[UNITS] = {0};
    const float *values = all->values + start;
    for (int64_t r = 0; r < all->outer;) {
        float sum[UNITS] = {0};
        int64_t end = all->outer - r < STEPS ? all->outer : r + STEPS;
        for (; r < end; r++) {
            const float *row = values + r * all->units;
            for (int j = 0; j < width; j++) {
                float magnitude = fabsf(row[j]);
                sum[j] += magnitude;
                largest[j] = magnitude > largest[j] ? magnitude : largest[j];
            }
        }
        for (int j = 0; j < width; j++)
            sums[j] += sum[j];
    }
    for (int j = 0; j < width; j++)
        write_unit(all, start + j, largest[j], sums[j]);
}

/* A unit whose values lie beside each other, or one of few. */
FOR_EVERY_PROCESSOR
static void measure_unit(const Measurement *all, int64_t index)
{
    double sums[LANES] = {0}, rest = 0;
    float largest[LANES] = {0}, largest_of_all = 0;
    const float *values = all->values + index * all->units / all->count * all->inner;
    for (int64_t r = 0; r < all->outer; r++, values += all->units * all->inner) {
        int64_t i = 0;
        while (i + LANES <= all->inner) {
            int64_t left = (all->inner - i) / LANES;
            int steps = left < STEPS ? (int)left : STEPS;
            float sum[LANES] = {0};
            for (int step = 0; step < steps; step++, i += LANES) {
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC unroll 1 /* Once GCC has written out so short a loop, it makes no vectors of it. */
#endif
                for (int j = 0; j < LANES; j++) {
                    float magnitude = fabsf(values[i + j]);
                    sum[j] += magnitude;
                    largest[j] = magnitude > largest[j] ? magnitude : largest[j];
                }
            }
            for (int j = 0; j < LANES; j++)
                sums[j] += sum[j];
        }
        for (; i < all->inner; i++) {
            float magnitude = fabsf(values[i]);
            rest += magnitude;
            largest_of_all = magnitude > largest_of_all ? magnitude : largest_of_all;
        }
    }
    for (int j = 0; j < LANES; j++) {
        rest += sums[j];
        largest_of_all = largest[j] > largest_of_all ? largest[j] : largest_of_all;
    }
    write_unit(all, index, largest_of_all, rest);
}

static void measure_some_columns(void *data, int64_t index, int thread)
{
    const Measurement *all = data;
    (void)thread;
    int64_t start = index * UNITS, left = all->units - start;
    measure_columns(all, start, left < UNITS ? (int)left : UNITS);
}

static void measure_one_unit(void *data, int64_t index, int thread)
{
    (void)thread;
    measure_unit(data, index);
}

/* The largest magnitude of each measured unit, then the mean magnitude of each. */
void measure_units(const float *values, int64_t outer, int64_t units, int64_t inner, int64_t count, float *found, int threads)
{
    Measurement all = {values, outer, units, inner, count, found};
    if (outer * units * inner < 2 * PIECE)
        threads = 1;
    if (inner == 1 && count == units)
        do_jobs(measure_some_columns, &all, (units + UNITS - 1) / UNITS, threads);
    else
        do_jobs(measure_one_unit, &all, count, threads);
}
