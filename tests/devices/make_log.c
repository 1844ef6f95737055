/* Prints an edit log for the tests across devices, over borders and corners of chunks.
 *
 *   make_log SEED COUNT WIDTH DEPTH [VOXEL] [all]     the world is WIDTH x DEPTH metres, VOXEL (default 1) metres
 * a voxel. Raise, lower and smooth, and union and subtract of spheres and capsules, with every falloff; with `all` every
 * operation, shape, modifier and blend there is, and strokes (every_edit.h).
 *
 * Numbers are multiples of 1/16, so that printing them is exact; the same arguments print the same bytes
 * everywhere. */
#include "tests/support/every_edit.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define next tr_log_next
#define number tr_log_number
#define falloffs tr_log_falloffs

static void height_brush(int kind, double width, double depth, double voxel)
{
    static const char *const ops[] = {"raise", "lower", "smooth"};
    const char *falloff = falloffs[next() % 9];
    double radius = number(1, 40) * voxel, x = number(-20, width + 20), z = number(-20, depth + 20);
    double strength = kind == 2 ? number(0.125, 1) : number(0.5, 12) * voxel;
    x = x < 0 ? 0 : (x > width ? width : x);
    z = z < 0 ? 0 : (z > depth ? depth : z);
    printf(
        "\"op\": \"%s\", \"at\": [%.10g, %.10g], \"radius\": %.10g, \"strength\": %.10g, \"falloff\": \"%s\"",
        ops[kind], x, z, radius, strength, falloff);
    if (falloff[0] == 's' && falloff[1] == 'h')
        printf(", \"power\": %" PRIu32, 2 + next() % 15);
}

static void volume_edit(int subtract, double width, double depth, double voxel)
{
    /* one statement a number: C does not say in which order arguments are evaluated */
    double radius = number(1, 20) * voxel;
    double x = number(0, width);
    double y = number(-30, 60) * voxel;
    double z = number(0, depth);
    printf("\"op\": \"%s\", \"shape\": ", subtract ? "subtract" : "union");
    if (next() % 2) {
        printf("{\"type\": \"sphere\", \"center\": [%.10g, %.10g, %.10g], \"radius\": %.10g}", x, y, z,
               radius);
    } else {
        double to_x = x + number(-60, 60) * voxel;
        double to_y = y + number(-20, 20) * voxel;
        double to_z = z + number(-60, 60) * voxel;
        printf("{\"type\": \"capsule\", \"from\": [%.10g, %.10g, %.10g], \"to\": [%.10g, %.10g, %.10g], "
               "\"radius\": %.10g}",
               x, y, z, to_x, to_y, to_z, radius / 2);
    }
    if (next() % 2)
        printf(", \"blend\": {\"type\": \"smooth\", \"width\": %.10g}", number(0.5, 16) * voxel);
}

int main(int argc, char **argv)
{
    if (argc < 5) {
        fprintf(stderr, "usage: make_log SEED COUNT WIDTH DEPTH [VOXEL] [all]\n");
        return 2;
    }
    tr_log_state = strtoull(argv[1], NULL, 10) * 2654435761u + 1;
    long count = strtol(argv[2], NULL, 10);
    double width = strtod(argv[3], NULL), depth = strtod(argv[4], NULL),
           voxel = argc > 5 ? strtod(argv[5], NULL) : 1;
    int all = argc > 6 && strcmp(argv[6], "all") == 0;
    printf("{\"format\": \"terrain-edits\", \"version\": 1, \"edits\": [\n");
    for (long i = 0; i < count; i++) {
        uint32_t kind = next() % 10; /* smooths are rarer: each makes the chunks around it wait */
        printf("{\"id\": \"e%ld\", ", i + 1);
        if (all)
            tr_log_every_edit(i, width, depth, voxel);
        else if (kind < 5)
            height_brush(kind == 4 ? 2 : (int)(kind % 2), width, depth, voxel);
        else
            volume_edit(kind % 2 == 0, width, depth, voxel);
        printf("}%s\n", i + 1 < count ? "," : "");
    }
    printf("]}\n");
    return 0;
}
