/* Instruction sets: a file named *_isa.c is compiled once for each level of x86-64 and its functions carry
 * the level in their names; the program picks a level once, when it starts. The code is the same and
 * contraction is off, so the bytes are too.
 *
 *   v2  x86-64-v2 (SSE4.2)     v3  x86-64-v3 (AVX2)     v4  x86-64-v4 (AVX-512)      elsewhere v2 means:
 * plain C */
#ifndef TR_BASE_ISA_H
#define TR_BASE_ISA_H

#define TR_ISA_JOIN2(name, isa) name##_##isa
#define TR_ISA_JOIN(name, isa) TR_ISA_JOIN2(name, isa)
#ifdef TR_ISA /* only while a *_isa.c is compiled: v2, v3 or v4 */
#define TR_ISA_NAME(name) TR_ISA_JOIN(name, TR_ISA)
#endif

#if defined(__x86_64__)
#define TR_ISA_LEVELS 3
#define TR_ISA_DECLARE(result, name, arguments)                                                              \
    result name##_v2 arguments;                                                                              \
    result name##_v3 arguments;                                                                              \
    result name##_v4 arguments
#define TR_ISA_TABLE(name)                                                                                   \
    {                                                                                                        \
        name##_v2, name##_v3, name##_v4                                                                      \
    }
#else
#define TR_ISA_LEVELS 1
#define TR_ISA_DECLARE(result, name, arguments) result name##_v2 arguments
#define TR_ISA_TABLE(name)                                                                                   \
    {                                                                                                        \
        name##_v2                                                                                            \
    }
#endif

/* Index into TR_ISA_TABLE: the highest level that this processor has, or a lower one that the environment's
 * TERRAIN_ISA (v2, v3, v4) names, for tests. */
int tr_isa_pick(void);
const char *tr_isa_name(int level);

#endif
