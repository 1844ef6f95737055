/* Finding the tile and the row that an item of the output belongs to, for the kernels that declare `items` and `rows`. Both lists are
 * sums of what lies before, so the place of n is the last entry that is not above it. */
#ifndef TR_SHADERS_MC_FIND_GLSL
#define TR_SHADERS_MC_FIND_GLSL

#define BISECT(found, count, entry, n)                                                                                  \
    uint found = 0u;                                                                                                    \
    for (uint end = (count); end - found > 1u;) {                                                                       \
        uint middle = (found + end) / 2u;                                                                               \
        if (entry(middle) <= (n))                                                                                       \
            found = middle;                                                                                             \
        else                                                                                                            \
            end = middle;                                                                                               \
    }

#endif
