/* The rules of a scattering: layers of instances, each with the ground that it wants, read from JSON.
 *
 *   {"format": "terrain-scatter", "version": 1, "seed": 1, "layers": [
 *     {"id": "oaks", "model": {"oak": 3, "birch": 1}, "cell": 6, "density": 0.7, "slope": {"max": 30, "ramp": 10}}]}
 *
 * samples/scatter.schema.json has every field with its meaning. Lengths are metres, slopes degrees from level ground,
 * fractions 0 to 1; all become integers once, here, and nothing behind this reader uses another number. Fields that are
 * not known are refused by name; those that begin with x- are passed over.
 *
 * A layer's draws depend on the seed and on its id, not on its place in the list; its place decides who gives way: a
 * layer keeps its distance from layers before it, and from itself. */
#ifndef TR_RUN_SCATTER_RULES_H
#define TR_RUN_SCATTER_RULES_H

#include "lib/edit/edit.h"
#include "lib/mesh/splat.h"

#define TR_SCATTER_LAYERS_MAX 64
#define TR_SCATTER_MODELS_MAX 64
#define TR_SCATTER_ONE 65536          /* the fraction 1 */
#define TR_SCATTER_CELL_MIN 64        /* units */
#define TR_SCATTER_CELL_MAX (1 << 20) /* units */
#define TR_SCATTER_REACH_MAX 16       /* a distance, in cells of the layer that it is kept from */
#define TR_SCATTER_OCTAVES_MAX 8
#define TR_SCATTER_WAVELENGTH_MIN TR_UNITS  /* so that the last octave has a unit or more */
#define TR_SCATTER_WAVELENGTH_MAX (1 << 30) /* units */
#define TR_SCATTER_DEGREE 16                /* slopes are told apart to a 16th of a degree */
#define TR_SCATTER_SLOPES (90 * TR_SCATTER_DEGREE + 1)

/* A weight over heights (units) or slopes (16ths of a degree): 0 up to `low`, rising to TR_SCATTER_ONE at `full_low`, which
 * it is up to `full_high`, and falling to 0 at `high`. low <= full_low <= full_high <= high. Where a ramp has no width it is
 * a step, both of whose ends belong to the full side. */
struct tr_scatter_band {
    bool is_used; /* else TR_SCATTER_ONE everywhere */
    int64_t low, full_low, full_high, high;
};

/* A weight by value noise: 0 at `from`, TR_SCATTER_ONE at `to`, linear between and level beyond; `from` may be the greater. */
struct tr_scatter_noise {
    uint32_t octaves; /* 0: TR_SCATTER_ONE everywhere */
    uint32_t seed;
    int64_t wavelength; /* units */
    int32_t from, to;   /* of TR_SCATTER_ONE */
};

struct tr_scatter_distance {
    uint32_t layer; /* before this one, or it itself */
    int64_t units;
};

struct tr_scatter_model {
    char name[TR_EDIT_ID_BYTES];
    uint32_t weight;
};

struct tr_scatter_layer {
    char id[TR_EDIT_ID_BYTES];
    uint64_t key; /* of its draws: from seed and id */
    struct tr_scatter_model *models;
    uint32_t model_count, weight_sum;
    int64_t cell;     /* units */
    uint32_t jitter;  /* fraction of the cell that candidates spread over, of TR_SCATTER_ONE */
    uint64_t density; /* of 2^32 */
    struct tr_scatter_band slope, height;
    bool has_splat;
    uint32_t splat[TR_SPLAT_WEIGHTS]; /* of TR_SCATTER_ONE */
    struct tr_scatter_noise noise;
    struct tr_scatter_distance *distances;
    uint32_t distance_count;
    uint32_t scale[2]; /* of TR_SCATTER_ONE; the second is never drawn unless it is the first */
    uint32_t yaw[2];   /* 65536ths of a turn, the same */
    uint32_t align;    /* how far up turns to the normal, of TR_SCATTER_ONE */
    bool avoids_overhang, avoids_cave, avoids_edited;
    int64_t roof; /* units: ground thinner than this overhangs */
};

struct tr_scatter_rules {
    struct tr_scatter_layer *layers;
    uint32_t layer_count;
    int32_t cosines[TR_SCATTER_SLOPES]; /* of each 16th of a degree, times 2^30: never rising */
};

/* Reads rules for a world of this voxel size; `name` is what messages call the file. TR_BAD_INPUT: `name:line: what, found, expected`.
 * Release them on failure, too. */
enum tr_status tr_scatter_rules_read(const char *text, size_t size_bytes, const char *name, double voxel_size,
                                     struct tr_scatter_rules *rules, struct tr_error *error);
void tr_scatter_rules_release(struct tr_scatter_rules *rules);

#endif
