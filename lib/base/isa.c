/* Instruction sets: what this processor (and its operating system, for the wide registers) offers, as one of
 * the x86-64 levels.
 *
 * The levels are those of the x86-64 psABI. The compiler's built-in answers for the features whose registers
 * the system must save; older clang does not know the names of the other three, which cpuid tells directly.
 */
#include "lib/base/isa.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>

#define CPUID_1_ECX_MOVBE (1u << 22)
#define CPUID_1_ECX_F16C (1u << 29)
#define CPUID_80000001_ECX_LZCNT (1u << 5)

static bool has_cpuid_bits(unsigned leaf, unsigned wanted_ecx)
{
    unsigned eax, ebx, ecx, edx;

    return __get_cpuid(leaf, &eax, &ebx, &ecx, &edx) && (ecx & wanted_ecx) == wanted_ecx;
}

static bool has_v3(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2") && has_cpuid_bits(1, CPUID_1_ECX_MOVBE | CPUID_1_ECX_F16C) &&
           has_cpuid_bits(0x80000001, CPUID_80000001_ECX_LZCNT);
}

static bool has_v4(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

static int highest_level(void)
{
    __builtin_cpu_init();
    if (!has_v3())
        return 0;
    return has_v4() ? 2 : 1;
}
#else
static int highest_level(void)
{
    return 0;
}
#endif

static const char *const level_names[] = {"v2", "v3", "v4"};

int tr_isa_pick(void)
{
    const char *wanted = getenv("TERRAIN_ISA");
    int highest = highest_level();

    for (int level = 0; wanted && level < highest; level++)
        if (strcmp(wanted, level_names[level]) == 0)
            return level;
    return highest;
}

const char *tr_isa_name(int level)
{
    return level >= 0 && level < TR_ISA_LEVELS ? level_names[level] : "unknown";
}
