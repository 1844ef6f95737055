/* Grey images in the words of a slot: stamps and height maps.
 *
 * Words: the place in the image, in pixels from the first one here: u = a . p + a0, v = b . p + b0 (a, a0, b, b0: 8); least u and v, greatest u and
 * v where the image has pixels (4); width and height of the pixels here (2, integers); pixels, 16 bits each, two a word, the left one in the
 * lower half, rows without gaps. Between pixels bilinear; beyond the image its rim. */
#ifndef TR_SHADERS_IMAGE_H
#define TR_SHADERS_IMAGE_H
#include "words.h"

#define TR_IMAGE_PIXELS 14u /* where they begin */

TR_FN PF tr_image_pixel(TR_WORDS_PARAM uint first, uint index)
{
    uint pair = tr_words[first + index / 2u];
    uint value = (index & 1u) != 0u ? pair >> 16 : pair & 0xffffu;
    PF v = tr_to_float(tr_to_int(value));
    return v;
}

/* The image at a point, black 0 and white 1. */
TR_FN PF tr_words_image(TR_WORDS_PARAM uint at, float px, float py, float pz)
{
    PF u = tr_words_row(TR_WORDS_ARG at, px, py, pz);
    PF v = tr_words_row(TR_WORDS_ARG at + 4u, px, py, pz);
    u = u + tr_word_float(TR_WORDS_ARG at + 3u);
    v = v + tr_word_float(TR_WORDS_ARG at + 7u);
    u = tr_clamp(u, tr_word_float(TR_WORDS_ARG at + 8u), tr_word_float(TR_WORDS_ARG at + 10u));
    v = tr_clamp(v, tr_word_float(TR_WORDS_ARG at + 9u), tr_word_float(TR_WORDS_ARG at + 11u));
    int width = tr_to_int(tr_words[at + 12u]);
    int height = tr_to_int(tr_words[at + 13u]);
    PF fu = tr_floor(u);
    PF fv = tr_floor(v);
    int iu = tr_iclamp(tr_to_int(fu), 0, width - 1);
    int iv = tr_iclamp(tr_to_int(fv), 0, height - 1);
    int ju = tr_imin(iu + 1, width - 1);
    int jv = tr_imin(iv + 1, height - 1);
    PF wu = u - fu;
    PF wv = v - fv;
    uint first = at + TR_IMAGE_PIXELS;
    PF p00 = tr_image_pixel(TR_WORDS_ARG first, tr_to_uint(iv * width + iu));
    PF p10 = tr_image_pixel(TR_WORDS_ARG first, tr_to_uint(iv * width + ju));
    PF p01 = tr_image_pixel(TR_WORDS_ARG first, tr_to_uint(jv * width + iu));
    PF p11 = tr_image_pixel(TR_WORDS_ARG first, tr_to_uint(jv * width + ju));
    PF low = p00 + wu * (p10 - p00);
    PF high = p01 + wu * (p11 - p01);
    PF g = low + wv * (high - low);
    g = g * 1.5259022e-5f;
    return g;
}

#endif
