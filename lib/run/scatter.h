/* Scattering: instances of models on the ground of a world, by rules.
 *
 *   grow     chunk by chunk: each cell's candidate of each layer is put on the ground, and stays by its odds
 *   settle   layer by layer: those too near to an instance of a layer before, or to a greater one of their own, go
 *
 * The ground is where the field between the samples (probe.h) changes from air to solid, as `sample` says it, rounded to a
 * unit; a line that goes through caves has a floor in each, and each floor a candidate of its own. Its normal is that of
 * shaders/surface.h: central differences of the samples, interpolated. Odds are density times the weights of slope, height, splat and
 * noise; the candidate stays where its draw is below.
 *
 * An instance depends on the ground up to two samples around it, and on the instances and candidates that its layer keeps its distance
 * from; so a world that is cut smaller keeps its inner instances. Of two of one layer that are nearer than its distance from itself the
 * lesser one goes, even where a third drives out the greater one (Matern's second process): else what stays at one place would follow
 * from places arbitrarily far away. */
#ifndef TR_RUN_SCATTER_H
#define TR_RUN_SCATTER_H

#include "lib/base/jobs.h"
#include "lib/base/progress.h"
#include "lib/pack/instances.h"
#include "lib/run/scatter_rules.h"
#include "lib/world/world.h"

#define TR_SCATTER_INSTANCES_MAX (1u << 26) /* that grow, in all */

struct tr_scatter_options {
    size_t cache_bytes;
    const struct tr_progress *progress; /* NULL: none */
};

/* The instances keep pointers into the rules, which must outlive them. Release them on failure, too. More than TR_SCATTER_INSTANCES_MAX:
 * TR_BAD_INPUT. */
enum tr_status tr_scatter(struct tr_jobs *jobs, const struct tr_world *world,
                          const struct tr_scatter_rules *rules, const struct tr_scatter_options *options,
                          struct tr_instances *instances, struct tr_error *error);

/* Drops what is too near, of instances that have grown; all of a layer's chunks must be there. */
enum tr_status tr_scatter_settle(struct tr_jobs *jobs, const struct tr_scatter_rules *rules,
                                 struct tr_instances *instances, struct tr_error *error);

#endif
