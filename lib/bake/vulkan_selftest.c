/* The self-test: a device must give, for fixed inputs, the words that this processor gives for the same
 * code. */
#include "lib/bake/vulkan_internal.h"

#include "shaders/selftest_params.h"

static const char *const function_names[] = {
    [TR_SELFTEST_MULTIPLY_ADD] = "multiply-add",
    [TR_SELFTEST_RECIPROCAL] = "reciprocal",
    [TR_SELFTEST_ROOT] = "square root",
    [TR_SELFTEST_ROUND] = "round",
    [TR_SELFTEST_CONVERT] = "convert",
    [TR_SELFTEST_SINE] = "sine",
    [TR_SELFTEST_FALLOFF] = "falloff",
    [TR_SELFTEST_RAISE] = "raise",
    [TR_SELFTEST_LEVEL] = "level",
    [TR_SELFTEST_SMOOTH] = "smooth",
    [TR_SELFTEST_HC_SMOOTH] = "hc smooth",
    [TR_SELFTEST_DISTANCE] = "distance",
    [TR_SELFTEST_JOIN] = "join",
    [TR_SELFTEST_PUSH] = "push",
    [TR_SELFTEST_PLANE] = "plane",
    [TR_SELFTEST_VOLUME_SMOOTH] = "volume smooth",
    [TR_SELFTEST_INFLATE] = "inflate",
    [TR_SELFTEST_PINCH] = "pinch",
    [TR_SELFTEST_REDISTANCE] = "redistance",
    [TR_SELFTEST_NOISE] = "noise",
    [TR_SELFTEST_NOISE_3D] = "noise in space",
    [TR_SELFTEST_CROSSING] = "crossing",
    [TR_SELFTEST_NORMAL] = "normal",
    [TR_SELFTEST_FOLLOW] = "follow",
};
_Static_assert(sizeof function_names / sizeof *function_names == TR_SELFTEST_FUNCTIONS,
               "every function has a name");

#define WORDS (TR_SELFTEST_FUNCTIONS * TR_SELFTEST_INPUTS)

static enum tr_status words_compare(const struct tr_vulkan *vulkan, const uint32_t *words,
                                    struct tr_error *error)
{
    for (uint32_t i = 0; i < WORDS; i++) {
        uint32_t function = i / TR_SELFTEST_INPUTS, input = i % TR_SELFTEST_INPUTS;
        uint32_t expected = tr_selftest_word(function, input);

        if (words[i] != expected)
            return tr_fail(error, TR_NO_DEVICE,
                           "device '%s' fails the self-test of exact arithmetic: %s, input %u: found %08x, "
                           "expected %08x",
                           vulkan->bake.device, function_names[function], input, words[i], expected);
    }
    return TR_OK;
}

enum tr_status tr_vulkan_selftest(struct tr_vulkan *vulkan, struct tr_error *error)
{
    static const enum tr_kernel kernels[] = {TR_KERNEL_SELFTEST};
    struct tr_vulkan_lane *lane = &vulkan->lanes[0];
    tr_selftest_params params = {TR_SELFTEST_INPUTS};
    enum tr_status status = tr_vulkan_kernels(vulkan, kernels, 1, error);

    if (status == TR_OK)
        status = tr_vulkan_reserve(vulkan, lane, TR_LANE_RESULT, WORDS, sizeof(uint32_t), error);
    if (status == TR_OK)
        status = tr_gpu_begin(lane->commands, error);
    if (status == TR_OK) {
        tr_vulkan_dispatch(vulkan, lane, TR_KERNEL_SELFTEST,
                           (struct tr_gpu_buffer *[TR_SELFTEST_BUFFERS]){
                               [TR_SELFTEST_WORDS] = lane->buffers[TR_LANE_RESULT],
                           },
                           &params, WORDS);
        tr_gpu_barrier(lane->commands, TR_GPU_KERNEL_TO_DOWNLOAD);
        tr_lane_download(lane, TR_LANE_RESULT);
        status = tr_gpu_submit(lane->commands, error);
    }
    if (status == TR_OK)
        status = tr_gpu_wait(lane->commands, error);
    return status == TR_OK ? words_compare(vulkan, tr_lane_mirror(lane, TR_LANE_RESULT), error) : status;
}
