/* Shapes: the table of kinds. Fields stand by name, as messages and the normal form list them, and their numbers one behind the other in
 * that order. */
#include "lib/edit/shape.h"

#include <stdlib.h>

/* How the row of a field ends. */
#define REQUIRED false, 0, 0.0
#define OR_ORIGIN true, 0, 0.0
#define OR_EAST true, 0, 1.0
#define OR_UP true, 1, 1.0
#define OR(number) true, 0, number

const struct tr_shape_info tr_shape_infos[TR_SHAPE_KIND_COUNT] = {
    [TR_SHAPE_SPHERE] = {"sphere",
                         {{"center", TR_VALUE_PLACE, 3, 0, REQUIRED},
                          {"radius", TR_VALUE_LENGTH, 1, 3, REQUIRED}}},
    [TR_SHAPE_BOX] = {"box",
                      {{"center", TR_VALUE_PLACE, 3, 0, REQUIRED},
                       {"size", TR_VALUE_LENGTH, 3, 3, REQUIRED}}},
    [TR_SHAPE_CAPSULE] = {"capsule",
                          {{"from", TR_VALUE_PLACE, 3, 0, REQUIRED},
                           {"radius", TR_VALUE_LENGTH, 1, 3, REQUIRED},
                           {"to", TR_VALUE_PLACE, 3, 4, REQUIRED}}},
    [TR_SHAPE_TORUS] = {"torus",
                        {{"axis", TR_VALUE_AXIS, 3, 0, OR_UP},
                         {"center", TR_VALUE_PLACE, 3, 3, REQUIRED},
                         {"radius", TR_VALUE_LENGTH, 1, 6, REQUIRED},
                         {"tube", TR_VALUE_LENGTH, 1, 7, REQUIRED}}},
    [TR_SHAPE_CYLINDER] = {"cylinder",
                           {{"from", TR_VALUE_PLACE, 3, 0, REQUIRED},
                            {"radius", TR_VALUE_LENGTH, 1, 3, REQUIRED},
                            {"to", TR_VALUE_PLACE, 3, 4, REQUIRED}}},
    [TR_SHAPE_CONE] = {"cone",
                       {{"from", TR_VALUE_PLACE, 3, 0, REQUIRED},
                        {"radius", TR_VALUE_LENGTH, 1, 3, REQUIRED},
                        {"to", TR_VALUE_PLACE, 3, 4, REQUIRED}}},
    [TR_SHAPE_ELLIPSOID] = {"ellipsoid",
                            {{"center", TR_VALUE_PLACE, 3, 0, REQUIRED},
                             {"radii", TR_VALUE_LENGTH, 3, 3, REQUIRED}}},
    [TR_SHAPE_CAPPED_CONE] = {"capped-cone",
                              {{"from", TR_VALUE_PLACE, 3, 0, REQUIRED},
                               {"radius", TR_VALUE_LENGTH, 1, 3, REQUIRED},
                               {"to", TR_VALUE_PLACE, 3, 4, REQUIRED},
                               {"to_radius", TR_VALUE_LENGTH, 1, 7, REQUIRED}}},
    [TR_SHAPE_ROUNDED_BOX] = {"rounded-box",
                              {{"center", TR_VALUE_PLACE, 3, 0, REQUIRED},
                               {"radius", TR_VALUE_LENGTH, 1, 3, REQUIRED},
                               {"size", TR_VALUE_LENGTH, 3, 4, REQUIRED}}},
    [TR_SHAPE_HALF_SPACE] = {"half-space",
                             {{"normal", TR_VALUE_AXIS, 3, 0, REQUIRED},
                              {"point", TR_VALUE_PLACE, 3, 3, REQUIRED}}},
    [TR_SHAPE_PRISM] = {"prism",
                        {{"from", TR_VALUE_PLACE, 3, 0, REQUIRED},
                         {"radius", TR_VALUE_LENGTH, 1, 3, REQUIRED},
                         {"sides", TR_VALUE_SIDES, 1, 4, REQUIRED},
                         {"to", TR_VALUE_PLACE, 3, 5, REQUIRED}}},
    [TR_SHAPE_PYRAMID] = {"pyramid",
                          {{"center", TR_VALUE_PLACE, 3, 0, REQUIRED},
                           {"size", TR_VALUE_LENGTH, 3, 3, REQUIRED}}},
    [TR_SHAPE_OCTAHEDRON] = {"octahedron",
                             {{"center", TR_VALUE_PLACE, 3, 0, REQUIRED},
                              {"radius", TR_VALUE_LENGTH, 1, 3, REQUIRED}}},
    [TR_SHAPE_LINK] = {"link",
                       {{"along", TR_VALUE_AXIS, 3, 0, OR_EAST},
                        {"axis", TR_VALUE_AXIS, 3, 3, OR_UP},
                        {"center", TR_VALUE_PLACE, 3, 6, REQUIRED},
                        {"length", TR_VALUE_LENGTH, 1, 9, REQUIRED},
                        {"radius", TR_VALUE_LENGTH, 1, 10, REQUIRED},
                        {"tube", TR_VALUE_LENGTH, 1, 11, REQUIRED}}},
    [TR_SHAPE_HEIGHT_MAP] = {"height-map",
                             {{"center", TR_VALUE_PLACE, 3, 0, REQUIRED},
                              {"size", TR_VALUE_LENGTH, 3, 3, REQUIRED}}},
    [TR_SHAPE_MESH] = {"mesh", {{"cell", TR_VALUE_LENGTH, 1, 0, OR(0)}}},
    [TR_SHAPE_TUBE] = {"tube", {{"steps", TR_VALUE_STEPS, 1, 0, OR(TR_SHAPE_STEPS_DEFAULT)}}},
    [TR_SHAPE_UNION] = {.name = "union"},
    [TR_SHAPE_SUBTRACT] = {.name = "subtract"},
    [TR_SHAPE_INTERSECT] = {.name = "intersect"},
    [TR_SHAPE_TRANSLATE] = {"translate", {{"by", TR_VALUE_VECTOR, 3, 0, REQUIRED}}},
    [TR_SHAPE_ROTATE] = {"rotate",
                         {{"about", TR_VALUE_PLACE, 3, 0, OR_ORIGIN},
                          {"axis", TR_VALUE_AXIS, 3, 3, REQUIRED},
                          {"degrees", TR_VALUE_ANGLE, 1, 6, REQUIRED}}},
    [TR_SHAPE_SCALE] = {"scale",
                        {{"about", TR_VALUE_PLACE, 3, 0, OR_ORIGIN},
                         {"by", TR_VALUE_FACTOR, 1, 3, REQUIRED}}},
    [TR_SHAPE_ROUND] = {"round", {{"by", TR_VALUE_LENGTH, 1, 0, REQUIRED}}},
    [TR_SHAPE_ONION] = {"onion", {{"thickness", TR_VALUE_LENGTH, 1, 0, REQUIRED}}},
    [TR_SHAPE_ELONGATE] = {"elongate",
                           {{"about", TR_VALUE_PLACE, 3, 0, OR_ORIGIN},
                            {"by", TR_VALUE_EXTENT, 3, 3, REQUIRED}}},
    [TR_SHAPE_MIRROR] = {"mirror",
                         {{"normal", TR_VALUE_AXIS, 3, 0, REQUIRED},
                          {"point", TR_VALUE_PLACE, 3, 3, OR_ORIGIN}}},
    [TR_SHAPE_REPEAT] = {"repeat",
                         {{"by", TR_VALUE_VECTOR, 3, 0, REQUIRED},
                          {"count", TR_VALUE_COUNT, 3, 3, REQUIRED}}},
    [TR_SHAPE_TWIST] = {"twist",
                        {{"about", TR_VALUE_PLACE, 3, 0, REQUIRED},
                         {"axis", TR_VALUE_AXIS, 3, 3, REQUIRED},
                         {"degrees_per_metre", TR_VALUE_RATE, 1, 6, REQUIRED}}},
    [TR_SHAPE_BEND] = {"bend",
                       {{"about", TR_VALUE_PLACE, 3, 0, REQUIRED},
                        {"along", TR_VALUE_AXIS, 3, 3, REQUIRED},
                        {"axis", TR_VALUE_AXIS, 3, 6, REQUIRED},
                        {"degrees_per_metre", TR_VALUE_RATE, 1, 9, REQUIRED}}},
    [TR_SHAPE_TAPER] = {"taper",
                        {{"factor", TR_VALUE_FACTOR, 1, 0, REQUIRED},
                         {"from", TR_VALUE_PLACE, 3, 1, REQUIRED},
                         {"to", TR_VALUE_PLACE, 3, 4, REQUIRED}}},
    [TR_SHAPE_DISPLACE] = {"displace",
                           {{"octaves", TR_VALUE_OCTAVES, 1, 0, OR(TR_SHAPE_OCTAVES_DEFAULT)},
                            {"scale", TR_VALUE_SCALE, 1, 1, REQUIRED},
                            {"strength", TR_VALUE_LENGTH, 1, 2, REQUIRED}}},
};

void tr_shape_release(struct tr_shape *shape)
{
    for (uint32_t i = 0; i < shape->count; i++) {
        struct tr_shape_more *more = shape->nodes[i].more;

        if (more) {
            tr_resource_release(&more->resource);
            free(more->path);
            free(more);
        }
    }
    free(shape->nodes);
    *shape = (struct tr_shape){0};
}

/* The tree at *at, which becomes the node behind it. As deep as shapes are, which is TR_SHAPE_DEPTH_MAX. */
static bool is_bounded(const struct tr_shape *shape, uint32_t *at)
{
    const struct tr_shape_node *node = &shape->nodes[(*at)++];
    bool any = false, all = true, first = true;

    if (node->child_count == 0)
        return node->kind != TR_SHAPE_HALF_SPACE;
    for (uint32_t i = 0; i < node->child_count; i++) {
        bool is = is_bounded(shape, at);

        any = any || is;
        all = all && is;
        first = i == 0 ? is : first;
    }
    return node->kind == TR_SHAPE_INTERSECT ? any : node->kind == TR_SHAPE_SUBTRACT ? first : all;
}

bool tr_shape_is_bounded(const struct tr_shape *shape)
{
    uint32_t at = 0;

    return is_bounded(shape, &at);
}
