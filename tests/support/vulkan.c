/* See vulkan.h. */
#include "tests/support/vulkan.h"
#include <dlfcn.h>

/* The layer's losses are its own. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libVkLayer_khronos_validation.so\n";
}

void vulkan_pin_driver(void)
{
    dlopen("libvulkan_lvp.so", RTLD_LAZY | RTLD_NODELETE);
    dlopen("libVkLayer_khronos_validation.so", RTLD_LAZY | RTLD_NODELETE);
}
