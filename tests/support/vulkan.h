/* Vulkan drivers under the leak checker: a driver that is unloaded leaves what it holds unreachable. */
#ifndef TESTS_SUPPORT_VULKAN_H
#define TESTS_SUPPORT_VULKAN_H

/* Keeps the software driver and the validation layer loaded, so that what they hold stays reachable. Before a device is opened. */
void vulkan_pin_driver(void);

#endif
