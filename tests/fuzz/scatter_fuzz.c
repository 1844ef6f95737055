/* Any bytes as scatter rules, for worlds of several voxel sizes: refused in one line, or read; and what was read keeps to its limits, so that
 * a candidate lies in its cell, has a model, and weights that are fractions. */
#include "lib/run/scatter_cell.h"
#include "tests/fuzz/fuzz.h"

#include <string.h>

static void check_candidate(const struct tr_scatter_layer *layer, int64_t i, int64_t k)
{
    uint64_t hash = tr_scatter_floor_hash(tr_scatter_cell_hash(layer, i, k), 1);
    int64_t x, z;

    tr_scatter_place(layer, i, k, &x, &z);
    FUZZ_CHECK(x >= i * layer->cell && x < (i + 1) * layer->cell);
    FUZZ_CHECK(z >= k * layer->cell && z < (k + 1) * layer->cell);
    FUZZ_CHECK(tr_scatter_model_of(layer, hash) < layer->model_count);
    FUZZ_CHECK(tr_scatter_noise_weight(&layer->noise, x, z) <= TR_SCATTER_ONE);
    FUZZ_CHECK(tr_scatter_band_weight(&layer->height, x) <= TR_SCATTER_ONE);
    FUZZ_CHECK(tr_scatter_band_weight(&layer->slope, z % TR_SCATTER_SLOPES) <= TR_SCATTER_ONE);
}

static void check_layer(const struct tr_scatter_rules *rules, uint32_t number)
{
    const struct tr_scatter_layer *layer = &rules->layers[number];
    const uint8_t splat[TR_SPLAT_WEIGHTS] = {100, 55, 0, 100};

    FUZZ_CHECK(layer->cell >= TR_SCATTER_CELL_MIN && layer->cell <= TR_SCATTER_CELL_MAX);
    FUZZ_CHECK(layer->density <= TR_SCATTER_CERTAIN);
    FUZZ_CHECK(layer->scale[0] <= layer->scale[1] && layer->yaw[0] <= layer->yaw[1]);
    FUZZ_CHECK(tr_scatter_splat_weight(layer, splat) <= TR_SCATTER_ONE);
    for (uint32_t i = 0; i < layer->distance_count; i++) {
        const struct tr_scatter_distance *distance = &layer->distances[i];

        FUZZ_CHECK(distance->layer <= number && distance->units >= 0);
        FUZZ_CHECK(distance->units <= TR_SCATTER_REACH_MAX * rules->layers[distance->layer].cell);
    }
    for (int64_t i = 0; i < 8; i++)
        check_candidate(layer, i * i * i, 7 - i);
}

static void check_rules(const char *text, size_t size_bytes, double voxel_size)
{
    struct tr_scatter_rules rules;
    struct tr_error error = {0};
    enum tr_status status = tr_scatter_rules_read(text, size_bytes, "fuzz.json", voxel_size, &rules, &error);

    if (status == TR_OK) {
        FUZZ_CHECK(rules.layer_count >= 1 && rules.layer_count <= TR_SCATTER_LAYERS_MAX);
        for (uint32_t i = 0; i < rules.layer_count; i++)
            check_layer(&rules, i);
    } else {
        FUZZ_CHECK(status == TR_BAD_INPUT && error.text[0] && !strchr(error.text, '\n'));
    }
    tr_scatter_rules_release(&rules);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size_bytes)
{
    static const double voxel_sizes[] = {1, 0.25, 1e-6, 1e6};

    for (size_t i = 0; i < sizeof voxel_sizes / sizeof voxel_sizes[0]; i++)
        check_rules((const char *)bytes, size_bytes, voxel_sizes[i]);
    return 0;
}
