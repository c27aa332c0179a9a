/* Jobs are done by the threads that torch computes with. They wait for work by turning in circles: other threads would have to share the
 * processors with them.
 */
#include "parallel.h"

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
} Jobs;

void use_threads(Parallel parallel) { call_in_parallel = parallel; }

static void take_jobs(void *data)
{
    Jobs *jobs = data;
    int thread = atomic_fetch_add(&jobs->threads, 1);
    for (int64_t index; (index = atomic_fetch_add(&jobs->next, 1)) < jobs->count;)
        jobs->job(jobs->data, index, thread);
}

void do_jobs(Job job, void *data, int64_t count, int threads)
{
    Jobs jobs = {job, data, count, 0, 0};
    if (call_in_parallel && threads > 1 && count > 1)
        call_in_parallel(take_jobs, &jobs, (unsigned)threads, 0);
    else
        take_jobs(&jobs);
}
