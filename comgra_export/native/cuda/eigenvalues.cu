/* The largest eigenvalues of symmetric matrices without negative eigenvalues, by the Lanczos iteration: one block for each matrix. */

enum {
    ITERATING = 1024,   /* Threads of a block. */
    LARGEST_SIZE = 2048,
    COLUMNS = LARGEST_SIZE / ITERATING, /* Of a thread. */
    MOST_STEPS = 192,
    SEARCHES = 5, /* Each divides the interval in which the eigenvalue lies by more than a thousand. */
};

struct Grams {
    const float *matrices; /* [T, n, n] */
    long long size, steps;
    double *largest; /* [T] */
};

__device__ static double sum_of_threads(double own, double *room)
{
    const int thread = threadIdx.x;
    __syncthreads(); /* What the last sum has left may still be read. */
    room[thread] = own;
    __syncthreads();
    for (int half = ITERATING / 2; half; half /= 2) {
        if (thread < half)
            room[thread] += room[thread + half];
        __syncthreads();
    }
    return room[0];
}

/* Whether all eigenvalues of the tridiagonal matrix are below a number: then so are all pivots of the matrix minus that number. */
__device__ static bool are_below(double bound, const double *diagonal, const double *beside, int steps)
{
    double pivot = diagonal[0] - bound;
    for (int i = 1; pivot < 0 && i < steps; i++)
        pivot = diagonal[i] - bound - beside[i - 1] * beside[i - 1] / pivot;
    return pivot < 0;
}

extern "C" __global__ void __launch_bounds__(ITERATING) largest_eigenvalues(const Grams grams)
{
    __shared__ float current[LARGEST_SIZE];
    __shared__ double room[ITERATING];
    __shared__ double diagonal[MOST_STEPS], beside[MOST_STEPS];
    __shared__ int first_above;
    const int thread = threadIdx.x, size = (int)grams.size, steps = (int)grams.steps;
    const float *const matrix = grams.matrices + (long long)blockIdx.x * size * size;
    float previous[COLUMNS], mine[COLUMNS], product[COLUMNS];

    /* A fixed vector that is not likely to be orthogonal to the eigenvector, as a constant vector may be. */
    double squares = 0;
    for (int c = 0; c < COLUMNS; c++) {
        const int column = thread + c * ITERATING;
        const double multiple = (column + 1) * 0.7548776662466927;
        mine[c] = column < size ? (float)(multiple - floor(multiple) - 0.4) : 0;
        previous[c] = 0;
        squares += (double)mine[c] * mine[c];
    }
    double length = sqrt(sum_of_threads(squares, room));
    for (int c = 0; c < COLUMNS; c++)
        mine[c] = (float)(mine[c] / length);

    double last_length = 0;
    for (int step = 0; step < steps; step++) {
        for (int c = 0; c < COLUMNS; c++)
            if (thread + c * ITERATING < size)
                current[thread + c * ITERATING] = mine[c];
        __syncthreads();
        double along = 0;
        for (int c = 0; c < COLUMNS; c++) {
            const int column = thread + c * ITERATING;
            product[c] = 0;
            if (column < size) {
                /* The matrix is symmetric, so a column is a row, and neighbours read neighbours. */
                float total = 0;
#pragma unroll 8
                for (int row = 0; row < size; row++)
                    total += matrix[(long long)row * size + column] * current[row];
                product[c] = total - (float)last_length * previous[c];
                along += (double)product[c] * mine[c];
            }
        }
        along = sum_of_threads(along, room);
        squares = 0;
        for (int c = 0; c < COLUMNS; c++) {
            product[c] -= (float)along * mine[c];
            squares += (double)product[c] * product[c];
        }
        length = sqrt(sum_of_threads(squares, room));
        if (thread == 0) {
            diagonal[step] = along;
            beside[step] = length;
        }
        /* If nothing is left, the space is exhausted. The next vector is zero, and adds only zeros. */
        for (int c = 0; c < COLUMNS; c++) {
            previous[c] = mine[c];
            mine[c] = length > 1e-37 ? (float)(product[c] / length) : 0;
        }
        last_length = length;
    }
    __syncthreads();

    double low = diagonal[0], high = diagonal[0];
    for (int i = 0; i < steps; i++) {
        const double reach = (i ? beside[i - 1] : 0) + (i + 1 < steps ? beside[i] : 0);
        low = fmax(low, diagonal[i]);
        high = fmax(high, diagonal[i] + reach);
    }
    /* The last bound is above the eigenvalue, also where it equals the others. */
    high += fabs(high) * 1e-15;
    for (int search = 0; search < SEARCHES; search++) {
        const double distance = (high - low) / ITERATING;
        __syncthreads();
        if (thread == 0)
            first_above = ITERATING - 1;
        __syncthreads();
        if (are_below(low + distance * (thread + 1), diagonal, beside, steps))
            atomicMin(&first_above, thread);
        __syncthreads();
        high = low + distance * (first_above + 1);
        low += distance * first_above;
    }
    if (thread == 0)
        grams.largest[blockIdx.x] = low;
}
