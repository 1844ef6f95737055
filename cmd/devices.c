/* terrain devices: what there is to compute on. */
#include "cmd/common.h"
#include "lib/bake/devices.h"
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct tr_option options[] = {TR_OPTION_JSON, TR_OPTION_END};

static cJSON *device_json(size_t index, const struct tr_bake_device *device)
{
    const struct tr_gpu_info *info = &device->info;
    cJSON *object = cJSON_CreateObject();
    cJSON_AddNumberToObject(object, "index", (double)index);
    cJSON_AddStringToObject(object, "name", info->name);
    cJSON_AddStringToObject(object, "type", tr_gpu_type_name(info->type));
    cJSON_AddStringToObject(object, "driver", info->driver);
    char version[24];
    snprintf(version, sizeof version, "%u.%u", info->version_major, info->version_minor);
    cJSON_AddStringToObject(object, "vulkan", version);
    cJSON_AddNumberToObject(object, "memory_bytes", (double)info->memory_bytes);
    cJSON_AddNumberToObject(object, "storage_buffer_bytes", (double)info->storage_range_bytes);
    cJSON_AddNumberToObject(object, "workgroup_invocations", info->group_invocations);
    cJSON_AddNumberToObject(object, "shared_memory_bytes", info->shared_bytes);
    cJSON_AddBoolToObject(object, "exact", device->selftest.status == TR_OK);
    if (device->selftest.status != TR_OK)
        cJSON_AddStringToObject(object, "why_not", device->selftest.text);
    return object;
}

static void device_text(size_t index, const struct tr_bake_device *device)
{
    const struct tr_gpu_info *info = &device->info;
    char memory[32], range[32], shared[32];
    printf("%-5zu %s\n", index, info->name);
    printf("      %s, driver %s, Vulkan %u.%u\n", tr_gpu_type_name(info->type), info->driver,
           info->version_major, info->version_minor);
    printf("      memory %s, buffers up to %s, %u invocations and %s shared memory a workgroup\n",
           tr_bytes_text(info->memory_bytes, memory), tr_bytes_text(info->storage_range_bytes, range),
           info->group_invocations, tr_bytes_text(info->shared_bytes, shared));
    if (device->selftest.status == TR_OK)
        printf("      exact arithmetic: passes the self-test%s\n",
               info->type == TR_GPU_CPU ? "; software, used only when named" : "");
    else
        printf("      cannot be used: %s\n", device->selftest.text);
}

static enum tr_status run(const struct tr_call *call, struct tr_error *error)
{
    struct tr_bake_device *devices = NULL;
    struct tr_error why = {0};
    size_t count = 0;
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    enum tr_status status = tr_bake_devices(&devices, &count, &why);
    if (status == TR_IO) {
        *error = why;
        return status;
    }
    if (tr_call_has(call, "--json")) {
        cJSON *object = cJSON_CreateObject(), *array = cJSON_AddArrayToObject(object, "devices");
        cJSON *cpu = cJSON_CreateObject();
        cJSON_AddStringToObject(cpu, "name", "cpu");
        cJSON_AddNumberToObject(cpu, "processors", (double)processors);
        cJSON_AddStringToObject(cpu, "instructions", tr_isa_name(tr_isa_pick()));
        cJSON_AddBoolToObject(cpu, "exact", true);
        cJSON_AddItemToArray(array, cpu);
        for (size_t i = 0; i < count; i++)
            cJSON_AddItemToArray(array, device_json(i, &devices[i]));
        if (status != TR_OK)
            cJSON_AddStringToObject(object, "no_vulkan", why.text);
        status = tr_json_print(object, error);
    } else {
        printf("%-5s %ld processor%s, instruction set %s: the reference\n", "cpu", processors,
               processors == 1 ? "" : "s", tr_isa_name(tr_isa_pick()));
        for (size_t i = 0; i < count; i++)
            device_text(i, &devices[i]);
        if (status != TR_OK)
            printf("no Vulkan: %s\n", why.text);
        status = TR_OK;
    }
    free(devices);
    return status;
}

const struct tr_command tr_command_devices = {
    .name = "devices",
    .usage = NULL,
    .summary = "list what there is to compute on",
    .about = "Each device is tested: a self-test evaluates the exact arithmetic on it and compares every bit "
             "with the CPU's. What\n"
             "stands in the first column, or part of the name, is what --device takes.",
    .least = 0,
    .most = 0,
    .options = options,
    .run = run,
};
