/* Buffers: storage on the device, with guard words behind it, and its mirror in the host's memory.
 *
 *   device   | size_bytes as reserved | guard | slack of an earlier, larger use ... |
 *   mirror   | the same bytes                 | slack                               |
 *
 * Each buffer has memory of its own: a program has a few dozen, and the limit is 4096. The guard follows the
 * size of every use, so that writing behind the end shows even where there is slack. Where memory is not
 * coherent, the whole mapping is flushed or invalidated, which is always a legal range. */
#include "lib/gpu/gpu_internal.h"

#include "lib/base/alloc.h"
#include <stdlib.h>
#include <string.h>

#define NO_TYPE UINT32_MAX

/* Of the memory types in `allowed` that have all of `needed`, the one with most of `wanted` and least of
 * `unwanted`, lowest first. */
static uint32_t memory_type(const struct tr_gpu *gpu, uint32_t allowed, VkMemoryPropertyFlags needed,
                            VkMemoryPropertyFlags wanted, VkMemoryPropertyFlags unwanted)
{
    uint32_t best = NO_TYPE;
    int best_score = -1;

    for (uint32_t i = 0; i < gpu->memory.memoryTypeCount; i++) {
        VkMemoryPropertyFlags flags = gpu->memory.memoryTypes[i].propertyFlags;
        int score = ((flags & wanted) == wanted ? 2 : 0) + ((flags & unwanted) == 0 ? 1 : 0);

        if ((allowed >> i & 1) && (flags & needed) == needed && score > best_score) {
            best = i;
            best_score = score;
        }
    }
    return best;
}

/* The host reads mirrors too, so it wants cached memory, and never the window into the device's own (a
 * thousand times slower). */
static uint32_t block_memory_type(const struct tr_gpu *gpu, uint32_t allowed, bool is_mirror)
{
    if (is_mirror)
        return memory_type(gpu, allowed, VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT,
                           VK_MEMORY_PROPERTY_HOST_CACHED_BIT, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT);
    return memory_type(gpu, allowed, 0, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT,
                       VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT);
}

static void block_release(struct tr_gpu *gpu, struct tr_gpu_block *block)
{
    gpu->vk.vkDestroyBuffer(gpu->device, block->buffer, NULL);
    gpu->vk.vkFreeMemory(gpu->device, block->memory, NULL); /* unmaps it too */
    memset(block, 0, sizeof *block);
}

static enum tr_status block_create(struct tr_gpu *gpu, uint64_t size_bytes, bool is_mirror,
                                   struct tr_gpu_block *block, struct tr_error *error)
{
    VkBufferCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO,
        .size = size_bytes,
        .usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT |
                 (is_mirror ? 0 : VK_BUFFER_USAGE_STORAGE_BUFFER_BIT),
        .sharingMode = VK_SHARING_MODE_EXCLUSIVE,
    };
    VkMemoryRequirements needs;
    VkMemoryAllocateInfo allocation = {.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO};
    enum tr_status status;

    status = tr_gpu_result(gpu, gpu->vk.vkCreateBuffer(gpu->device, &info, NULL, &block->buffer),
                           "create a buffer", error);
    if (status != TR_OK)
        return status;
    gpu->vk.vkGetBufferMemoryRequirements(gpu->device, block->buffer, &needs);
    allocation.allocationSize = needs.size;
    allocation.memoryTypeIndex = block_memory_type(gpu, needs.memoryTypeBits, is_mirror);
    if (allocation.memoryTypeIndex == NO_TYPE)
        return tr_fail(error, TR_NO_DEVICE, "device '%s' has no memory for a buffer", gpu->info.name);
    status = tr_gpu_result(gpu, gpu->vk.vkAllocateMemory(gpu->device, &allocation, NULL, &block->memory),
                           "allocate a buffer's memory", error);
    if (status == TR_OK)
        status = tr_gpu_result(gpu, gpu->vk.vkBindBufferMemory(gpu->device, block->buffer, block->memory, 0),
                               "bind a buffer's memory", error);
    if (status == TR_OK && is_mirror)
        status = tr_gpu_result(
            gpu, gpu->vk.vkMapMemory(gpu->device, block->memory, 0, VK_WHOLE_SIZE, 0, &block->map),
            "map a buffer's memory", error);
    block->coherent = gpu->memory.memoryTypes[allocation.memoryTypeIndex].propertyFlags &
                      VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;
    return status;
}

static struct tr_gpu_buffer *buffer_create(struct tr_gpu *gpu, const char *name, struct tr_error *error)
{
    struct tr_gpu_buffer *buffer = tr_alloc(1, sizeof *buffer, error);

    if (buffer) {
        buffer->name = name;
        buffer->next = gpu->buffers;
        gpu->buffers = buffer;
    }
    return buffer;
}

/* New memory, half as large again as the old where that suffices, so that growing batches do not allocate
 * each time. */
static enum tr_status buffer_grow(struct tr_gpu *gpu, struct tr_gpu_buffer *buffer, bool mirrored,
                                  uint64_t size_bytes, struct tr_error *error)
{
    uint64_t most_bytes = (gpu->info.storage_range_bytes - TR_GPU_GUARD_BYTES) / 4 * 4;
    uint64_t capacity_bytes = (buffer->capacity_bytes + buffer->capacity_bytes / 2) / 4 * 4;
    enum tr_status status;

    if (capacity_bytes < size_bytes)
        capacity_bytes = size_bytes;
    if (capacity_bytes > most_bytes)
        capacity_bytes = most_bytes;
    block_release(gpu, &buffer->device);
    block_release(gpu, &buffer->mirror);
    buffer->capacity_bytes = 0;
    status = block_create(gpu, capacity_bytes + TR_GPU_GUARD_BYTES, false, &buffer->device, error);
    if (status == TR_OK && mirrored)
        status = block_create(gpu, capacity_bytes, true, &buffer->mirror, error);
    if (status == TR_OK)
        buffer->capacity_bytes = capacity_bytes;
    return status;
}

enum tr_status tr_gpu_buffer_reserve(struct tr_gpu *gpu, struct tr_gpu_buffer **buffer, const char *name,
                                     bool mirrored, uint64_t size_bytes, struct tr_error *error)
{
    enum tr_status status = TR_OK;

    if (size_bytes == 0 || size_bytes % 4 != 0)
        return tr_fail(error, TR_NO_DEVICE, "buffer '%s' of %llu bytes: not a whole number of words above 0",
                       name, (unsigned long long)size_bytes);
    if (size_bytes > UINT64_MAX - TR_GPU_GUARD_BYTES ||
        size_bytes + TR_GPU_GUARD_BYTES > gpu->info.storage_range_bytes)
        return tr_fail(error, TR_NO_DEVICE,
                       "buffer '%s' of %llu bytes and %d of guard: device '%s' binds at most %llu", name,
                       (unsigned long long)size_bytes, TR_GPU_GUARD_BYTES, gpu->info.name,
                       (unsigned long long)gpu->info.storage_range_bytes);
    if (!*buffer)
        *buffer = buffer_create(gpu, name, error);
    if (!*buffer)
        return TR_IO;
    if ((*buffer)->capacity_bytes < size_bytes || (mirrored && !(*buffer)->mirror.map))
        status = buffer_grow(gpu, *buffer, mirrored, size_bytes, error);
    (*buffer)->name = name;
    (*buffer)->size_bytes = status == TR_OK ? size_bytes : 0;
    (*buffer)->guard_missing = status == TR_OK;
    (*buffer)->guard = NULL;
    return status;
}

void tr_gpu_buffer_free(struct tr_gpu *gpu, struct tr_gpu_buffer *buffer)
{
    struct tr_gpu_buffer **link = &gpu->buffers;

    if (!buffer)
        return;
    while (*link != buffer)
        link = &(*link)->next;
    *link = buffer->next;
    block_release(gpu, &buffer->device);
    block_release(gpu, &buffer->mirror);
    free(buffer);
}

uint64_t tr_gpu_buffer_size(const struct tr_gpu_buffer *buffer)
{
    return buffer->size_bytes;
}

void *tr_gpu_buffer_mirror(const struct tr_gpu_buffer *buffer)
{
    return buffer->mirror.map;
}

static VkMappedMemoryRange whole_range(const struct tr_gpu_block *block)
{
    return (VkMappedMemoryRange){
        .sType = VK_STRUCTURE_TYPE_MAPPED_MEMORY_RANGE,
        .memory = block->memory,
        .size = VK_WHOLE_SIZE,
    };
}

enum tr_status tr_gpu_mirror_flush(struct tr_gpu *gpu, const struct tr_gpu_buffer *buffer,
                                   struct tr_error *error)
{
    VkMappedMemoryRange range = whole_range(&buffer->mirror);

    if (buffer->mirror.coherent)
        return TR_OK;
    return tr_gpu_result(gpu, gpu->vk.vkFlushMappedMemoryRanges(gpu->device, 1, &range),
                         "flush a buffer's mirror", error);
}

enum tr_status tr_gpu_mirror_invalidate(struct tr_gpu *gpu, const struct tr_gpu_buffer *buffer,
                                        struct tr_error *error)
{
    VkMappedMemoryRange range = whole_range(&buffer->mirror);

    if (buffer->mirror.coherent)
        return TR_OK;
    return tr_gpu_result(gpu, gpu->vk.vkInvalidateMappedMemoryRanges(gpu->device, 1, &range),
                         "read a buffer's mirror", error);
}

/* Guards ------------------------------------------------------------------------------------------------- */

/* Copies the guard of every buffer but `copy` itself into copy's mirror, one behind the other. */
static void guards_record(struct tr_gpu *gpu, struct tr_gpu_commands *commands, struct tr_gpu_buffer *copy)
{
    uint64_t to_bytes = 0;

    for (const struct tr_gpu_buffer *at = gpu->buffers; at; at = at->next) {
        VkBufferCopy region = {at->size_bytes, to_bytes, TR_GPU_GUARD_BYTES};

        if (at->size_bytes == 0 || at == copy)
            continue;
        gpu->vk.vkCmdCopyBuffer(commands->buffer, at->device.buffer, copy->mirror.buffer, 1, &region);
        to_bytes += TR_GPU_GUARD_BYTES;
    }
    copy->download = commands;
}

static enum tr_status guards_compare(const struct tr_gpu *gpu, const struct tr_gpu_buffer *copy,
                                     struct tr_error *error)
{
    const uint32_t guard_words = TR_GPU_GUARD_BYTES / 4;
    const uint32_t *words = copy->mirror.map;

    for (const struct tr_gpu_buffer *at = gpu->buffers; at; at = at->next) {
        if (at->size_bytes == 0 || at == copy)
            continue;
        for (uint32_t i = 0; i < guard_words; i++)
            if (words[i] != TR_GPU_GUARD_WORD)
                return tr_fail(error, TR_NO_DEVICE,
                               "buffer '%s' of %llu bytes: word %u behind its end was overwritten, found "
                               "%08x, expected %08x",
                               at->name, (unsigned long long)at->size_bytes, i, words[i], TR_GPU_GUARD_WORD);
        words += guard_words;
    }
    return TR_OK;
}

enum tr_status tr_gpu_check_guards(struct tr_gpu *gpu, struct tr_error *error)
{
    struct tr_gpu_buffer *copy = NULL;
    struct tr_gpu_commands *commands = NULL;
    uint64_t size_bytes = 0;
    enum tr_status status;

    for (const struct tr_gpu_buffer *at = gpu->buffers; at; at = at->next)
        size_bytes += TR_GPU_GUARD_BYTES;
    if (size_bytes == 0)
        return TR_OK;
    status = tr_gpu_commands_create(gpu, &commands, error);
    if (status == TR_OK)
        status = tr_gpu_buffer_reserve(gpu, &copy, "guards", true, size_bytes, error);
    if (status == TR_OK)
        status = tr_gpu_begin(commands, error);
    if (status == TR_OK) {
        guards_record(gpu, commands, copy);
        status = tr_gpu_submit(commands, error);
    }
    if (status == TR_OK)
        status = tr_gpu_wait(commands, error);
    if (status == TR_OK)
        status = guards_compare(gpu, copy, error);
    tr_gpu_commands_free(commands);
    tr_gpu_buffer_free(gpu, copy);
    return status;
}
