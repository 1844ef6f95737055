/* The one copy of volk: it finds the Vulkan loader when the program runs, so the binary starts on machines
 * that have none. */
#define VOLK_IMPLEMENTATION
#include <volk.h>
