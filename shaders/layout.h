/* How heights and samples lie in the device's memory, where everything is a 4-byte word.
 *
 * Two samples of 16 bits make a word, the lower x in the lower half, as a little-endian array of int16 lies
 * in memory: so arrays are copied as they are, and kernels need no 16-bit storage. */
#ifndef TR_SHADERS_LAYOUT_H
#define TR_SHADERS_LAYOUT_H
#include "cell.h"

#define TR_COLUMNS 4096       /* of a chunk: a layer of heights is so many words, [z][x] */
#define TR_BLOCK_WORDS 131072 /* of a block's samples: TR_BLOCK_SAMPLES / 2 */

TR_FN int tr_sample_low(uint word)
{
    return tr_to_int(word << 16) >> 16;
}
TR_FN int tr_sample_high(uint word)
{
    return tr_to_int(word) >> 16;
}
TR_FN uint tr_sample_pair(int low, int high)
{
    return (tr_to_uint(low) & 0xffffu) | (tr_to_uint(high) << 16);
}

#endif
