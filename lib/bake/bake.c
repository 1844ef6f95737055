/* Opening a device: which of the two implementations a name means. */
#include "lib/bake/bake.h"

#include <string.h>

/* From here on a GPU repays its opening, in samples. Opening takes about half a second (device and pipelines,
 * driver caches cold), in which two cores edit some 2^28 samples; twice that, because samples must travel to
 * a GPU and back as well. */
#define GPU_WORK_MIN (UINT64_C(1) << 29)

static enum tr_status open_auto(const struct tr_bake_options *options, struct tr_bake **out,
                                struct tr_error *error)
{
    enum tr_status status = TR_NO_DEVICE;

    /* work that repays no GPU does not even load Vulkan */
    if (options->work >= GPU_WORK_MIN)
        status = tr_bake_open_vulkan(options, out, error);
    return status == TR_NO_DEVICE ? tr_bake_open_cpu(options, out, error) : status;
}

enum tr_status tr_bake_open(const struct tr_bake_options *options, struct tr_bake **out,
                            struct tr_error *error)
{
    *out = NULL;
    if (!options->device || strcmp(options->device, "auto") == 0)
        return open_auto(options, out, error);
    if (strcmp(options->device, "cpu") == 0)
        return tr_bake_open_cpu(options, out, error);
    return tr_bake_open_vulkan(options, out, error);
}

void tr_bake_close(struct tr_bake *bake)
{
    if (bake)
        bake->ops->close(bake);
}
