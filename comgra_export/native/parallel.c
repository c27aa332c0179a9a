/* Jobs are done by the threads that torch computes with. They wait for work by turning in circles: other threads would have to share the
 * processors with them.
 */
#include "parallel.h"

#include <fenv.h>
#include <stdatomic.h>

/* `GOMP_parallel` of the OpenMP library that torch uses: calls a function on several threads, this one among them. */
typedef void (*Parallel)(void (*function)(void *), void *data, unsigned threads, unsigned flags);

static Parallel call_in_parallel;

typedef struct {
    Job job;
    void *data;
    int64_t count;
    atomic_int_fast64_t next;
    atomic_int threads;
    fenv_t environment;
} Jobs;

void use_threads(Parallel parallel) { call_in_parallel = parallel; }

static void take_jobs(Jobs *jobs)
{
    int64_t index = atomic_fetch_add(&jobs->next, 1);
    if (index >= jobs->count)
        return;
    int thread = atomic_fetch_add(&jobs->threads, 1);
    for (; index < jobs->count; index = atomic_fetch_add(&jobs->next, 1))
        jobs->job(jobs->data, index, thread);
}

/* A thread may take subnormal numbers for zeros, or round otherwise. Here it computes as the one that waits for it. */
static void help(void *data)
{
    Jobs *jobs = data;
    fenv_t own;
    fegetenv(&own);
    fesetenv(&jobs->environment);
    take_jobs(jobs);
    fesetenv(&own);
}

void do_jobs(Job job, void *data, int64_t count, int threads)
{
    Jobs jobs = {.job = job, .data = data, .count = count};
    if (call_in_parallel && threads > 1 && count > 1) {
        fegetenv(&jobs.environment);
        /* Also where there are fewer jobs: OpenMP ends threads that it is not asked for, and torch gets new ones later. */
        call_in_parallel(help, &jobs, (unsigned)threads, 0);
    } else {
        take_jobs(&jobs);
    }
}
