/* Kernels: a compute pipeline over storage buffers 0.. of set 0, parameters as push constants, and the
 * workgroup's size as specialization constant 0. */
#include "lib/gpu/gpu_internal.h"

#include "lib/base/alloc.h"
#include <stdlib.h>

static enum tr_status limits_check(const struct tr_gpu_info *device,
                                   const struct tr_gpu_kernel_source *source, struct tr_error *error)
{
    const struct {
        const char *what;
        uint32_t needed, most;
    } limits[] = {
        {"storage buffers", source->buffer_count, TR_GPU_BUFFERS_MAX},
        {"storage buffers", source->buffer_count, device->storage_buffers},
        {"bytes of parameters", source->params_bytes, TR_GPU_PARAMS_BYTES_MAX},
        {"bytes of parameters", source->params_bytes, device->push_bytes},
        {"invocations in a workgroup", source->local_size, device->group_invocations},
        {"bytes of shared memory", source->shared_bytes, device->shared_bytes},
    };

    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
        if (limits[i].needed > limits[i].most)
            return tr_fail(error, TR_NO_DEVICE, "kernel '%s' needs %u %s: device '%s' has at most %u",
                           source->name, limits[i].needed, limits[i].what, device->name, limits[i].most);
    return TR_OK;
}

static enum tr_status layout_create(struct tr_gpu *gpu, const struct tr_gpu_kernel_source *source,
                                    struct tr_gpu_kernel *kernel, struct tr_error *error)
{
    VkDescriptorSetLayoutBinding bindings[TR_GPU_BUFFERS_MAX];
    VkDescriptorSetLayoutCreateInfo set = {
        .sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO,
        .bindingCount = source->buffer_count,
        .pBindings = bindings,
    };
    VkPushConstantRange push = {VK_SHADER_STAGE_COMPUTE_BIT, 0, source->params_bytes};
    VkPipelineLayoutCreateInfo layout = {
        .sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO,
        .setLayoutCount = 1,
        .pSetLayouts = &kernel->set_layout,
        .pushConstantRangeCount = source->params_bytes > 0 ? 1 : 0,
        .pPushConstantRanges = &push,
    };
    enum tr_status status;

    for (uint32_t i = 0; i < source->buffer_count; i++)
        bindings[i] = (VkDescriptorSetLayoutBinding){
            .binding = i,
            .descriptorType = VK_DESCRIPTOR_TYPE_STORAGE_BUFFER,
            .descriptorCount = 1,
            .stageFlags = VK_SHADER_STAGE_COMPUTE_BIT,
        };
    status =
        tr_gpu_result(gpu, gpu->vk.vkCreateDescriptorSetLayout(gpu->device, &set, NULL, &kernel->set_layout),
                      "create a descriptor layout", error);
    if (status == TR_OK)
        status =
            tr_gpu_result(gpu, gpu->vk.vkCreatePipelineLayout(gpu->device, &layout, NULL, &kernel->layout),
                          "create a pipeline layout", error);
    return status;
}

static enum tr_status pipeline_create(struct tr_gpu *gpu, const struct tr_gpu_kernel_source *source,
                                      struct tr_gpu_kernel *kernel, struct tr_error *error)
{
    VkShaderModuleCreateInfo module_info = {
        .sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO,
        .codeSize = source->size_bytes,
        .pCode = source->words,
    };
    VkSpecializationMapEntry entry = {0, 0, sizeof source->local_size};
    VkSpecializationInfo constants = {1, &entry, sizeof source->local_size, &source->local_size};
    VkComputePipelineCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO,
        .stage =
            {
                .sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO,
                .stage = VK_SHADER_STAGE_COMPUTE_BIT,
                .pName = "main",
                .pSpecializationInfo = &constants,
            },
        .layout = kernel->layout,
    };
    VkResult result = gpu->vk.vkCreateShaderModule(gpu->device, &module_info, NULL, &info.stage.module);

    if (result == VK_SUCCESS)
        result =
            gpu->vk.vkCreateComputePipelines(gpu->device, VK_NULL_HANDLE, 1, &info, NULL, &kernel->pipeline);
    gpu->vk.vkDestroyShaderModule(gpu->device, info.stage.module, NULL);
    return tr_gpu_result(gpu, result, "create a compute pipeline", error);
}

enum tr_status tr_gpu_kernel_create(struct tr_gpu *gpu, const struct tr_gpu_kernel_source *source,
                                    struct tr_gpu_kernel **out, struct tr_error *error)
{
    struct tr_gpu_kernel *kernel = NULL;
    enum tr_status status = limits_check(&gpu->info, source, error);

    *out = NULL;
    if (status == TR_OK) {
        kernel = tr_alloc(1, sizeof *kernel, error);
        status = kernel ? TR_OK : TR_IO;
    }
    if (status == TR_OK) {
        kernel->name = source->name;
        kernel->buffer_count = source->buffer_count;
        kernel->params_bytes = source->params_bytes;
        status = layout_create(gpu, source, kernel, error);
    }
    if (status == TR_OK)
        status = pipeline_create(gpu, source, kernel, error);
    if (status == TR_OK) {
        *out = kernel;
        kernel = NULL;
    }
    tr_gpu_kernel_free(gpu, kernel);
    return status;
}

void tr_gpu_kernel_free(struct tr_gpu *gpu, struct tr_gpu_kernel *kernel)
{
    if (!kernel)
        return;
    gpu->vk.vkDestroyPipeline(gpu->device, kernel->pipeline, NULL);
    gpu->vk.vkDestroyPipelineLayout(gpu->device, kernel->layout, NULL);
    gpu->vk.vkDestroyDescriptorSetLayout(gpu->device, kernel->set_layout, NULL);
    free(kernel);
}
