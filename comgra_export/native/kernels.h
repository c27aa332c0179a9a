/* What the kernels have in common. `kernels.py` calls them, and says what the shapes mean.
 *
 * Loops over lanes are written out, so that a compiler can make vectors of them without changing the order of a sum. A lane adds up at
 * most STEPS values in float32, and goes on in double.
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
    LANES = 16,  /* One line of the cache. */
    STEPS = 32,
};
