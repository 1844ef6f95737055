/* The Vulkan devices of this machine, for `terrain devices` and for --device. */
#ifndef TR_BAKE_DEVICES_H
#define TR_BAKE_DEVICES_H

#include "lib/gpu/gpu.h"

/* One device; its index is its place in the list. */
struct tr_bake_device {
    struct tr_gpu_info info;
    struct tr_error selftest; /* status TR_OK: its arithmetic is exact; else why it cannot be used */
};

/* Lists all devices and tests each; free() the array. None is TR_OK with *count 0; no Vulkan loader or driver
 * at all is TR_NO_DEVICE. */
enum tr_status tr_bake_devices(struct tr_bake_device **out, size_t *count, struct tr_error *error);

/* The device that `wanted` names: "auto", the first that is no CPU; an index; or part of a name, any case,
 * the first that has it. Only indices from `start` on are looked at. TR_NO_DEVICE with a line that lists what
 * there is. */
enum tr_status tr_bake_device_find(const char *wanted, size_t start, size_t *index, struct tr_error *error);

#endif
