/* Commands: recorded, submitted to the one queue, waited for by a fence.
 *
 * A recording begins with a barrier after everything submitted before, so what one round leaves on the device
 * the next one reads. Barriers name compute alone wherever no copy is near: a broad one costs twice as
 * much. */
#include "lib/gpu/gpu_internal.h"

#include "lib/base/alloc.h"
#include <stdlib.h>

enum tr_status tr_gpu_commands_create(struct tr_gpu *gpu, struct tr_gpu_commands **out,
                                      struct tr_error *error)
{
    VkCommandPoolCreateInfo pool = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_POOL_CREATE_INFO,
        .queueFamilyIndex = gpu->family,
    };
    VkCommandBufferAllocateInfo buffer = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_ALLOCATE_INFO,
        .level = VK_COMMAND_BUFFER_LEVEL_PRIMARY,
        .commandBufferCount = 1,
    };
    VkDescriptorPoolSize size = {VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
                                 TR_GPU_DISPATCHES_MAX * TR_GPU_BUFFERS_MAX};
    VkDescriptorPoolCreateInfo descriptors = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_POOL_CREATE_INFO,
        .maxSets = TR_GPU_DISPATCHES_MAX,
        .poolSizeCount = 1,
        .pPoolSizes = &size,
    };
    VkQueryPoolCreateInfo queries = {
        .sType = VK_STRUCTURE_TYPE_QUERY_POOL_CREATE_INFO,
        .queryType = VK_QUERY_TYPE_TIMESTAMP,
        .queryCount = TR_GPU_STAMPS_MAX,
    };
    VkFenceCreateInfo fence = {.sType = VK_STRUCTURE_TYPE_FENCE_CREATE_INFO};
    struct tr_gpu_commands *commands = tr_alloc(1, sizeof *commands, error);
    VkResult result;
    enum tr_status status;

    *out = NULL;
    if (!commands)
        return TR_IO;
    commands->gpu = gpu;
    result = gpu->vk.vkCreateCommandPool(gpu->device, &pool, NULL, &commands->pool);
    if (result == VK_SUCCESS) {
        buffer.commandPool = commands->pool;
        result = gpu->vk.vkAllocateCommandBuffers(gpu->device, &buffer, &commands->buffer);
    }
    if (result == VK_SUCCESS)
        result = gpu->vk.vkCreateDescriptorPool(gpu->device, &descriptors, NULL, &commands->descriptors);
    if (result == VK_SUCCESS && gpu->ns_per_tick > 0.0)
        result = gpu->vk.vkCreateQueryPool(gpu->device, &queries, NULL, &commands->queries);
    if (result == VK_SUCCESS)
        result = gpu->vk.vkCreateFence(gpu->device, &fence, NULL, &commands->fence);
    status = tr_gpu_result(gpu, result, "create commands", error);
    if (status == TR_OK) {
        *out = commands;
        commands = NULL;
    }
    tr_gpu_commands_free(commands);
    return status;
}

void tr_gpu_commands_free(struct tr_gpu_commands *commands)
{
    struct tr_gpu *gpu;

    if (!commands)
        return;
    gpu = commands->gpu;
    tr_gpu_wait(commands, NULL);
    gpu->vk.vkDestroyFence(gpu->device, commands->fence, NULL);
    gpu->vk.vkDestroyQueryPool(gpu->device, commands->queries, NULL);
    gpu->vk.vkDestroyDescriptorPool(gpu->device, commands->descriptors, NULL);
    gpu->vk.vkDestroyCommandPool(gpu->device, commands->pool, NULL);
    free(commands);
}

/* Whether a recording call is to do anything: not after a failure. */
static bool recording_goes_on(struct tr_gpu_commands *commands)
{
    return commands->recording && commands->failure.status == TR_OK;
}

static void barrier_record(struct tr_gpu_commands *commands, VkPipelineStageFlags from, VkAccessFlags written,
                           VkPipelineStageFlags to, VkAccessFlags used)
{
    VkMemoryBarrier barrier = {
        .sType = VK_STRUCTURE_TYPE_MEMORY_BARRIER,
        .srcAccessMask = written,
        .dstAccessMask = used,
    };

    commands->gpu->vk.vkCmdPipelineBarrier(commands->buffer, from, to, 0, 1, &barrier, 0, NULL, 0, NULL);
}

static void guards_record(struct tr_gpu_commands *commands)
{
    struct tr_gpu *gpu = commands->gpu;

    for (struct tr_gpu_buffer *at = gpu->buffers; at; at = at->next) {
        if (!at->guard_missing)
            continue;
        gpu->vk.vkCmdFillBuffer(commands->buffer, at->device.buffer, at->size_bytes, TR_GPU_GUARD_BYTES,
                                TR_GPU_GUARD_WORD);
        at->guard = commands;
    }
}

/* Only a submission writes what was recorded. */
static void guards_submitted(struct tr_gpu_commands *commands)
{
    for (struct tr_gpu_buffer *at = commands->gpu->buffers; at; at = at->next)
        if (at->guard == commands)
            at->guard_missing = false;
}

enum tr_status tr_gpu_begin(struct tr_gpu_commands *commands, struct tr_error *error)
{
    struct tr_gpu *gpu = commands->gpu;
    VkCommandBufferBeginInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMMAND_BUFFER_BEGIN_INFO,
        .flags = VK_COMMAND_BUFFER_USAGE_ONE_TIME_SUBMIT_BIT,
    };
    const VkPipelineStageFlags both = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT | VK_PIPELINE_STAGE_TRANSFER_BIT;
    VkResult result;
    enum tr_status status = tr_gpu_wait(commands, error);

    if (status != TR_OK)
        return status;
    commands->failure.status = TR_OK;
    commands->dispatch_count = 0;
    commands->stamp_count = 0;
    result = gpu->vk.vkResetCommandPool(gpu->device, commands->pool, 0);
    if (result == VK_SUCCESS)
        result = gpu->vk.vkResetDescriptorPool(gpu->device, commands->descriptors, 0);
    if (result == VK_SUCCESS)
        result = gpu->vk.vkBeginCommandBuffer(commands->buffer, &info);
    status = tr_gpu_result(gpu, result, "begin commands", error);
    commands->recording = status == TR_OK;
    if (status != TR_OK)
        return status;
    if (commands->queries)
        gpu->vk.vkCmdResetQueryPool(commands->buffer, commands->queries, 0, TR_GPU_STAMPS_MAX);
    guards_record(commands);
    barrier_record(commands, both, VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_WRITE_BIT, both,
                   VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT | VK_ACCESS_TRANSFER_READ_BIT |
                       VK_ACCESS_TRANSFER_WRITE_BIT);
    return TR_OK;
}

/* Whether a copy between buffer and mirror is one: its range lies inside and there is a mirror. */
static bool copy_fits(struct tr_gpu_commands *commands, const struct tr_gpu_buffer *buffer,
                      uint64_t offset_bytes, uint64_t size_bytes)
{
    if (buffer->mirror.map && offset_bytes % 4 == 0 && size_bytes % 4 == 0 &&
        offset_bytes <= buffer->size_bytes && size_bytes <= buffer->size_bytes - offset_bytes)
        return true;
    tr_fail(&commands->failure, TR_NO_DEVICE, "copy of %llu bytes at %llu of buffer '%s', which has %llu%s",
            (unsigned long long)size_bytes, (unsigned long long)offset_bytes, buffer->name,
            (unsigned long long)buffer->size_bytes, buffer->mirror.map ? "" : " and no mirror");
    return false;
}

void tr_gpu_upload(struct tr_gpu_commands *commands, struct tr_gpu_buffer *buffer, uint64_t offset_bytes,
                   uint64_t size_bytes)
{
    VkBufferCopy region = {offset_bytes, offset_bytes, size_bytes};

    if (size_bytes == 0 || !recording_goes_on(commands) ||
        !copy_fits(commands, buffer, offset_bytes, size_bytes))
        return;
    if (tr_gpu_mirror_flush(commands->gpu, buffer, &commands->failure) == TR_OK)
        commands->gpu->vk.vkCmdCopyBuffer(commands->buffer, buffer->mirror.buffer, buffer->device.buffer, 1,
                                          &region);
}

void tr_gpu_download(struct tr_gpu_commands *commands, struct tr_gpu_buffer *buffer, uint64_t offset_bytes,
                     uint64_t size_bytes)
{
    VkBufferCopy region = {offset_bytes, offset_bytes, size_bytes};

    if (size_bytes == 0 || !recording_goes_on(commands) ||
        !copy_fits(commands, buffer, offset_bytes, size_bytes))
        return;
    commands->gpu->vk.vkCmdCopyBuffer(commands->buffer, buffer->device.buffer, buffer->mirror.buffer, 1,
                                      &region);
    buffer->download = commands;
}

void tr_gpu_barrier(struct tr_gpu_commands *commands, enum tr_gpu_barrier barrier)
{
    const VkPipelineStageFlags compute = VK_PIPELINE_STAGE_COMPUTE_SHADER_BIT;
    const VkPipelineStageFlags copy = VK_PIPELINE_STAGE_TRANSFER_BIT;
    const VkAccessFlags use = VK_ACCESS_SHADER_READ_BIT | VK_ACCESS_SHADER_WRITE_BIT;

    if (!recording_goes_on(commands))
        return;
    switch (barrier) {
    case TR_GPU_UPLOAD_TO_KERNEL:
        barrier_record(commands, copy, VK_ACCESS_TRANSFER_WRITE_BIT, compute, use);
        break;
    case TR_GPU_KERNEL_TO_KERNEL:
        barrier_record(commands, compute, VK_ACCESS_SHADER_WRITE_BIT, compute, use);
        break;
    case TR_GPU_KERNEL_TO_DOWNLOAD:
        barrier_record(commands, compute, VK_ACCESS_SHADER_WRITE_BIT, copy, VK_ACCESS_TRANSFER_READ_BIT);
        break;
    }
}

/* A set that binds the buffers with their guards, so that a kernel writing behind the end hits them. */
static VkDescriptorSet set_create(struct tr_gpu_commands *commands, const struct tr_gpu_kernel *kernel,
                                  struct tr_gpu_buffer *const *buffers)
{
    struct tr_gpu *gpu = commands->gpu;
    VkDescriptorSetAllocateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_ALLOCATE_INFO,
        .descriptorPool = commands->descriptors,
        .descriptorSetCount = 1,
        .pSetLayouts = &kernel->set_layout,
    };
    VkDescriptorBufferInfo bound[TR_GPU_BUFFERS_MAX];
    VkWriteDescriptorSet writes[TR_GPU_BUFFERS_MAX];
    VkDescriptorSet set = VK_NULL_HANDLE;
    VkResult result = gpu->vk.vkAllocateDescriptorSets(gpu->device, &info, &set);

    if (tr_gpu_result(gpu, result, "bind buffers", &commands->failure) != TR_OK)
        return VK_NULL_HANDLE;
    for (uint32_t i = 0; i < kernel->buffer_count; i++) {
        bound[i] = (VkDescriptorBufferInfo){buffers[i]->device.buffer, 0,
                                            buffers[i]->size_bytes + TR_GPU_GUARD_BYTES};
        writes[i] = (VkWriteDescriptorSet){
            .sType = VK_STRUCTURE_TYPE_WRITE_DESCRIPTOR_SET,
            .dstSet = set,
            .dstBinding = i,
            .descriptorCount = 1,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .pBufferInfo = bound + i,
        };
    }
    gpu->vk.vkUpdateDescriptorSets(gpu->device, kernel->buffer_count, writes, 0, NULL);
    return set;
}

static bool dispatch_fits(struct tr_gpu_commands *commands, const struct tr_gpu_kernel *kernel,
                          struct tr_gpu_buffer *const *buffers, uint64_t rows)
{
    struct tr_error *failure = &commands->failure;

    if (rows > commands->gpu->info.group_count_y)
        return tr_fail(failure, TR_NO_DEVICE,
                       "kernel '%s' in %llu rows of workgroups: device '%s' takes at most %u", kernel->name,
                       (unsigned long long)rows, commands->gpu->info.name,
                       commands->gpu->info.group_count_y) == TR_OK;
    if (commands->dispatch_count == TR_GPU_DISPATCHES_MAX)
        return tr_fail(failure, TR_NO_DEVICE,
                       "kernel '%s' is dispatch %d of one recording, at most %d are taken", kernel->name,
                       TR_GPU_DISPATCHES_MAX + 1, TR_GPU_DISPATCHES_MAX) == TR_OK;
    for (uint32_t i = 0; i < kernel->buffer_count; i++)
        if (!buffers[i] || buffers[i]->size_bytes == 0)
            return tr_fail(failure, TR_NO_DEVICE, "kernel '%s': no buffer at binding %u", kernel->name, i) ==
                   TR_OK;
    return true;
}

void tr_gpu_dispatch(struct tr_gpu_commands *commands, const struct tr_gpu_kernel *kernel,
                     struct tr_gpu_buffer *const *buffers, const void *params, uint64_t group_count)
{
    struct tr_gpu *gpu = commands->gpu;
    uint64_t rows = group_count / gpu->info.group_count_x + (group_count % gpu->info.group_count_x != 0);
    VkDescriptorSet set;

    if (group_count == 0 || !recording_goes_on(commands) || !dispatch_fits(commands, kernel, buffers, rows))
        return;
    set = set_create(commands, kernel, buffers);
    if (!set)
        return;
    commands->dispatch_count++;
    gpu->vk.vkCmdBindPipeline(commands->buffer, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->pipeline);
    gpu->vk.vkCmdBindDescriptorSets(commands->buffer, VK_PIPELINE_BIND_POINT_COMPUTE, kernel->layout, 0, 1,
                                    &set, 0, NULL);
    if (kernel->params_bytes > 0)
        gpu->vk.vkCmdPushConstants(commands->buffer, kernel->layout, VK_SHADER_STAGE_COMPUTE_BIT, 0,
                                   kernel->params_bytes, params);
    /* as few columns as the rows need, so that hardly any group is one too many */
    gpu->vk.vkCmdDispatch(commands->buffer, (uint32_t)((group_count + rows - 1) / rows), (uint32_t)rows, 1);
}

uint32_t tr_gpu_stamp(struct tr_gpu_commands *commands)
{
    if (!recording_goes_on(commands) || commands->stamp_count == TR_GPU_STAMPS_MAX)
        return 0;
    if (commands->queries)
        commands->gpu->vk.vkCmdWriteTimestamp(commands->buffer, VK_PIPELINE_STAGE_BOTTOM_OF_PIPE_BIT,
                                              commands->queries, commands->stamp_count);
    return commands->stamp_count++;
}

enum tr_status tr_gpu_submit(struct tr_gpu_commands *commands, struct tr_error *error)
{
    struct tr_gpu *gpu = commands->gpu;
    VkSubmitInfo info = {
        .sType = VK_STRUCTURE_TYPE_SUBMIT_INFO,
        .commandBufferCount = 1,
        .pCommandBuffers = &commands->buffer,
    };
    VkResult result;

    if (!commands->recording)
        return tr_fail(error, TR_NO_DEVICE, "commands were submitted that were not begun");
    commands->recording = false;
    if (commands->failure.status != TR_OK)
        return tr_fail(error, commands->failure.status, "%s", commands->failure.text);
    barrier_record(commands, VK_PIPELINE_STAGE_TRANSFER_BIT, VK_ACCESS_TRANSFER_WRITE_BIT,
                   VK_PIPELINE_STAGE_HOST_BIT, VK_ACCESS_HOST_READ_BIT);
    result = gpu->vk.vkEndCommandBuffer(commands->buffer);
    if (result == VK_SUCCESS)
        result = gpu->vk.vkResetFences(gpu->device, 1, &commands->fence);
    if (result == VK_SUCCESS) {
        result = gpu->vk.vkQueueSubmit(gpu->queue, 1, &info, commands->fence);
        commands->pending = result == VK_SUCCESS;
    }
    if (commands->pending)
        guards_submitted(commands);
    return tr_gpu_result(gpu, result, "submit commands", error);
}

enum tr_status tr_gpu_wait(struct tr_gpu_commands *commands, struct tr_error *error)
{
    struct tr_gpu *gpu = commands->gpu;
    enum tr_status status;

    if (!commands->pending)
        return TR_OK;
    commands->pending = false;
    status =
        tr_gpu_result(gpu, gpu->vk.vkWaitForFences(gpu->device, 1, &commands->fence, VK_TRUE, UINT64_MAX),
                      "run commands", error);
    for (struct tr_gpu_buffer *at = gpu->buffers; at; at = at->next) {
        if (at->download != commands)
            continue;
        at->download = NULL;
        if (status == TR_OK)
            status = tr_gpu_mirror_invalidate(gpu, at, error);
    }
    return status;
}

uint64_t tr_gpu_elapsed_ns(struct tr_gpu_commands *commands, uint32_t from, uint32_t to)
{
    struct tr_gpu *gpu = commands->gpu;
    uint64_t ticks[2] = {0, 0};
    const uint32_t stamps[2] = {from, to};

    if (!commands->queries)
        return 0;
    for (int i = 0; i < 2; i++)
        if (stamps[i] >= commands->stamp_count ||
            gpu->vk.vkGetQueryPoolResults(gpu->device, commands->queries, stamps[i], 1, sizeof ticks[i],
                                          ticks + i, sizeof ticks[i], VK_QUERY_RESULT_64_BIT) != VK_SUCCESS)
            return 0;
    return (uint64_t)((double)((ticks[1] - ticks[0]) & gpu->tick_mask) * gpu->ns_per_tick);
}
