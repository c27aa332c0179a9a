/* Statistics of a tensor on a CUDA device. Every value is read once. The recorder compiles this when it first meets the device, without
   any header: `native/cuda/compiling.py`. `native/cuda/kernels.py` describes the arguments. */

enum {
    THREADS = 256,
    FIELDS = 11, /* Numbers of a row. */
};

/* The values of 16 bytes, which are loaded together. */
template <typename T> struct alignas(16) Pack {
    enum { WIDTH = 16 / sizeof(T) };
    T values[WIDTH];
};

struct Half { unsigned short bits; };
struct Brain { unsigned short bits; };

/* The emulation of the tests has its own. */
#ifdef __CUDACC__
__device__ static float half_to_float(unsigned short bits)
{
    float value;
    asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));
    return value;
}
#endif

__device__ static float value_of(float value) { return value; }
__device__ static float value_of(Half value) { return half_to_float(value.bits); }
__device__ static float value_of(Brain value) { return __uint_as_float((unsigned)value.bits << 16); }

__device__ static bool is_finite(float value) { return (__float_as_uint(value) & 0x7f800000u) != 0x7f800000u; }

/* What is known of some values of a row. */
struct Sums {
    double total, magnitudes;
    double shifted, squares; /* Of the distances from the first value of the row, so that those of equal values are exactly 0. */
    float smallest, largest; /* Of finite values. */
    unsigned long long nan, plus_infinity, minus_infinity, zeros;
};

__device__ static Sums no_values()
{
    const float infinity = __uint_as_float(0x7f800000u);
    return Sums{0, 0, 0, 0, infinity, -infinity, 0, 0, 0, 0};
}

__device__ static void add(Sums &sums, float value, double first)
{
    const double wide = value, distance = wide - first;
    sums.total += wide;
    sums.magnitudes += fabs(wide);
    sums.shifted += distance;
    sums.squares += distance * distance;
    if (is_finite(value)) {
        sums.smallest = fminf(sums.smallest, value);
        sums.largest = fmaxf(sums.largest, value);
        sums.zeros += value == 0;
    } else {
        sums.nan += value != value;
        sums.plus_infinity += value > 0;
        sums.minus_infinity += value < 0;
    }
}

__device__ static void join(Sums &sums, const Sums &others)
{
    sums.total += others.total;
    sums.magnitudes += others.magnitudes;
    sums.shifted += others.shifted;
    sums.squares += others.squares;
    sums.smallest = fminf(sums.smallest, others.smallest);
    sums.largest = fmaxf(sums.largest, others.largest);
    sums.nan += others.nan;
    sums.plus_infinity += others.plus_infinity;
    sums.minus_infinity += others.minus_infinity;
    sums.zeros += others.zeros;
}

/* The sums of all threads of a block. */
__device__ static Sums join_threads(const Sums &own, Sums *room)
{
    const int thread = threadIdx.x;
    room[thread] = own;
    __syncthreads();
    for (int half = THREADS / 2; half; half /= 2) {
        if (thread < half)
            join(room[thread], room[thread + half]);
        __syncthreads();
    }
    return room[0];
}

__device__ static void write(volatile double *fields, const Sums &sums)
{
    fields[0] = sums.total;
    fields[1] = sums.magnitudes;
    fields[2] = sums.shifted;
    fields[3] = sums.squares;
    fields[4] = sums.smallest;
    fields[5] = sums.largest;
    fields[6] = (double)sums.nan;
    fields[7] = (double)sums.plus_infinity;
    fields[8] = (double)sums.minus_infinity;
    fields[9] = (double)sums.zeros;
}

/* They are read around the cache of the multiprocessor, because other blocks have written them. */
__device__ static Sums read(const volatile double *fields)
{
    return Sums{fields[0], fields[1], fields[2], fields[3], (float)fields[4], (float)fields[5], (unsigned long long)fields[6],
                (unsigned long long)fields[7], (unsigned long long)fields[8], (unsigned long long)fields[9]};
}

/* Whether this block is the last of those that share a result. Then what the others have written can be read. */
__device__ static bool is_last_block(unsigned *arrived, long long blocks)
{
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        __threadfence();
        is_last = atomicAdd(arrived, 1u) == (unsigned)(blocks - 1);
        if (is_last) {
            *arrived = 0; /* For the next kernel. */
            __threadfence();
        }
    }
    __syncthreads();
    return is_last;
}

struct Rows {
    const void *values;
    long long rows, size, parts;
    double *sums, *of_parts;
    unsigned *arrived;
    long long stride;
    void *sample;
};

/* `parts` blocks share a row. */
template <typename T> __device__ static void read_rows(const Rows &rows)
{
    __shared__ Sums room[THREADS];
    const long long row = blockIdx.x / rows.parts, part = blockIdx.x % rows.parts;
    const T *const values = (const T *)rows.values;
    const long long width = Pack<T>::WIDTH, packs_of_row = (rows.size + width - 1) / width;
    const long long share = (packs_of_row + rows.parts - 1) / rows.parts * width;
    const long long from = part * share < rows.size ? part * share : rows.size;
    const long long until = from + share < rows.size ? from + share : rows.size;
    const long long begin = row * rows.size + from, count = until - from;

    float first = value_of(values[row * rows.size]);
    if (!is_finite(first))
        first = 0;
    const long long misaligned = (long long)((unsigned long long)(values + begin) % 16 / sizeof(T));
    long long head = misaligned ? width - misaligned : 0;
    if (head > count)
        head = count;
    const Pack<T> *const packs = (const Pack<T> *)(values + begin + head);
    const long long whole = (count - head) / width;

    Sums own = no_values();
    for (long long i = threadIdx.x; i < head; i += THREADS)
        add(own, value_of(values[begin + i]), first);
    for (long long i = threadIdx.x; i < whole; i += THREADS) {
        const Pack<T> pack = packs[i];
#pragma unroll
        for (int j = 0; j < Pack<T>::WIDTH; j++)
            add(own, value_of(pack.values[j]), first);
    }
    for (long long i = head + whole * width + threadIdx.x; i < count; i += THREADS)
        add(own, value_of(values[begin + i]), first);
    if (rows.stride)
        for (long long i = (begin + rows.stride - 1) / rows.stride + threadIdx.x; i * rows.stride < begin + count; i += THREADS)
            ((T *)rows.sample)[i] = values[i * rows.stride];

    Sums sums = join_threads(own, room);
    if (rows.parts > 1) {
        double *const of_row = rows.of_parts + row * rows.parts * FIELDS;
        if (threadIdx.x == 0)
            write(of_row + part * FIELDS, sums);
        if (!is_last_block(rows.arrived + row, rows.parts))
            return;
        own = no_values();
        for (long long i = threadIdx.x; i < rows.parts; i += THREADS)
            join(own, read(of_row + i * FIELDS));
        sums = join_threads(own, room);
    }
    if (threadIdx.x == 0) {
        write(rows.sums + row * FIELDS, sums);
        rows.sums[row * FIELDS + FIELDS - 1] = (double)rows.size;
    }
}

struct Units {
    const void *values;
    long long outer, units, inner, chosen;
    long long together, lanes, parts; /* Units of a block, its threads along `inner`, and blocks that share their units. */
    float *result;
    double *totals_of_parts;
    unsigned *largest_of_parts, *arrived;
};

/* Of some values of a unit. The bits of magnitudes are ordered as they are, and those of NaN come after all others. */
struct Magnitudes {
    double total;
    unsigned largest;
};

__device__ static void join(Magnitudes &magnitudes, double total, unsigned largest)
{
    magnitudes.total += total;
    if (largest > magnitudes.largest)
        magnitudes.largest = largest;
}

/* Those of the threads of a block that have the same unit. Afterwards, the first `together` threads have those of all. */
__device__ static void join_threads(Magnitudes *room, const Magnitudes &own, int together)
{
    const int thread = threadIdx.x;
    room[thread] = own;
    __syncthreads();
    for (int half = THREADS / 2; half >= together; half /= 2) {
        if (thread < half)
            join(room[thread], room[thread + half].total, room[thread + half].largest);
        __syncthreads();
    }
}

template <typename T> __device__ static void measure_units(const Units &units)
{
    __shared__ Magnitudes room[THREADS];
    const int together = (int)units.together, thread = threadIdx.x, lane = thread / together;
    const long long tile = blockIdx.x / units.parts, part = blockIdx.x % units.parts;
    const long long unit = tile * together + thread % together;
    const bool is_unit = unit < units.chosen;
    const long long share = (units.outer + units.parts - 1) / units.parts;
    const long long until = (part + 1) * share < units.outer ? (part + 1) * share : units.outer;
    const long long lanes = units.lanes, along_outer = THREADS / together / lanes;

    Magnitudes own = {0, 0};
    if (is_unit) {
        const T *const values = (const T *)units.values + unit * units.units / units.chosen * units.inner;
        for (long long o = part * share + lane / lanes; o < until; o += along_outer)
#pragma unroll 4
            for (long long i = lane % lanes; i < units.inner; i += lanes) {
                const unsigned bits = __float_as_uint(value_of(values[o * units.units * units.inner + i])) & 0x7fffffffu;
                join(own, __uint_as_float(bits), bits);
            }
    }
    join_threads(room, own, together);
    if (units.parts > 1) {
        volatile double *const totals = units.totals_of_parts;
        volatile unsigned *const largest = units.largest_of_parts;
        if (thread < together && is_unit) {
            totals[part * units.chosen + unit] = room[thread].total;
            largest[part * units.chosen + unit] = room[thread].largest;
            __threadfence();
        }
        __syncthreads();
        if (!is_last_block(units.arrived + tile, units.parts))
            return;
        own = Magnitudes{0, 0};
        if (is_unit)
            for (long long i = lane; i < units.parts; i += THREADS / together)
                join(own, totals[i * units.chosen + unit], largest[i * units.chosen + unit]);
        join_threads(room, own, together);
    }
    if (thread < together && is_unit) {
        units.result[unit] = __uint_as_float(room[thread].largest);
        units.result[units.chosen + unit] = (float)(room[thread].total / (double)(units.outer * units.inner));
    }
}

#define FOR_TYPE(NAME, TYPE)                                                                                                   \
    extern "C" __global__ void __launch_bounds__(THREADS) read_rows_##NAME(const Rows rows) { read_rows<TYPE>(rows); }         \
    extern "C" __global__ void __launch_bounds__(THREADS) measure_units_##NAME(const Units units) { measure_units<TYPE>(units); }

FOR_TYPE(F32, float)
FOR_TYPE(F16, Half)
FOR_TYPE(BF16, Brain)
