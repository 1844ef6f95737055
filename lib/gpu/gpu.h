/* Vulkan 1.2 compute, and nothing about worlds: devices, storage buffers, kernels, commands on one queue.
 *
 * The life of a computation: tr_gpu_open; a buffer for each array, a kernel for each SPIR-V module, commands;
 * then, again and again, write the buffers' mirrors, record (upload, barrier, dispatch, barrier, download),
 * submit, wait, read the mirrors. Everything is kept between rounds; buffers grow. A gpu, with all that hangs
 * on it, belongs to one thread at a time, and opening or listing devices to one thread of the process (volk
 * keeps the loader's entry points in globals).
 *
 * Limits of the device are checked before they are met. Status: TR_NO_DEVICE when the device is missing,
 * unfit or lost, TR_IO when memory runs out. With validation on, a message of the layers makes the next call
 * fail with its text. */
#ifndef TR_GPU_GPU_H
#define TR_GPU_GPU_H

#include "lib/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Devices ------------------------------------------------------------------------------------------------ */

enum tr_gpu_type { TR_GPU_OTHER, TR_GPU_INTEGRATED, TR_GPU_DISCRETE, TR_GPU_VIRTUAL, TR_GPU_CPU };

/* What there is to know about a device before it is opened; the limits are those that tr_gpu_* calls
 * check. */
struct tr_gpu_info {
    char name[256];
    char driver[320]; /* name and version */
    enum tr_gpu_type type;
    uint32_t version_major, version_minor; /* of Vulkan; 1.2 is needed */
    uint64_t memory_bytes;                 /* largest heap of the device's own memory */
    uint64_t storage_range_bytes;          /* one storage buffer, its guard words included */
    uint32_t storage_buffers;              /* a kernel */
    uint32_t group_invocations;            /* in one workgroup */
    uint32_t group_count_x, group_count_y; /* workgroups in one dispatch */
    uint32_t shared_bytes;                 /* of a workgroup */
    uint32_t push_bytes;                   /* parameters of a dispatch */
};

const char *tr_gpu_type_name(enum tr_gpu_type type); /* "discrete", "cpu", ... */

/* All devices in the loader's order; free() the array. None is TR_OK with *count 0; no loader or no driver at
 * all is TR_NO_DEVICE. */
enum tr_status tr_gpu_list(struct tr_gpu_info **infos, size_t *count, struct tr_error *error);

struct tr_gpu;

/* Opens device `index` of the list. validate: Khronos validation with its synchronization checks. */
enum tr_status tr_gpu_open(size_t index, bool validate, struct tr_gpu **out, struct tr_error *error);
/* Everything made from the gpu must be freed before. */
void tr_gpu_close(struct tr_gpu *gpu);
const struct tr_gpu_info *tr_gpu_info(const struct tr_gpu *gpu);

/* TR_NO_DEVICE with the text of the first validation message since the last call that reported one. */
enum tr_status tr_gpu_check_messages(struct tr_gpu *gpu, struct tr_error *error);

/* Buffers ------------------------------------------------------------------------------------------------ */

#define TR_GPU_GUARD_BYTES 64 /* behind the end of every buffer on the device: no kernel may change them */

struct tr_gpu_buffer;

/* Makes *buffer (NULL at first) a storage buffer of size_bytes on the device, not 0, a multiple of 4; with
 * `mirrored`, with a copy in the host's memory. Memory is kept when it suffices; what the buffer held is
 * lost. `name` is for messages and not copied. No submitted commands may be using it. */
enum tr_status tr_gpu_buffer_reserve(struct tr_gpu *gpu, struct tr_gpu_buffer **buffer, const char *name,
                                     bool mirrored, uint64_t size_bytes, struct tr_error *error);
void tr_gpu_buffer_free(struct tr_gpu *gpu, struct tr_gpu_buffer *buffer);
uint64_t tr_gpu_buffer_size(const struct tr_gpu_buffer *buffer);
void *tr_gpu_buffer_mirror(const struct tr_gpu_buffer *buffer);

/* Fails, naming the buffer, if something was written behind the end of one. Nothing may be in flight. */
enum tr_status tr_gpu_check_guards(struct tr_gpu *gpu, struct tr_error *error);

/* Kernels ------------------------------------------------------------------------------------------------ */

#define TR_GPU_BUFFERS_MAX 8 /* of one kernel: set 0, bindings 0.. */
#define TR_GPU_PARAMS_BYTES_MAX 128

struct tr_gpu_kernel_source {
    const char *name;
    const uint32_t *words; /* SPIR-V, entry point "main" */
    size_t size_bytes;
    uint32_t buffer_count, params_bytes, shared_bytes;
    uint32_t local_size; /* invocations in a workgroup, in x: specialization constant 0 */
};

struct tr_gpu_kernel;

enum tr_status tr_gpu_kernel_create(struct tr_gpu *gpu, const struct tr_gpu_kernel_source *source,
                                    struct tr_gpu_kernel **out, struct tr_error *error);
void tr_gpu_kernel_free(struct tr_gpu *gpu, struct tr_gpu_kernel *kernel);

/* Commands ----------------------------------------------------------------------------------------------- */

#define TR_GPU_DISPATCHES_MAX 32 /* in one recording */
#define TR_GPU_STAMPS_MAX 64

/* What comes before and after a barrier. Commands between two barriers may run at the same time. */
enum tr_gpu_barrier { TR_GPU_UPLOAD_TO_KERNEL, TR_GPU_KERNEL_TO_KERNEL, TR_GPU_KERNEL_TO_DOWNLOAD };

struct tr_gpu_commands;

enum tr_status tr_gpu_commands_create(struct tr_gpu *gpu, struct tr_gpu_commands **out,
                                      struct tr_error *error);
void tr_gpu_commands_free(struct tr_gpu_commands *commands); /* waits for what was submitted */

/* Begins a recording, ordered after all that was submitted before. A call that fails until the submission is
 * remembered and reported there, so a recording is checked once. */
enum tr_status tr_gpu_begin(struct tr_gpu_commands *commands, struct tr_error *error);
/* Copies bytes of the mirror, already written, to the device, or back; offset and size are multiples of 4;
 * size 0 does nothing. */
void tr_gpu_upload(struct tr_gpu_commands *commands, struct tr_gpu_buffer *buffer, uint64_t offset_bytes,
                   uint64_t size_bytes);
void tr_gpu_download(struct tr_gpu_commands *commands, struct tr_gpu_buffer *buffer, uint64_t offset_bytes,
                     uint64_t size_bytes);
void tr_gpu_barrier(struct tr_gpu_commands *commands, enum tr_gpu_barrier barrier);
/* Runs at least group_count workgroups, in rows of gl_NumWorkGroups.x: group i is at (i % x, i / x), see
 * shaders/grid.h. The kernel leaves out the groups behind the last. 0 groups do nothing. */
void tr_gpu_dispatch(struct tr_gpu_commands *commands, const struct tr_gpu_kernel *kernel,
                     struct tr_gpu_buffer *const *buffers, const void *params, uint64_t group_count);
/* Notes the device's time when all commands before are done; returns its number in this recording. */
uint32_t tr_gpu_stamp(struct tr_gpu_commands *commands);
enum tr_status tr_gpu_submit(struct tr_gpu_commands *commands, struct tr_error *error);
/* Returns when the submitted commands are done and their downloads stand in the mirrors; at once if there are
 * none. */
enum tr_status tr_gpu_wait(struct tr_gpu_commands *commands, struct tr_error *error);
/* Nanoseconds between two stamps of the last recording that was waited for; 0 where the device has no
 * clock. */
uint64_t tr_gpu_elapsed_ns(struct tr_gpu_commands *commands, uint32_t from, uint32_t to);

#endif
