/* What long rows are taken apart into. */
#include <stdint.h>

enum {
    AHEAD = 1024,  /* How many values ahead memory is asked for: twice as fast as waiting for the processor to guess. */
    BLOCK = 4096,  /* What is still in the cache when some of its values are copied. */
    PIECE = 65536, /* What is worth the way to another thread. A longer row is taken apart, always at the same places. */
    PIECES = 64,   /* Into no more than this. */
};

/* Into how many pieces something is taken apart, and how long they are. */
static inline int64_t count_pieces(int64_t size, int64_t *piece)
{
    int64_t blocks = (size + BLOCK - 1) / BLOCK, together = (blocks + PIECES - 1) / PIECES;
    *piece = together * BLOCK < PIECE ? PIECE : together * BLOCK;
    return (size + *piece - 1) / *piece;
}
