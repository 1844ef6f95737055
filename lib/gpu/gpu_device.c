/* Devices: the Vulkan instance, the list of what there is, opening one, and the messages of the validation
 * layers.
 *
 * A list and an open device each have an instance of their own. Instance functions of all instances go
 * through the loader's entry points, so volk's globals serve any number of them; those of a device are loaded
 * into its own table. */
#include "lib/gpu/gpu_internal.h"

#include "lib/base/alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VALIDATION_LAYER "VK_LAYER_KHRONOS_validation"
#define PRIORITY 1.0f

static const char *result_name(VkResult result)
{
    switch (result) {
    case VK_ERROR_OUT_OF_HOST_MEMORY:
        return "out of host memory";
    case VK_ERROR_OUT_OF_DEVICE_MEMORY:
        return "out of device memory";
    case VK_ERROR_INITIALIZATION_FAILED:
        return "initialization failed";
    case VK_ERROR_DEVICE_LOST:
        return "the device was lost";
    case VK_ERROR_MEMORY_MAP_FAILED:
        return "memory cannot be mapped";
    case VK_ERROR_LAYER_NOT_PRESENT:
        return "a layer is not installed";
    case VK_ERROR_EXTENSION_NOT_PRESENT:
        return "an extension is not there";
    case VK_ERROR_INCOMPATIBLE_DRIVER:
        return "no driver is compatible";
    case VK_ERROR_TOO_MANY_OBJECTS:
        return "too many objects";
    case VK_ERROR_OUT_OF_POOL_MEMORY:
        return "out of pool memory";
    case VK_ERROR_FRAGMENTED_POOL:
        return "the pool is fragmented";
    default:
        return NULL;
    }
}

static enum tr_status vulkan_fail(VkResult result, const char *what, struct tr_error *error)
{
    const char *name = result_name(result);
    bool is_memory = result == VK_ERROR_OUT_OF_HOST_MEMORY || result == VK_ERROR_OUT_OF_DEVICE_MEMORY;
    enum tr_status status = is_memory ? TR_IO : TR_NO_DEVICE;

    if (name)
        return tr_fail(error, status, "vulkan cannot %s: %s", what, name);
    return tr_fail(error, status, "vulkan cannot %s: result %d", what, (int)result);
}

enum tr_status tr_gpu_check_messages(struct tr_gpu *gpu, struct tr_error *error)
{
    if (!gpu->has_message)
        return TR_OK;
    gpu->has_message = false;
    return tr_fail(error, TR_NO_DEVICE, "vulkan validation: %s", gpu->message);
}

enum tr_status tr_gpu_result(struct tr_gpu *gpu, VkResult result, const char *what, struct tr_error *error)
{
    enum tr_status status = tr_gpu_check_messages(gpu, error);

    if (status == TR_OK && result != VK_SUCCESS)
        status = vulkan_fail(result, what, error);
    return status;
}

static VKAPI_ATTR VkBool32 VKAPI_CALL message_keep(VkDebugUtilsMessageSeverityFlagBitsEXT severity,
                                                   VkDebugUtilsMessageTypeFlagsEXT types,
                                                   const VkDebugUtilsMessengerCallbackDataEXT *data,
                                                   void *user)
{
    struct tr_gpu *gpu = user;

    (void)severity;
    (void)types;
    if (!gpu->has_message) {
        gpu->has_message = true;
        snprintf(gpu->message, sizeof gpu->message, "%s", data->pMessage ? data->pMessage : "without text");
    }
    return VK_FALSE;
}

/* Instance ----------------------------------------------------------------------------------------------- */

static enum tr_status loader_find(struct tr_error *error)
{
    if (volkInitialize() != VK_SUCCESS)
        return tr_fail(error, TR_NO_DEVICE, "no vulkan loader (libvulkan.so.1) on this machine");
    if (volkGetInstanceVersion() < VK_API_VERSION_1_2)
        return tr_fail(error, TR_NO_DEVICE, "the vulkan loader offers version %u.%u, 1.2 is needed",
                       VK_API_VERSION_MAJOR(volkGetInstanceVersion()),
                       VK_API_VERSION_MINOR(volkGetInstanceVersion()));
    return TR_OK;
}

static enum tr_status validation_find(struct tr_error *error)
{
    VkLayerProperties *layers = NULL;
    uint32_t count = 0;
    enum tr_status status = TR_OK;
    bool found = false;

    if (vkEnumerateInstanceLayerProperties(&count, NULL) != VK_SUCCESS)
        count = 0;
    layers = tr_alloc(count, sizeof *layers, error);
    if (!layers)
        return TR_IO;
    if (count > 0 && vkEnumerateInstanceLayerProperties(&count, layers) < 0)
        count = 0;
    for (uint32_t i = 0; i < count; i++)
        found = found || strcmp(layers[i].layerName, VALIDATION_LAYER) == 0;
    if (!found)
        status = tr_fail(error, TR_NO_DEVICE,
                         "no vulkan validation layer (" VALIDATION_LAYER
                         ") on this machine, package vulkan-validationlayers");
    free(layers);
    return status;
}

static VkDebugUtilsMessengerCreateInfoEXT messenger_info(struct tr_gpu *gpu)
{
    return (VkDebugUtilsMessengerCreateInfoEXT){
        .sType = VK_STRUCTURE_TYPE_DEBUG_UTILS_MESSENGER_CREATE_INFO_EXT,
        .messageSeverity =
            VK_DEBUG_UTILS_MESSAGE_SEVERITY_WARNING_BIT_EXT | VK_DEBUG_UTILS_MESSAGE_SEVERITY_ERROR_BIT_EXT,
        .messageType = VK_DEBUG_UTILS_MESSAGE_TYPE_VALIDATION_BIT_EXT,
        .pfnUserCallback = message_keep,
        .pUserData = gpu,
    };
}

/* gpu: where messages go, or NULL for an instance without validation. */
static enum tr_status instance_create(struct tr_gpu *gpu, VkInstance *out, struct tr_error *error)
{
    static const char *const layers[] = {VALIDATION_LAYER};
    static const char *const extensions[] = {VK_EXT_DEBUG_UTILS_EXTENSION_NAME,
                                             VK_EXT_VALIDATION_FEATURES_EXTENSION_NAME};
    static const VkValidationFeatureEnableEXT enables[] = {
        VK_VALIDATION_FEATURE_ENABLE_SYNCHRONIZATION_VALIDATION_EXT};
    VkApplicationInfo application = {.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO,
                                     .apiVersion = VK_API_VERSION_1_2};
    VkInstanceCreateInfo info = {.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO,
                                 .pApplicationInfo = &application};
    VkDebugUtilsMessengerCreateInfoEXT messenger;
    VkValidationFeaturesEXT features = {
        .sType = VK_STRUCTURE_TYPE_VALIDATION_FEATURES_EXT,
        .enabledValidationFeatureCount = 1,
        .pEnabledValidationFeatures = enables,
    };
    VkResult result;
    enum tr_status status = loader_find(error);

    if (status == TR_OK && gpu)
        status = validation_find(error);
    if (status != TR_OK)
        return status;
    if (gpu) {
        messenger = messenger_info(gpu);
        features.pNext = &messenger;
        info.pNext = &features;
        info.enabledLayerCount = 1;
        info.ppEnabledLayerNames = layers;
        info.enabledExtensionCount = 2;
        info.ppEnabledExtensionNames = extensions;
    }
    result = vkCreateInstance(&info, NULL, out);
    if (result != VK_SUCCESS)
        return vulkan_fail(result, "create an instance", error);
    volkLoadInstanceOnly(*out);
    return TR_OK;
}

/* *out: the instance's devices; free() it. */
static enum tr_status physical_list(VkInstance instance, VkPhysicalDevice **out, uint32_t *count,
                                    struct tr_error *error)
{
    VkResult result = vkEnumeratePhysicalDevices(instance, count, NULL);

    if (result == VK_SUCCESS) {
        *out = tr_alloc(*count, sizeof **out, error);
        if (!*out)
            return TR_IO;
        if (*count > 0)
            result = vkEnumeratePhysicalDevices(instance, count, *out);
    }
    /* a loader without any driver answers so */
    if (result == VK_ERROR_INITIALIZATION_FAILED || result == VK_ERROR_INCOMPATIBLE_DRIVER) {
        *count = 0;
        result = VK_SUCCESS;
    }
    return result < 0 ? vulkan_fail(result, "list the devices", error) : TR_OK;
}

static uint64_t memory_largest_bytes(VkPhysicalDevice physical)
{
    VkPhysicalDeviceMemoryProperties memory;
    uint64_t largest = 0;

    vkGetPhysicalDeviceMemoryProperties(physical, &memory);
    for (uint32_t i = 0; i < memory.memoryHeapCount; i++)
        if ((memory.memoryHeaps[i].flags & VK_MEMORY_HEAP_DEVICE_LOCAL_BIT) &&
            memory.memoryHeaps[i].size > largest)
            largest = memory.memoryHeaps[i].size;
    return largest;
}

static void info_fill(VkPhysicalDevice physical, struct tr_gpu_info *info)
{
    VkPhysicalDeviceDriverProperties driver = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_DRIVER_PROPERTIES};
    VkPhysicalDeviceProperties2 properties = {.sType = VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_PROPERTIES_2};
    const VkPhysicalDeviceLimits *limits = &properties.properties.limits;

    vkGetPhysicalDeviceProperties(physical, &properties.properties);
    if (properties.properties.apiVersion >= VK_API_VERSION_1_2) {
        properties.pNext = &driver;
        vkGetPhysicalDeviceProperties2(physical, &properties);
    }
    *info = (struct tr_gpu_info){
        .type = properties.properties.deviceType <= VK_PHYSICAL_DEVICE_TYPE_CPU
                    ? (enum tr_gpu_type)properties.properties.deviceType
                    : TR_GPU_OTHER,
        .version_major = VK_API_VERSION_MAJOR(properties.properties.apiVersion),
        .version_minor = VK_API_VERSION_MINOR(properties.properties.apiVersion),
        .memory_bytes = memory_largest_bytes(physical),
        .storage_range_bytes = limits->maxStorageBufferRange,
        .storage_buffers = limits->maxPerStageDescriptorStorageBuffers < limits->maxPerStageResources
                               ? limits->maxPerStageDescriptorStorageBuffers
                               : limits->maxPerStageResources,
        .group_invocations = limits->maxComputeWorkGroupInvocations < limits->maxComputeWorkGroupSize[0]
                                 ? limits->maxComputeWorkGroupInvocations
                                 : limits->maxComputeWorkGroupSize[0],
        .group_count_x = limits->maxComputeWorkGroupCount[0],
        .group_count_y = limits->maxComputeWorkGroupCount[1],
        .shared_bytes = limits->maxComputeSharedMemorySize,
        .push_bytes = limits->maxPushConstantsSize,
    };
    snprintf(info->name, sizeof info->name, "%s", properties.properties.deviceName);
    snprintf(info->driver, sizeof info->driver, "%.60s %.255s", driver.driverName, driver.driverInfo);
}

const char *tr_gpu_type_name(enum tr_gpu_type type)
{
    static const char *const names[] = {"other", "integrated", "discrete", "virtual", "cpu"};

    return names[type];
}

enum tr_status tr_gpu_list(struct tr_gpu_info **infos, size_t *count, struct tr_error *error)
{
    VkInstance instance = VK_NULL_HANDLE;
    VkPhysicalDevice *physical = NULL;
    uint32_t found = 0;
    enum tr_status status;

    *infos = NULL;
    *count = 0;
    status = instance_create(NULL, &instance, error);
    if (status == TR_OK)
        status = physical_list(instance, &physical, &found, error);
    if (status == TR_OK) {
        *infos = tr_alloc(found, sizeof **infos, error);
        status = *infos ? TR_OK : TR_IO;
    }
    if (status == TR_OK) {
        *count = found;
        for (uint32_t i = 0; i < found; i++)
            info_fill(physical[i], *infos + i);
    }
    free(physical);
    if (instance)
        vkDestroyInstance(instance, NULL);
    return status;
}

/* Device ------------------------------------------------------------------------------------------------- */

static enum tr_status messenger_create(struct tr_gpu *gpu, struct tr_error *error)
{
    VkDebugUtilsMessengerCreateInfoEXT info = messenger_info(gpu);
    PFN_vkCreateDebugUtilsMessengerEXT create = (PFN_vkCreateDebugUtilsMessengerEXT)vkGetInstanceProcAddr(
        gpu->instance, "vkCreateDebugUtilsMessengerEXT");

    return tr_gpu_result(
        gpu, create ? create(gpu->instance, &info, NULL, &gpu->messenger) : VK_ERROR_EXTENSION_NOT_PRESENT,
        "receive validation messages", error);
}

static enum tr_status physical_pick(struct tr_gpu *gpu, size_t index, struct tr_error *error)
{
    VkPhysicalDevice *physical = NULL;
    uint32_t count = 0;
    enum tr_status status = physical_list(gpu->instance, &physical, &count, error);

    if (status == TR_OK && index >= count)
        status = tr_fail(error, TR_NO_DEVICE, "no vulkan device %zu, there are %u", index, count);
    if (status == TR_OK) {
        gpu->physical = physical[index];
        info_fill(gpu->physical, &gpu->info);
        if (gpu->info.version_major == 1 && gpu->info.version_minor < 2)
            status = tr_fail(error, TR_NO_DEVICE, "device '%s' offers vulkan %u.%u, 1.2 is needed",
                             gpu->info.name, gpu->info.version_major, gpu->info.version_minor);
    }
    free(physical);
    return status;
}

/* The first family that computes: where graphics go along, copies have been fastest. */
static enum tr_status family_pick(struct tr_gpu *gpu, struct tr_error *error)
{
    VkQueueFamilyProperties *families = NULL;
    VkPhysicalDeviceProperties properties;
    uint32_t count = 0, picked, bits;

    vkGetPhysicalDeviceQueueFamilyProperties(gpu->physical, &count, NULL);
    families = tr_alloc(count, sizeof *families, error);
    if (!families)
        return TR_IO;
    vkGetPhysicalDeviceQueueFamilyProperties(gpu->physical, &count, families);
    for (picked = 0; picked < count; picked++)
        if (families[picked].queueFlags & VK_QUEUE_COMPUTE_BIT)
            break;
    bits = picked < count ? families[picked].timestampValidBits : 0;
    free(families);
    if (picked == count)
        return tr_fail(error, TR_NO_DEVICE, "device '%s' has no compute queue", gpu->info.name);
    vkGetPhysicalDeviceProperties(gpu->physical, &properties);
    gpu->family = picked;
    gpu->atom_bytes = properties.limits.nonCoherentAtomSize;
    gpu->ns_per_tick = bits > 0 ? (double)properties.limits.timestampPeriod : 0.0;
    gpu->tick_mask = bits < 64 ? ((uint64_t)1 << bits) - 1 : UINT64_MAX;
    return TR_OK;
}

static enum tr_status device_create(struct tr_gpu *gpu, struct tr_error *error)
{
    const float priority = PRIORITY;
    VkDeviceQueueCreateInfo queue = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO,
        .queueFamilyIndex = gpu->family,
        .queueCount = 1,
        .pQueuePriorities = &priority,
    };
    VkDeviceCreateInfo info = {
        .sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO,
        .queueCreateInfoCount = 1,
        .pQueueCreateInfos = &queue,
    };
    VkResult result = vkCreateDevice(gpu->physical, &info, NULL, &gpu->device);

    if (result == VK_SUCCESS) {
        volkLoadDeviceTable(&gpu->vk, gpu->device);
        vkGetPhysicalDeviceMemoryProperties(gpu->physical, &gpu->memory);
        gpu->vk.vkGetDeviceQueue(gpu->device, gpu->family, 0, &gpu->queue);
    } else {
        gpu->device = VK_NULL_HANDLE;
    }
    return tr_gpu_result(gpu, result, "open the device", error);
}

enum tr_status tr_gpu_open(size_t index, bool validate, struct tr_gpu **out, struct tr_error *error)
{
    struct tr_gpu *gpu = tr_alloc(1, sizeof *gpu, error);
    enum tr_status status;

    *out = NULL;
    if (!gpu)
        return TR_IO;
    status = instance_create(validate ? gpu : NULL, &gpu->instance, error);
    if (status == TR_OK && validate)
        status = messenger_create(gpu, error);
    if (status == TR_OK)
        status = physical_pick(gpu, index, error);
    if (status == TR_OK)
        status = family_pick(gpu, error);
    if (status == TR_OK)
        status = device_create(gpu, error);
    if (status == TR_OK) {
        *out = gpu;
        gpu = NULL;
    }
    tr_gpu_close(gpu);
    return status;
}

void tr_gpu_close(struct tr_gpu *gpu)
{
    if (!gpu)
        return;
    if (gpu->device) {
        gpu->vk.vkDeviceWaitIdle(gpu->device);
        gpu->vk.vkDestroyDevice(gpu->device, NULL);
    }
    if (gpu->messenger) {
        PFN_vkDestroyDebugUtilsMessengerEXT destroy =
            (PFN_vkDestroyDebugUtilsMessengerEXT)vkGetInstanceProcAddr(gpu->instance,
                                                                       "vkDestroyDebugUtilsMessengerEXT");

        destroy(gpu->instance, gpu->messenger, NULL);
    }
    if (gpu->instance)
        vkDestroyInstance(gpu->instance, NULL);
    free(gpu);
}

const struct tr_gpu_info *tr_gpu_info(const struct tr_gpu *gpu)
{
    return &gpu->info;
}
