/* Vulkan devices: finding the one that is meant, and listing all of them with the result of their
 * self-test. */
#include "lib/bake/devices.h"

#include "lib/bake/vulkan_internal.h"
#include "lib/base/alloc.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NONE SIZE_MAX

/* Whether part occurs in text; ASCII letters of either case are alike, whatever the locale. */
static bool text_contains(const char *text, const char *part)
{
    for (; *text; text++) {
        size_t i = 0;

        while (part[i] && text[i]) {
            char a = text[i], b = part[i];

            a = (char)(a >= 'A' && a <= 'Z' ? a - 'A' + 'a' : a);
            b = (char)(b >= 'A' && b <= 'Z' ? b - 'A' + 'a' : b);
            if (a != b)
                break;
            i++;
        }
        if (!part[i])
            return true;
    }
    return false;
}

static bool text_is_number(const char *text)
{
    return *text && strspn(text, "0123456789") == strlen(text);
}

static bool device_matches(const struct tr_gpu_info *info, const char *wanted)
{
    if (strcmp(wanted, "auto") == 0)
        return info->type != TR_GPU_CPU;
    return text_contains(info->name, wanted);
}

/* "0 'name' (discrete), 1 'name' (cpu)" */
static void devices_text(const struct tr_gpu_info *infos, size_t count, char *text, size_t size_bytes)
{
    size_t used = 0;

    snprintf(text, size_bytes, "no vulkan device");
    for (size_t i = 0; i < count && used < size_bytes; i++) {
        int length = snprintf(text + used, size_bytes - used, "%s%zu '%s' (%s)", i > 0 ? ", " : "", i,
                              infos[i].name, tr_gpu_type_name(infos[i].type));

        used += length > 0 ? (size_t)length : 0;
    }
}

static enum tr_status fail_missing(const char *wanted, const struct tr_gpu_info *infos, size_t count,
                                   struct tr_error *error)
{
    char text[TR_ERROR_TEXT_BYTES / 2];

    devices_text(infos, count, text, sizeof text);
    if (strcmp(wanted, "auto") == 0)
        return tr_fail(error, TR_NO_DEVICE, "no real gpu, there is: cpu, %s", text);
    return tr_fail(error, TR_NO_DEVICE, "no device '%s', there is: cpu, %s", wanted, text);
}

enum tr_status tr_bake_device_find(const char *wanted, size_t start, size_t *index, struct tr_error *error)
{
    struct tr_gpu_info *infos = NULL;
    size_t count = 0, found = NONE;
    enum tr_status status = tr_gpu_list(&infos, &count, error);

    if (status != TR_OK)
        return status;
    if (text_is_number(wanted)) {
        size_t number = strlen(wanted) < 10 ? strtoul(wanted, NULL, 10) : NONE;

        if (number >= start && number < count)
            found = number;
    } else if (*wanted) {
        for (size_t i = start; i < count && found == NONE; i++)
            if (device_matches(&infos[i], wanted))
                found = i;
    }
    if (found == NONE)
        status = fail_missing(wanted, infos, count, error);
    else
        *index = found;
    free(infos);
    return status;
}

static void device_test(size_t index, struct tr_error *result)
{
    struct tr_vulkan *vulkan = NULL;

    *result = (struct tr_error){.status = TR_OK};
    if (tr_vulkan_open(index, 1, false, &vulkan, result) != TR_OK)
        return;
    tr_vulkan_selftest(vulkan, result);
    tr_vulkan_close(&vulkan->bake);
}

enum tr_status tr_bake_devices(struct tr_bake_device **out, size_t *count, struct tr_error *error)
{
    struct tr_gpu_info *infos = NULL;
    size_t found = 0;
    enum tr_status status = tr_gpu_list(&infos, &found, error);

    *out = NULL;
    *count = 0;
    if (status == TR_OK) {
        *out = tr_alloc(found, sizeof **out, error);
        status = *out ? TR_OK : TR_IO;
    }
    for (size_t i = 0; i < found && status == TR_OK; i++) {
        (*out)[i].info = infos[i];
        device_test(i, &(*out)[i].selftest);
        *count = i + 1;
    }
    free(infos);
    return status;
}
