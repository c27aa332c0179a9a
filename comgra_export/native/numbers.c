/* The numbers of float32 values in memory, in one pass over it. What float32 squares cannot hold, or would cancel, is added up again in
 * double.
 */
#include "kernels.h"
#include "parallel.h"
#include "pieces.h"

#include <stdatomic.h>

enum { COLUMNS = 256 };

/* Between these, float32 squares and sums of thousands of them neither overflow nor vanish. */
static const double LARGEST = 1e15, SMALLEST_SQUARES = 1e-30;
/* If squares are more than this beside the squared deviations, their difference has lost digits. */
static const double CANCELLED = 4;

/* The sums of a row. `squares` becomes the sum of squared deviations from the mean. */
typedef struct {
    float smallest, largest;
    double sum, magnitudes, squares;
    int64_t zeros;
} Row;

/* Of the files that the library was made of. */
int64_t kernels_fingerprint(void) { return FINGERPRINT; }

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

/* The rows to read. `copy` gets every n-th value, where n is `stride`. */
typedef struct {
    const float *values;
    int64_t rows, size;
    double *sums;
    int64_t stride;
    float *copy;
    int64_t rows_per_job, first_row, pieces, piece;
    Row parts[PIECES];
    atomic_int_fast64_t zeros;
    atomic_int is_finite;
} Rows;

static Row read_part(const Rows *all, int64_t start, int64_t length)
{
    Row row = new_row(all->values + start);
    int64_t next = (start + all->stride - 1) / all->stride;
    float *copy = all->copy ? all->copy + next : 0;
    next *= all->stride;
    for (int64_t i = start; i < start + length; i += BLOCK) {
        int64_t end = start + length - i < BLOCK ? start + length : i + BLOCK;
        add_block(&row, all->values + i, end - i);
        if (copy)
            for (; next < end; next += all->stride)
                *copy++ = all->values[next];
    }
    return row;
}

static void write_row(Rows *all, Row *row, int64_t index)
{
    if (!finish_row(row, all->values + index * all->size, all->size))
        atomic_store(&all->is_finite, 0);
    all->sums[index] = row->smallest;
    all->sums[all->rows + index] = row->largest;
    all->sums[2 * all->rows + index] = row->sum;
    all->sums[3 * all->rows + index] = row->magnitudes;
    all->sums[4 * all->rows + index] = row->squares;
    atomic_fetch_add(&all->zeros, row->zeros);
}

static void read_some_rows(void *data, int64_t index, int thread)
{
    Rows *all = data;
    (void)thread;
    int64_t end = (index + 1) * all->rows_per_job;
    for (int64_t r = index * all->rows_per_job; r < end && r < all->rows; r++) {
        Row row = read_part(all, r * all->size, all->size);
        write_row(all, &row, r);
    }
}

static void read_piece(void *data, int64_t index, int thread)
{
    Rows *all = data;
    (void)thread;
    int64_t start = index * all->piece, left = all->size - start;
    all->parts[index] = read_part(all, all->first_row * all->size + start, left < all->piece ? left : all->piece);
}

static void add_row(Row *row, const Row *other)
{
    row->smallest = other->smallest < row->smallest ? other->smallest : row->smallest;
    row->largest = other->largest > row->largest ? other->largest : row->largest;
    row->sum += other->sum;
    row->magnitudes += other->magnitudes;
    row->squares += other->squares;
    row->zeros += other->zeros;
}

/* Returns how many values are zero, or -1 if a value is not finite. */
int64_t read_rows(const float *values, int64_t rows, int64_t size, double *sums, int64_t stride, float *copy, int threads)
{
    Rows all = {.values = values, .rows = rows, .size = size, .sums = sums, .stride = stride, .copy = copy, .is_finite = 1};
    if (size <= PIECE) {
        all.rows_per_job = PIECE / size;
        do_jobs(read_some_rows, &all, (rows + all.rows_per_job - 1) / all.rows_per_job, threads);
    } else {
        all.pieces = count_pieces(size, &all.piece);
        for (; all.first_row < rows; all.first_row++) {
            do_jobs(read_piece, &all, all.pieces, threads);
            for (int64_t i = 1; i < all.pieces; i++)
                add_row(all.parts, all.parts + i);
            write_row(&all, all.parts, all.first_row);
        }
    }
    return atomic_load(&all.is_finite) ? atomic_load(&all.zeros) : -1;
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

/* As `aggregate`, of `width` columns of a matrix of finite values. */
FOR_EVERY_PROCESSOR
static void aggregate_some_columns(const float *restrict matrix, int64_t rows, int64_t columns, int width, float *restrict found)
{
    double mean[COLUMNS] = {0}, squares[COLUMNS] = {0};
    float largest[COLUMNS] = {0};
    for (int64_t r = 0; r < rows; r++) {
        const float *row = matrix + r * columns;
        for (int j = 0; j < width; j++) {
            float magnitude = fabsf(row[j]);
            mean[j] += row[j];
            largest[j] = magnitude > largest[j] ? magnitude : largest[j];
        }
    }
    for (int j = 0; j < width; j++)
        mean[j] /= (double)rows;
    for (int64_t r = 0; r < rows; r++) {
        const float *row = matrix + r * columns;
        for (int j = 0; j < width; j++) {
            double deviation = row[j] - mean[j];
            squares[j] += deviation * deviation;
        }
    }
    for (int j = 0; j < width; j++) {
        found[j] = (float)mean[j];
        found[columns + j] = largest[j];
        found[2 * columns + j] = rows > 1 ? (float)sqrt(squares[j] / (double)(rows - 1)) : 0;
    }
}

typedef struct {
    const float *matrix;
    int64_t rows, columns;
    float *found;
} Aggregation;

static void aggregate_job(void *data, int64_t index, int thread)
{
    Aggregation *all = data;
    (void)thread;
    int64_t start = index * COLUMNS, left = all->columns - start;
    aggregate_some_columns(all->matrix + start, all->rows, all->columns, left < COLUMNS ? (int)left : COLUMNS, all->found + start);
}

/* As `aggregate`, of every column of a matrix of finite values. */
void aggregate_columns(const float *matrix, int64_t rows, int64_t columns, float *found, int threads)
{
    Aggregation all = {matrix, rows, columns, found};
    do_jobs(aggregate_job, &all, (columns + COLUMNS - 1) / COLUMNS, rows * columns < 2 * PIECE ? 1 : threads);
}

/* Returns 0, or -1 if a value is not finite. */
int64_t summarize_column_groups(const float *matrix, int64_t rows, int64_t tensors, const int64_t *sizes, double *items,
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
