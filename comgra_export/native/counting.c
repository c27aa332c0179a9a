/* Counting of values in the bins of histograms. */
#include "kernels.h"

enum { BITS_WITHIN_BIN = 21 };  /* Values of a bin have the others in common. */

static uint32_t bits_of(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float value_of(uint32_t bits)
{
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The first place from `start` on with a value that is not below `edge`, or `end`. It is mostly near. */
static int64_t first_not_below(const float *ascending, int64_t start, int64_t end, float edge)
{
    int64_t step = 1;
    while (start + step < end && ascending[start + step] < edge) {
        start += step;
        step *= 2;
    }
    end = start + step < end ? start + step : end;
    while (start < end) {
        int64_t middle = start + (end - start) / 2;
        if (ascending[middle] < edge)
            start = middle + 1;
        else
            end = middle;
    }
    return start;
}

/* How many values come before the first NaN. */
static int64_t count_numbers(const float *ascending, int64_t size)
{
    int64_t start = 0, end = size;
    while (start < end) {
        int64_t middle = start + (end - start) / 2;
        if (isnan(ascending[middle]))
            end = middle;
        else
            start = middle + 1;
    }
    return start;
}

void count_ascending(const float *ascending, int64_t size, int64_t *summary, int64_t *counts, const double *quantiles,
                     int64_t quantiles_wanted, float *found)
{
    int64_t numbers = count_numbers(ascending, size);
    int64_t negatives = first_not_below(ascending, 0, numbers, value_of(0xff7fffff));
    int64_t zeros = first_not_below(ascending, negatives, numbers, 0);
    int64_t positives = first_not_below(ascending, zeros, numbers, value_of(1));
    int64_t infinities = first_not_below(ascending, positives, numbers, INFINITY);
    memset(summary, 0, 8 * sizeof *summary);
    summary[2] = positives - zeros;
    summary[5] = negatives;
    summary[6] = numbers - infinities;
    summary[7] = size;
    if (negatives < zeros) {
        uint32_t first = bits_of(-ascending[zeros - 1]) >> BITS_WITHIN_BIN, last = bits_of(-ascending[negatives]) >> BITS_WITHIN_BIN;
        summary[0] = first + 1;
        summary[1] = last - first + 1;
        memset(counts, 0, (size_t)summary[1] * sizeof *counts);
        for (int64_t start = negatives; start < zeros;) {
            uint32_t bin = bits_of(-ascending[start]) >> BITS_WITHIN_BIN;
            /* What follows is of a smaller magnitude than all of this bin. */
            int64_t end = bin ? first_not_below(ascending, start, zeros, -value_of((bin << BITS_WITHIN_BIN) - 1)) : zeros;
            counts[bin - first] = end - start;
            start = end;
        }
        counts += summary[1];
    }
    if (positives < infinities) {
        uint32_t first = bits_of(ascending[positives]) >> BITS_WITHIN_BIN, last = bits_of(ascending[infinities - 1]) >> BITS_WITHIN_BIN;
        summary[3] = first + 1;
        summary[4] = last - first + 1;
        memset(counts, 0, (size_t)summary[4] * sizeof *counts);
        for (int64_t start = positives; start < infinities;) {
            uint32_t bin = bits_of(ascending[start]) >> BITS_WITHIN_BIN;
            int64_t end = first_not_below(ascending, start, infinities, value_of((bin + 1) << BITS_WITHIN_BIN));
            counts[bin - first] = end - start;
            start = end;
        }
    }
    for (int64_t i = 0; i < quantiles_wanted; i++)
        found[i] = numbers ? ascending[(int64_t)(quantiles[i] * (double)(numbers - 1))] : NAN;
}
