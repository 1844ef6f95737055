/* Words of slots: numbers in an array that slots and code index. */
#ifndef TR_SHADERS_WORDS_H
#define TR_SHADERS_WORDS_H
#include "exact.h"

TR_FN PF tr_word_float(TR_WORDS_PARAM uint at)
{
    PF v = tr_from_bits(tr_words[at]);
    return v;
}

/* Row i of a rotation, three words each, times p. */
TR_FN PF tr_words_row(TR_WORDS_PARAM uint at, float px, float py, float pz)
{
    PF g = tr_word_float(TR_WORDS_ARG at) * px + tr_word_float(TR_WORDS_ARG at + 1u) * py +
           tr_word_float(TR_WORDS_ARG at + 2u) * pz;
    return g;
}

#endif
