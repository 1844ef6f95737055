/* What the steps of `terrain bench` share. */
#ifndef TR_CMD_BENCH_H
#define TR_CMD_BENCH_H

#include "lib/bake/bake.h"
#include "lib/edit/edit.h"

struct tr_bench {
    struct tr_bake *bake;
    size_t chunks, repeats, edits;
    double *seconds; /* one a repeat */
    int32_t *heights;
};

double tr_bench_now(void);
/* A fixed sequence of numbers in [0, 1). */
double tr_bench_random(uint64_t *state);
/* Prints the step's line from bench->seconds: so many of `what` in `chunks` chunks. `also` is another count, or NULL. */
enum tr_status tr_bench_report(struct tr_bench *bench, const char *step, size_t chunks, const char *what,
                               double count, const char *also, double also_count, struct tr_error *error);

/* A resolved sphere of radius 4 to 20 voxels at `at`, every other one carved, blended over 2 voxels. Release it. */
enum tr_status tr_bench_sphere(uint64_t number, const double at[3], double radius, struct tr_edit *edit,
                               struct tr_error *error);
/* Samples of the box within reach of it. */
uint64_t tr_bench_touched(const double at[3], double radius, const struct tr_box *box);

/* Replays bench->edits such spheres on a world of 32 x 32 chunks in a scratch folder, without writing the result. */
enum tr_status tr_bench_replay(struct tr_bench *bench, struct tr_error *error);

#endif
