/* What the files of lib/gpu share: the objects behind the opaque names of gpu.h. */
#ifndef TR_GPU_INTERNAL_H
#define TR_GPU_INTERNAL_H

#include "lib/gpu/gpu.h"
#include <volk.h>

#define TR_GPU_GUARD_WORD 0x5afeb0fau

struct tr_gpu {
    VkInstance instance;
    VkDebugUtilsMessengerEXT messenger;
    VkPhysicalDevice physical;
    VkPhysicalDeviceMemoryProperties memory;
    VkDeviceSize atom_bytes; /* granularity of flushes where memory is not coherent */
    double ns_per_tick;      /* of the queue's clock; 0 without one */
    uint64_t tick_mask;
    struct tr_gpu_info info;
    VkDevice device;
    struct VolkDeviceTable vk; /* the device's own entry points: no global is used once it is open */
    uint32_t family;
    VkQueue queue;
    struct tr_gpu_buffer *buffers; /* all of them, for guards and invalidation */
    bool has_message;
    char message[TR_ERROR_TEXT_BYTES]; /* of the validation layers, the first not yet reported */
};

/* Memory with a buffer in it. Zero is none. */
struct tr_gpu_block {
    VkBuffer buffer;
    VkDeviceMemory memory;
    void *map; /* where the host sees it, or NULL */
    bool coherent;
};

struct tr_gpu_buffer {
    const char *name;
    struct tr_gpu_block device, mirror;
    uint64_t size_bytes;                    /* as reserved; the guard words begin here */
    uint64_t capacity_bytes;                /* without guard words */
    bool guard_missing;                     /* to be written by the next recording that is submitted */
    const struct tr_gpu_commands *guard;    /* whose submission writes it */
    const struct tr_gpu_commands *download; /* whose wait must invalidate the mirror */
    struct tr_gpu_buffer *next;
};

struct tr_gpu_kernel {
    const char *name;
    uint32_t buffer_count, params_bytes;
    VkDescriptorSetLayout set_layout;
    VkPipelineLayout layout;
    VkPipeline pipeline;
};

struct tr_gpu_commands {
    struct tr_gpu *gpu;
    VkCommandPool pool;
    VkCommandBuffer buffer;
    VkDescriptorPool descriptors;
    VkQueryPool queries; /* none where the device has no clock */
    VkFence fence;
    uint32_t dispatch_count, stamp_count;
    bool recording, pending;
    struct tr_error failure; /* the first since tr_gpu_begin; its status is TR_OK when there is none */
};

/* TR_OK, or a failure that says what was being done, and Vulkan's name for the result. A validation message
 * comes first. */
enum tr_status tr_gpu_result(struct tr_gpu *gpu, VkResult result, const char *what, struct tr_error *error);

/* Writes the host's bytes through to memory, or the device's bytes back to the host, where that is not
 * automatic. */
enum tr_status tr_gpu_mirror_flush(struct tr_gpu *gpu, const struct tr_gpu_buffer *buffer,
                                   struct tr_error *error);
enum tr_status tr_gpu_mirror_invalidate(struct tr_gpu *gpu, const struct tr_gpu_buffer *buffer,
                                        struct tr_error *error);

#endif
