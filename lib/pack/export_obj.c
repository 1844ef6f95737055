/* OBJ: Wavefront's text, `v x y z`, `vn x y z`, `f a//a b//b c//c`, indices from 1. Every number is the shortest that reads back as the
 * same float. */
#include "lib/pack/export_parts.h"

#include "lib/base/json.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define SHORT_MIN 1e-7f /* sizes whose digits tr_float_text finds by arithmetic that is exact enough */
#define SHORT_MAX 1e9f
#define DIGITS_LEAST 6 /* a float of fewer digits has zeros at the end of these */
#define DIGITS_MOST 9

static const double powers_of_ten[] = {1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                       1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};

/* Whether digits / 10^decimals reads back as `value`. The quotient in double is within 2^-53 of the decimal; what lies that close on
 * either side must round to the same float too. */
static bool reads_back(double digits, int decimals, float value)
{
    double quotient = digits / powers_of_ten[decimals];

    return (float)(quotient * (1 - 0x1p-51)) == value && (float)(quotient * (1 + 0x1p-51)) == value;
}

/* The fewest digits, from 6 to 9, that read back as `value` in [SHORT_MIN, SHORT_MAX): *digits / 10^*decimals. */
static bool find_digits(float value, uint64_t *digits, int *decimals)
{
    int integer_digits = 1; /* digits before the point; 0 and less count zeros behind it */

    while (integer_digits < 9 && value >= (float)powers_of_ten[integer_digits])
        integer_digits++;
    while (integer_digits <= 1 && integer_digits > -6 &&
           (double)value * powers_of_ten[1 - integer_digits] < 1)
        integer_digits--;
    for (int count = DIGITS_LEAST; count <= DIGITS_MOST; count++) {
        *decimals = count > integer_digits ? count - integer_digits : 0;
        *digits = (uint64_t)((double)value * powers_of_ten[*decimals] + 0.5);
        if (reads_back((double)*digits, *decimals, value))
            return true;
    }
    return false;
}

int tr_float_text(float value, char text[TR_FLOAT_TEXT_BYTES])
{
    const char *sign = value < 0 ? "-" : "";
    uint64_t digits, power;
    int decimals;

    value = value < 0 ? -value : value;
    if (value == 0)
        return snprintf(text, TR_FLOAT_TEXT_BYTES, "0");
    if (value < SHORT_MIN || value >= SHORT_MAX || !find_digits(value, &digits, &decimals))
        return tr_number_text(*sign ? -(double)value : (double)value, text);
    for (; decimals > 0 && digits % 10 == 0; decimals--)
        digits /= 10;
    if (decimals == 0)
        return snprintf(text, TR_FLOAT_TEXT_BYTES, "%s%" PRIu64, sign, digits);
    power = (uint64_t)powers_of_ten[decimals];
    return snprintf(text, TR_FLOAT_TEXT_BYTES, "%s%" PRIu64 ".%0*" PRIu64, sign, digits / power, decimals,
                    digits % power);
}

static void write_vector(struct tr_writer *out, const char *keyword, const float xyz[3])
{
    tr_write_bytes(out, keyword, strlen(keyword));
    for (int axis = 0; axis < 3; axis++) {
        char text[TR_FLOAT_TEXT_BYTES];
        int length = tr_float_text(xyz[axis], text);

        tr_write_u8(out, ' ');
        tr_write_bytes(out, text, (size_t)length);
    }
    tr_write_u8(out, '\n');
}

enum tr_status tr_export_obj(const struct tr_surface *surface, double voxel_size, struct tr_sink *sink,
                             struct tr_error *error)
{
    enum tr_status status = TR_OK;

    tr_write_text(&sink->batch, "# terrain: metres, y up\n");
    for (size_t i = 0; i < surface->vertex_count && status == TR_OK; i++) {
        float position[3], normal[3];

        for (int axis = 0; axis < 3; axis++)
            position[axis] = tr_export_metres(surface->xyz[i][axis], voxel_size);
        tr_export_normal(surface->normals[i], normal);
        write_vector(&sink->batch, "v", position);
        write_vector(&sink->batch, "vn", normal);
        status = tr_sink_pump(sink, error);
    }
    for (size_t k = 0; k + 3 <= surface->index_count && status == TR_OK; k += 3) {
        const uint32_t *corner = &surface->indices[k];

        tr_write_text(&sink->batch, "f %u//%u %u//%u %u//%u\n", corner[0] + 1, corner[0] + 1, corner[1] + 1,
                      corner[1] + 1, corner[2] + 1, corner[2] + 1);
        status = tr_sink_pump(sink, error);
    }
    return status;
}
