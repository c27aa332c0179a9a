/* Largest singular values by the Lanczos iteration for A^T A, which is never formed: A is read once per step, and mostly from the cache. */
#include "kernels.h"
#include "parallel.h"

enum {
    TOGETHER = 4,      /* Rows that share what is loaded of the vectors. */
    ROWS = 256,        /* Products of so many rows are added up in float32. */
    FIRST_CHECK = 3,
    FEW = 32,          /* Up to so many rows or columns, there is a step for each: then hardly an eigenvalue is missed. */
    MOST_STEPS = 160,  /* Whose eigenvalues crowd more than that at the top is left to others. */
};

/* The largest eigenvalue is at most so far from what is found, relatively: twice as far as a singular value. */
static const double TOLERANCE = 2e-5;
/* The start has at least this share of what chance gives it of the vector that is looked for. */
static const double LEAST_SHARE = 0.01;
/* So close are the bounds between which one of a tridiagonal matrix lies. */
static const double HALVED_TO = 1e-13;
/* Between these, no product of float32 that matters has overflowed or vanished. */
static const double SMALLEST_EIGENVALUE = 1e-24, LARGEST_EIGENVALUE = 1e30;

/* Products of TOGETHER rows with a vector. */
FOR_EVERY_PROCESSOR
static void multiply_rows(const float *restrict rows, int64_t size, const float *restrict vector, float *restrict products)
{
    const float *a = rows, *b = a + size, *c = b + size, *d = c + size;
    double total[TOGETHER] = {0};
    int64_t i = 0;
    while (i + LANES <= size) {
        int64_t left = (size - i) / LANES;
        int steps = left < STEPS ? (int)left : STEPS;
        float of_a[LANES] = {0}, of_b[LANES] = {0}, of_c[LANES] = {0}, of_d[LANES] = {0};
        for (int step = 0; step < steps; step++, i += LANES)
            for (int j = 0; j < LANES; j++) {
                of_a[j] += a[i + j] * vector[i + j];
                of_b[j] += b[i + j] * vector[i + j];
                of_c[j] += c[i + j] * vector[i + j];
                of_d[j] += d[i + j] * vector[i + j];
            }
        for (int half = LANES / 2; half; half /= 2)
            for (int j = 0; j < half; j++) {
                of_a[j] += of_a[j + half];
                of_b[j] += of_b[j + half];
                of_c[j] += of_c[j + half];
                of_d[j] += of_d[j + half];
            }
        total[0] += of_a[0];
        total[1] += of_b[0];
        total[2] += of_c[0];
        total[3] += of_d[0];
    }
    for (; i < size; i++) {
        total[0] += a[i] * vector[i];
        total[1] += b[i] * vector[i];
        total[2] += c[i] * vector[i];
        total[3] += d[i] * vector[i];
    }
    for (int row = 0; row < TOGETHER; row++)
        products[row] = (float)total[row];
}

FOR_EVERY_PROCESSOR
static void add_rows(const float *restrict rows, int64_t size, const float *restrict factors, float *restrict sums)
{
    const float *a = rows, *b = a + size, *c = b + size, *d = c + size;
    for (int64_t i = 0; i < size; i++)
        sums[i] += factors[0] * a[i] + factors[1] * b[i] + factors[2] * c[i] + factors[3] * d[i];
}

/* A^T A x. `sums` is room for as many values as x has. */
static void multiply(const float *matrix, int64_t rows, int64_t size, const float *x, float *sums, double *product)
{
    memset(product, 0, (size_t)size * sizeof *product);
    for (int64_t start = 0; start < rows; start += ROWS) {
        int64_t end = rows - start < ROWS ? rows : start + ROWS, row = start;
        memset(sums, 0, (size_t)size * sizeof *sums);
        for (; row + TOGETHER <= end; row += TOGETHER) {
            float factors[TOGETHER];
            multiply_rows(matrix + row * size, size, x, factors);
            add_rows(matrix + row * size, size, factors, sums);
        }
        for (; row < end; row++) {
            const float *values = matrix + row * size;
            double factor = 0;
            for (int64_t i = 0; i < size; i++)
                factor += values[i] * x[i];
            for (int64_t i = 0; i < size; i++)
                sums[i] += (float)factor * values[i];
        }
        for (int64_t i = 0; i < size; i++)
            product[i] += sums[i];
    }
}

/* Whether no eigenvalue of a symmetric tridiagonal matrix is above a number: whether what elimination leaves of its diagonal is negative. */
static int is_bound(const double *diagonal, const double *beside, int size, double number)
{
    double left = diagonal[0] - number;
    for (int i = 1; i < size && left < 0; i++)
        left = diagonal[i] - number - beside[i - 1] * beside[i - 1] / left;
    return left < 0;
}

/* The largest eigenvalue of such a matrix, which lies between `low` and `high`. */
static double largest_of_tridiagonal(const double *diagonal, const double *beside, int size, double low, double high)
{
    while (high - low > HALVED_TO * high) {
        double middle = low + (high - low) / 2;
        if (is_bound(diagonal, beside, size, middle))
            high = middle;
        else
            low = middle;
    }
    return high;
}

/* Magnitudes of the first and the last element of an eigenvalue's vector, computed from its largest one on to both ends: on the way through
 * that one, small ones would be lost.
 */
static void ends_of_vector(const double *diagonal, const double *beside, int size, double eigenvalue, double *first, double *last)
{
    double above[MOST_STEPS], below[MOST_STEPS], least = INFINITY, squares = 1, up = 1, down = 1;
    int middle = 0;
    for (int i = 0; i < size; i++)
        above[i] = diagonal[i] - eigenvalue - (i > 0 ? beside[i - 1] * beside[i - 1] / above[i - 1] : 0);
    for (int i = size - 1; i >= 0; i--) {
        below[i] = diagonal[i] - eigenvalue - (i < size - 1 ? beside[i] * beside[i] / below[i + 1] : 0);
        double left = fabs(above[i] + below[i] - (diagonal[i] - eigenvalue));
        if (left < least) {
            least = left;
            middle = i;
        }
    }
    for (int i = middle; i > 0; i--) {
        up *= beside[i - 1] / above[i - 1];
        squares += up * up;
    }
    for (int i = middle; i < size - 1; i++) {
        down *= beside[i] / below[i + 1];
        squares += down * down;
    }
    *first = fabs(up) / sqrt(squares);
    *last = fabs(down) / sqrt(squares);
}

/* How far the largest eigenvalue of A^T A is at most above that of the tridiagonal matrix.
 *
 * `residual` says only that some eigenvalue is as near. Let w be the largest one's share of the start. The vector found is p(A^T A) times
 * the start, where p is 1 / first at what is found, and grows from there on: what it has of the largest one's vector is at least w / first,
 * and the residual at least so much of the distance.
 */
static double distance_of(double residual, double first, int64_t size)
{
    double hidden = first * sqrt((double)size) / LEAST_SHARE;
    return residual * (hidden > 1 ? hidden : 1);
}

/* The largest eigenvalue of A^T A; NaN where it is not found. The vectors are room for as many values as A has columns. */
static double largest_eigenvalue(const float *matrix, int64_t rows, int64_t size, double *product, float *current, float *previous,
                                 float *sums)
{
    double diagonal[MOST_STEPS], beside[MOST_STEPS], squares = 0, before = 0, largest = 0, bound = 0;
    /* Always the same numbers, as by chance: a vector with a pattern may be at right angles to those of matrices that have one. None is
     * small: a matrix may have a vector with a single element.
     */
    uint32_t chance = 1;
    for (int64_t i = 0; i < size; i++) {
        chance = chance * 1664525 + 1013904223;
        double start = chance / 4294967296.0 - 0.5;
        product[i] = start + (start < 0 ? -0.5 : 0.5);
        squares += product[i] * product[i];
    }
    for (int64_t i = 0; i < size; i++) {
        current[i] = (float)(product[i] / sqrt(squares));
        previous[i] = 0;
    }
    int64_t shorter = rows < size ? rows : size;
    for (int step = 0, check = shorter <= FEW ? (int)shorter + 1 : FIRST_CHECK; step < MOST_STEPS; step++) {
        multiply(matrix, rows, size, current, sums, product);
        double along = 0, length = 0, first, last;
        for (int64_t i = 0; i < size; i++) {
            product[i] -= before * previous[i];
            along += product[i] * current[i];
        }
        for (int64_t i = 0; i < size; i++) {
            product[i] -= along * current[i];
            length += product[i] * product[i];
        }
        if (!isfinite(along) || !isfinite(length))
            return NAN;
        /* One more row and column move the largest eigenvalue up, but not above this. */
        bound = (bound > along ? bound : along) + before;
        diagonal[step] = along;
        beside[step] = before = length = sqrt(length);
        if (step + 1 == check || !(length > 0)) {
            bound = largest = largest_of_tridiagonal(diagonal, beside, step + 1, largest, bound);
            ends_of_vector(diagonal, beside, step + 1, largest, &first, &last);
            if (distance_of(length * last, first, size) <= TOLERANCE * largest)
                return largest > SMALLEST_EIGENVALUE && largest < LARGEST_EIGENVALUE ? largest : NAN;
            if (step + 1 == check)
                check += 1 + check / 16;
        }
        for (int64_t i = 0; i < size; i++) {
            previous[i] = current[i];
            current[i] = (float)(product[i] / length);
        }
    }
    return NAN;
}

typedef struct {
    const float *const *matrices;
    const int64_t *rows, *columns;
    double *room;
    int64_t room_per_thread;
    double *found;
} Matrices;

static void largest_singular_value(void *data, int64_t index, int thread)
{
    Matrices *all = data;
    int64_t size = all->columns[index];
    double *product = all->room + thread * all->room_per_thread;
    float *vectors = (float *)(product + size);
    all->found[index] = sqrt(
        largest_eigenvalue(all->matrices[index], all->rows[index], size, product, vectors, vectors + size, vectors + 2 * size));
}

void largest_singular_values(const float *const *matrices, const int64_t *rows, const int64_t *columns, int64_t count, double *room,
                             int64_t room_per_thread, double *found, int threads)
{
    Matrices all = {matrices, rows, columns, room, room_per_thread, found};
    do_jobs(largest_singular_value, &all, count, threads);
}
