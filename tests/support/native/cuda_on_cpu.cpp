// Runs CUDA kernels on the CPU: the threads of a block take turns, from one barrier to the next. Blocks run one after the other.
#include <setjmp.h>
#include <ucontext.h>

#include <cmath>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/common_interface_defs.h>
#else
#define __sanitizer_start_switch_fiber(kept, stack, size)
#define __sanitizer_finish_switch_fiber(kept, stack, size)
#endif

#define __CUDA_EMULATED__
#define __device__
#define __global__
#define __shared__ static
#define __launch_bounds__(threads)
#define __syncthreads() wait_for_others()
#define __threadfence()

struct Position {
    unsigned x;
};
static Position threadIdx, blockIdx;

namespace {

const size_t STACK = 64 * 1024;

struct Thread {
    ucontext_t context;
    char *stack = (char *)std::malloc(STACK);
    // Where it waits. To switch there takes a fraction of what swapcontext takes, which calls the system.
    jmp_buf waiting;
    bool has_begun, is_over;
};

std::vector<Thread> all;
jmp_buf scheduler;
Thread *running;
void (*kernel)(const void *);
const void *argument_of_kernel;
// The stack of the scheduler, which only sanitizers have to know.
const void *stack_of_scheduler;
size_t size_of_stack;

void return_to_scheduler()
{
    __sanitizer_start_switch_fiber(nullptr, stack_of_scheduler, size_of_stack);
    _longjmp(scheduler, 1);
}

void wait_for_others()
{
    if (!_setjmp(running->waiting))
        return_to_scheduler();
    __sanitizer_finish_switch_fiber(nullptr, &stack_of_scheduler, &size_of_stack);
}

void run_thread()
{
    __sanitizer_finish_switch_fiber(nullptr, &stack_of_scheduler, &size_of_stack);
    kernel(argument_of_kernel);
    running->is_over = true;
    return_to_scheduler();
}

// Runs a thread to its next barrier.
void go_on(Thread &thread)
{
    running = &thread;
    if (_setjmp(scheduler)) {
        __sanitizer_finish_switch_fiber(nullptr, nullptr, nullptr);
        return;
    }
    __sanitizer_start_switch_fiber(nullptr, thread.stack, STACK);
    if (thread.has_begun)
        _longjmp(thread.waiting, 1);
    thread.has_begun = true;
    getcontext(&thread.context);
    thread.context.uc_stack.ss_sp = thread.stack;
    thread.context.uc_stack.ss_size = STACK;
    thread.context.uc_link = nullptr;
    makecontext(&thread.context, run_thread, 0);
    setcontext(&thread.context);
}

}  // namespace

static unsigned __float_as_uint(float value)
{
    unsigned bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

static float __uint_as_float(unsigned bits)
{
    float value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

static float half_to_float(unsigned short bits)
{
    const float sign = bits & 0x8000 ? -1.0f : 1.0f;
    const int exponent = bits >> 10 & 31, fraction = bits & 1023;
    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    return sign * (exponent ? std::ldexp(1024.0f + fraction, exponent - 25) : std::ldexp((float)fraction, -24));
}

static unsigned atomicAdd(unsigned *address, unsigned value)
{
    const unsigned before = *address;
    *address += value;
    return before;
}

static int atomicMin(int *address, int value)
{
    const int before = *address;
    if (value < before)
        *address = value;
    return before;
}

#include KERNELS

template <typename Structure, void (*function)(const Structure)> void call(const void *argument)
{
    function(*(const Structure *)argument);
}

// Returns whether the kernel is known.
extern "C" int launch(const char *name, unsigned blocks, unsigned threads, const void *argument)
{
    const struct {
        const char *name;
        void (*call)(const void *);
    } kernels[] = {
        {"read_rows_F32", call<Rows, read_rows_F32>},         {"read_rows_F16", call<Rows, read_rows_F16>},
        {"read_rows_BF16", call<Rows, read_rows_BF16>},       {"measure_units_F32", call<Units, measure_units_F32>},
        {"measure_units_F16", call<Units, measure_units_F16>}, {"measure_units_BF16", call<Units, measure_units_BF16>},
        {"largest_eigenvalues", call<Grams, largest_eigenvalues>},
    };
    kernel = nullptr;
    for (const auto &known : kernels)
        if (!std::strcmp(known.name, name))
            kernel = known.call;
    if (!kernel)
        return 0;
    argument_of_kernel = argument;
    while (all.size() < threads)
        all.emplace_back();
    for (unsigned block = 0; block < blocks; block++) {
        for (Thread &thread : all)
            thread.has_begun = thread.is_over = false;
        blockIdx.x = block;
        for (bool is_any_left = true; is_any_left;) {
            is_any_left = false;
            for (unsigned number = 0; number < threads; number++) {
                if (all[number].is_over)
                    continue;
                threadIdx.x = number;
                go_on(all[number]);
                is_any_left = is_any_left || !all[number].is_over;
            }
        }
    }
    return 1;
}
