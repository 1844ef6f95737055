/* terrain raycast: where a ray meets the ground. */
#include "cmd/common.h"
#include "lib/run/raycast.h"
#include <math.h>

static const struct tr_option options[] = {
    {"--length", 0, TR_OPTION_NUMBER, "M", 0, 1e12,
     "how far the ray goes, in metres; as far as the world when not given"},
    TR_OPTION_MEMORY,
    TR_OPTION_JSON,
    TR_OPTION_END,
};

static enum tr_status parse_ray(const struct tr_call *call, struct tr_ray *ray, struct tr_error *error)
{
    ray->length_m = tr_call_number(call, "--length", INFINITY);
    if (tr_parse_point(call->arguments[1], ray->origin_m, 3) != 3)
        return tr_fail(error, TR_USAGE, "the origin is '%s', expected X,Y,Z in metres", call->arguments[1]);
    if (tr_parse_point(call->arguments[2], ray->direction, 3) != 3)
        return tr_fail(error, TR_USAGE, "the direction is '%s', expected DX,DY,DZ", call->arguments[2]);
    return TR_OK;
}

static enum tr_status print_json(const struct tr_ray_hit *hit, struct tr_error *error)
{
    cJSON *object = cJSON_CreateObject();
    cJSON_AddBoolToObject(object, "hit", hit->hit);
    if (hit->hit) {
        tr_json_add_point(object, "at_m", hit->at_m, 3);
        cJSON_AddNumberToObject(object, "distance_m", hit->distance_m);
        tr_json_add_point(object, "normal", hit->normal, 3);
        tr_json_add_point(object, "chunk", (double[]){hit->cx, hit->cz}, 2);
    }
    return tr_json_print(object, error);
}

static void print_text(const struct tr_ray_hit *hit)
{
    if (!hit->hit) {
        printf("no hit\n");
        return;
    }
    printf("hit         %.3f,%.3f,%.3f m\n", hit->at_m[0], hit->at_m[1], hit->at_m[2]);
    printf("distance    %.3f m\n", hit->distance_m);
    printf("normal      %.4f,%.4f,%.4f\n", hit->normal[0], hit->normal[1], hit->normal[2]);
    printf("chunk       %d,%d\n", hit->cx, hit->cz);
}

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    struct tr_world *world = NULL;
    struct tr_cache *cache = NULL;
    struct tr_ray ray;
    struct tr_ray_hit hit;
    enum tr_status status = parse_ray(call, &ray, error);
    if (status == TR_OK)
        status = tr_world_open(call->arguments[0], &world, error);
    if (status == TR_OK)
        status = tr_cache_create(world, tr_cache_bytes(call), &cache, error);
    if (status == TR_OK)
        status = tr_raycast(cache, &world->info, &ray, &hit, error);
    if (status == TR_OK && tr_call_has(call, "--json"))
        status = print_json(&hit, error);
    else if (status == TR_OK)
        print_text(&hit);
    if (status == TR_OK && !hit.hit)
        status = TR_NO;
    tr_cache_free(cache);
    tr_world_close(world);
    return status;
}

const struct tr_command tr_command_raycast = {
    .name = "raycast",
    .usage = "WORLD X,Y,Z DX,DY,DZ",
    .summary = "say where a ray meets the ground",
    .about = "From the first point, in metres, into the direction DX,DY,DZ, of any length. Exit "
             "1 when\n"
             "nothing is hit. A ray that begins in the ground hits at distance 0. The ground is the field "
             "between the\n"
             "samples (trilinear); meshes agree with it along the edges of cells.",
    .examples = "  terrain raycast world 300,500,300 0,-1,0\n  terrain raycast --json world 0,200,560 "
                "1,-0.1,0 --length "
                "400",
    .least = 3,
    .most = 3,
    .options = options,
    .run = run,
};
