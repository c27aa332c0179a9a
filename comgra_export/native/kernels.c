/* The numbers of float32 values in memory, in one pass over it. `kernels.py` calls these functions; what shapes mean is said there.
 *
 * Loops over lanes are written out, so that a compiler can make vectors of them without changing the order of a sum. A lane adds up at
 * most STEPS values in float32, and goes on in double. What float32 squares cannot hold, or would cancel, is added up again in double.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

/* Machine code for several generations of processors, of which the loader takes the fittest. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define FOR_EVERY_PROCESSOR __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define FOR_EVERY_PROCESSOR
#endif

enum {
    VERSION = 3,
    LANES = 16,    /* One line of the cache. */
    STEPS = 32,
    AHEAD = 1024,  /* How many values ahead memory is asked for: twice as fast as waiting for the processor to guess. */
    BLOCK = 4096,  /* What is still in the cache when some of its values are copied. */
    COLUMNS = 256,
    BITS_WITHIN_BIN = 21,  /* Of a histogram: a bin has the others in common. */
};

/* Between these, float32 squares and sums of thousands of them neither overflow nor vanish. */
static const double LARGEST = 1e15, SMALLEST_SQUARES = 1e-30, LARGEST_SQUARES = 1e30;
/* Where squares are more than this beside the squared deviations, their difference has lost digits. */
static const double CANCELLED = 4;

/* What is found of a row. `squares` becomes the sum of squared deviations from the mean. */
typedef struct {
    float smallest, largest;
    double sum, magnitudes, squares;
    int64_t zeros;
} Row;

int64_t kernels_version(void) { return VERSION; }

FOR_EVERY_PROCESSOR
static void add_block(Row *row, const float *restrict values, int64_t size)
{
    float smallest[LANES], largest[LANES];
    for (int j = 0; j < LANES; j++) {
        smallest[j] = row->smallest;
        largest[j] = row->largest;
    }
    int64_t i = 0;
    while (i + LANES <= size) {
        int64_t left = (size - i) / LANES;
        int steps = left < STEPS ? (int)left : STEPS;
        float sum[LANES] = {0}, magnitudes[LANES] = {0}, squares[LANES] = {0};
        int32_t zeros[LANES] = {0};
        for (int step = 0; step < steps; step++, i += LANES) {
#ifdef __GNUC__
            __builtin_prefetch(values + i + AHEAD);
#endif
            for (int j = 0; j < LANES; j++) {
                float x = values[i + j];
                smallest[j] = x < smallest[j] ? x : smallest[j];
                largest[j] = x > largest[j] ? x : largest[j];
                sum[j] += x;
                magnitudes[j] += fabsf(x);
                squares[j] += x * x;
                zeros[j] += x == 0;
            }
        }
        for (int j = 0; j < LANES; j++) {
            row->sum += sum[j];
            row->magnitudes += magnitudes[j];
            row->squares += squares[j];
            row->zeros += zeros[j];
        }
    }
    for (int j = 0; j < LANES; j++) {
        row->smallest = smallest[j] < row->smallest ? smallest[j] : row->smallest;
        row->largest = largest[j] > row->largest ? largest[j] : row->largest;
    }
    for (; i < size; i++) {
        float x = values[i];
        row->smallest = x < row->smallest ? x : row->smallest;
        row->largest = x > row->largest ? x : row->largest;
        row->sum += x;
        row->magnitudes += fabsf(x);
        row->squares += (double)x * x;
        row->zeros += x == 0;
    }
}

/* Adds up in double, in which the squares of any float32 are exact enough. */
static void add_up_carefully(Row *row, const float *values, int64_t size)
{
    row->sum = row->magnitudes = row->squares = 0;
    for (int64_t i = 0; i < size; i++) {
        row->sum += values[i];
        row->magnitudes += fabs((double)values[i]);
    }
    double mean = row->sum / (double)size;
    for (int64_t i = 0; i < size; i++) {
        double deviation = values[i] - mean;
        row->squares += deviation * deviation;
    }
}

/* Whether all values of the row are finite. Otherwise nothing else is known of it. */
static int finish_row(Row *row, const float *values, int64_t size)
{
    /* A NaN or an infinity makes one of what it is added to; a sum may also overflow. */
    if (!isfinite(row->magnitudes)) {
        add_up_carefully(row, values, size);
        return isfinite(row->magnitudes);
    }
    if (row->smallest == row->largest) {
        row->squares = 0;
    } else if (!(row->largest <= LARGEST && -row->smallest <= LARGEST) || row->squares < SMALLEST_SQUARES) {
        add_up_carefully(row, values, size);
    } else {
        double spread = row->squares - row->sum * row->sum / (double)size;
        if (spread * CANCELLED < row->squares)
            add_up_carefully(row, values, size);
        else
            row->squares = spread;
    }
    return 1;
}

static Row new_row(const float *values)
{
    Row row = {values[0], values[0], 0, 0, 0, 0};
    return row;
}

/* Returns how many values are zero, or -1 where one is not finite. */
int64_t look_at_rows(const float *values, int64_t rows, int64_t size, double *found, int64_t stride, float *taken)
{
    int64_t next = 0, zeros = 0;
    int is_finite = 1;
    for (int64_t r = 0; r < rows; r++) {
        const float *start = values + r * size;
        Row row = new_row(start);
        for (int64_t i = 0; i < size; i += BLOCK) {
            int64_t length = size - i < BLOCK ? size - i : BLOCK;
            if (is_finite)
                add_block(&row, start + i, length);
            if (taken)
                for (int64_t end = r * size + i + length; next < end; next += stride)
                    *taken++ = values[next];
        }
        is_finite = is_finite && finish_row(&row, start, size);
        found[r] = row.smallest;
        found[rows + r] = row.largest;
        found[2 * rows + r] = row.sum;
        found[3 * rows + r] = row.magnitudes;
        found[4 * rows + r] = row.squares;
        zeros += row.zeros;
    }
    return is_finite ? zeros : -1;
}

/* Mean, largest magnitude and standard deviation of `count` numbers. */
static void aggregate(const double *numbers, int64_t count, float *found)
{
    double sum = 0, squares = 0, largest = 0;
    for (int64_t i = 0; i < count; i++) {
        double magnitude = fabs(numbers[i]);
        sum += numbers[i];
        largest = magnitude > largest ? magnitude : largest;
    }
    double mean = sum / (double)count;
    for (int64_t i = 0; i < count; i++) {
        double deviation = numbers[i] - mean;
        squares += deviation * deviation;
    }
    found[0] = (float)mean;
    found[1] = (float)largest;
    found[2] = count > 1 ? (float)sqrt(squares / (double)(count - 1)) : 0;
}

/* As `aggregate`, of every column of a matrix of finite values. */
FOR_EVERY_PROCESSOR
void aggregate_columns(const float *restrict matrix, int64_t rows, int64_t columns, float *restrict found)
{
    for (int64_t start = 0; start < columns; start += COLUMNS) {
        int width = columns - start < COLUMNS ? (int)(columns - start) : COLUMNS;
        double mean[COLUMNS] = {0}, squares[COLUMNS] = {0};
        float largest[COLUMNS] = {0};
        for (int64_t r = 0; r < rows; r++) {
            const float *row = matrix + r * columns + start;
            for (int j = 0; j < width; j++) {
                float magnitude = fabsf(row[j]);
                mean[j] += row[j];
                largest[j] = magnitude > largest[j] ? magnitude : largest[j];
            }
        }
        for (int j = 0; j < width; j++)
            mean[j] /= (double)rows;
        for (int64_t r = 0; r < rows; r++) {
            const float *row = matrix + r * columns + start;
            for (int j = 0; j < width; j++) {
                double deviation = row[j] - mean[j];
                squares[j] += deviation * deviation;
            }
        }
        for (int j = 0; j < width; j++) {
            found[start + j] = (float)mean[j];
            found[columns + start + j] = largest[j];
            found[2 * columns + start + j] = rows > 1 ? (float)sqrt(squares[j] / (double)(rows - 1)) : 0;
        }
    }
}

/* Returns 0, or -1 where a value is not finite. */
int64_t summarize_side_by_side(const float *matrix, int64_t rows, int64_t tensors, const int64_t *sizes, double *items,
                               float *extrema, int64_t *zeros, float *over_batch)
{
    int64_t columns = 0;
    for (int64_t t = 0; t < tensors; t++)
        columns += sizes[t];
    for (int64_t t = 0, start = 0; t < tensors; start += sizes[t++]) {
        double *of_tensor = items + t * 4 * rows;
        zeros[t] = 0;
        for (int64_t r = 0; r < rows; r++) {
            const float *values = matrix + r * columns + start;
            double size = (double)sizes[t];
            Row row = new_row(values);
            add_block(&row, values, sizes[t]);
            if (!finish_row(&row, values, sizes[t]))
                return -1;
            of_tensor[r] = row.sum / size;
            of_tensor[rows + r] = row.magnitudes / size;
            of_tensor[2 * rows + r] = sizes[t] > 1 ? sqrt(row.squares / (size - 1)) : 0;
            of_tensor[3 * rows + r] = row.largest > -row.smallest ? row.largest : -row.smallest;
            extrema[2 * t] = r == 0 || row.smallest < extrema[2 * t] ? row.smallest : extrema[2 * t];
            extrema[2 * t + 1] = r == 0 || row.largest > extrema[2 * t + 1] ? row.largest : extrema[2 * t + 1];
            zeros[t] += row.zeros;
        }
        for (int item = 0; over_batch && item < 4; item++)
            aggregate(of_tensor + item * rows, rows, over_batch + (t * 4 + item) * 3);
    }
    return 0;
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

/* 2-norms: of what was there before, and, if there is anything now, of the difference. */
void measure_change(const float *before, const float *now, int64_t size, double *found)
{
    found[0] = found[1] = 0;
    for (int64_t i = 0; i < size; i += BLOCK) {
        int64_t length = size - i < BLOCK ? size - i : BLOCK;
        for (int which = 0; which < (now ? 2 : 1); which++) {
            const float *values = which ? now + i : before + i, *others = which ? before + i : 0;
            double total = add_squares(values, others, length);
            int is_exact = total >= SMALLEST_SQUARES && total <= LARGEST_SQUARES;
            found[which] += is_exact ? total : add_squares_carefully(values, others, length);
        }
    }
    found[0] = sqrt(found[0]);
    found[1] = sqrt(found[1]);
}

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
