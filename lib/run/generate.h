/* `gen` as a pipeline: a world filled from elevation or from noise. */
#ifndef TR_RUN_GENERATE_H
#define TR_RUN_GENERATE_H

#include "lib/bake/bake.h"
#include "lib/gen/dem.h"
#include "lib/gen/noise.h"
#include "lib/world/world.h"

/* Puts every chunk of a world of this size. */
enum tr_status tr_generate_dem(struct tr_jobs *jobs, const struct tr_world_info *info,
                               const struct tr_dem *dem, enum tr_dem_filter filter,
                               struct tr_world_build *build, struct tr_error *error);
enum tr_status tr_generate_noise(struct tr_bake *bake, const struct tr_world_info *info,
                                 const struct tr_preset *preset, struct tr_world_build *build,
                                 struct tr_error *error);

#endif
