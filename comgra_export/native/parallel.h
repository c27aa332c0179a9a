/* Work for several threads: jobs, which are taken one after the other by whoever has time. */
#include <stdint.h>

typedef void (*Job)(void *data, int64_t index, int thread);

/* Does jobs 0 to count - 1, on at most so many threads, this one among them. Those that have a job are told their numbers, from 0 on. */
void do_jobs(Job job, void *data, int64_t count, int threads);
