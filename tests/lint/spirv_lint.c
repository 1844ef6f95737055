/* spirv_lint FILE.spv...: whether compiled kernels keep to the exact arithmetic of shaders/shared.h.
 *
 * Drivers may fuse, reorder and round as they like whatever is not forbidden to them, and software Vulkan hides nearly all of it; so
 * the words of each module are held against lists of what is allowed, after the SPIR-V specification 1.5:
 *
 *   module          it is a whole SPIR-V module
 *   capability      Shader alone: no 16 or 64 bit floats, no subgroups
 *   extension       none, and no instruction set but GLSL.std.450
 *   execution-mode  LocalSize alone
 *   decoration      none that loosens precision (RelaxedPrecision, FPFastMathMode, ...)
 *   opcode          on floats: add, subtract, multiply, negate, compare, convert, and moving them about
 *   ext-inst        of GLSL.std.450: Floor, and functions of integers
 *   contraction     every float add, subtract, multiply and negate is NoContraction
 *   atomic          only those whose order cannot be seen: and, or, min, max
 *   atomic-result   and what they return is not used
 *
 * Prints "FILE: RULE: what" for each finding; exit status 0 clean, 1 findings, 2 trouble. */
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAGIC 0x07230203u
#define HEADER_WORDS 5
#define FILE_WORDS_MAX (1u << 22)
#define ID_MAX (1u << 20)

enum {
    OP_EXTENSION = 10,
    OP_EXT_INST_IMPORT = 11,
    OP_EXT_INST = 12,
    OP_EXECUTION_MODE = 16,
    OP_CAPABILITY = 17,
    OP_SPEC_CONSTANT_OP = 52,
    OP_DECORATE = 71,
    OP_MEMBER_DECORATE = 72,
    OP_F_NEGATE = 127,
    OP_F_ADD = 129,
    OP_F_SUB = 131,
    OP_F_MUL = 133,
    OP_ATOMIC_FIRST = 227,
    OP_ATOMIC_LAST = 242,
    OP_EXECUTION_MODE_ID = 331,
    CAPABILITY_SHADER = 1,
    MODE_LOCAL_SIZE = 17,
    DECORATION_NO_CONTRACTION = 42,
};

struct name {
    uint32_t number;
    const char *text;
};

/* Ranges of opcodes that are allowed, both ends included. What is left out in between computes on floats or
 * is of no use in a kernel. */
static const uint32_t allowed_opcodes[][2] = {
    {0, 8},   /* nop, undef, source, names, lines */
    {11, 12}, /* GLSL.std.450, see ext-inst */
    {14, 17}, /* memory model, entry point, execution mode, capability */
    {19, 23}, /* void, bool, int, float, vector; no matrix */
    {28, 33}, /* array, struct, pointer, function */
    {41, 44}, /* constants */
    {46, 46}, /* null */
    {48, 52}, /* specialization constants */
    {54, 57}, /* functions and calls */
    {59, 59}, /* variable */
    {61, 63}, /* load, store, copy memory */
    {65, 66}, /* access chains */
    {68, 68}, /* array length */
    {71, 72}, /* decorations */
    {77, 83}, /* moving components of vectors and structs */
    {109, 114}, /* float from and to int, int to int; all round alike: toward zero to int, to nearest even to float */
    {124, 124},             /* bitcast */
    {126, 135},             /* negate, add, subtract, multiply of both kinds; integer division */
    {137, 139},             /* integer remainders */
    {149, 152},             /* carry, borrow, wide products */
    {154, 155},             /* any, all */
    {164, 191},             /* logic, select, all comparisons */
    {194, 205},             /* shifts and bits */
    {224, 225},             /* barriers */
    {227, 242},             /* atomics, see atomic */
    {245, 251},             /* control flow */
    {253, 255}, {317, 317}, /* no line */
    {400, 400},             /* copy of structs */
};

static const uint32_t allowed_atomics[] = {236, 237, 238, 239, 240, 241};

/* Floor, SAbs, SSign, UMin, SMin, UMax, SMax, UClamp, SClamp, FindILsb, FindSMsb, FindUMsb */
static const uint32_t allowed_functions[] = {8, 5, 7, 38, 39, 41, 42, 44, 45, 73, 74, 75};

/* SpecId, Block, BufferBlock, ArrayStride, BuiltIn, Restrict, Aliased, Coherent, NonWritable, NonReadable,
 * Binding, DescriptorSet, Offset, NoContraction */
static const uint32_t allowed_decorations[] = {1, 2, 3, 6, 11, 19, 20, 23, 24, 25, 33, 34, 35, 42};

static const struct name opcode_names[] = {
    {24, "OpTypeMatrix"},
    {115, "OpFConvert"},
    {116, "OpQuantizeToF16"},
    {127, "OpFNegate"},
    {129, "OpFAdd"},
    {131, "OpFSub"},
    {133, "OpFMul"},
    {136, "OpFDiv"},
    {140, "OpFRem"},
    {141, "OpFMod"},
    {142, "OpVectorTimesScalar"},
    {143, "OpMatrixTimesScalar"},
    {144, "OpVectorTimesMatrix"},
    {145, "OpMatrixTimesVector"},
    {146, "OpMatrixTimesMatrix"},
    {147, "OpOuterProduct"},
    {148, "OpDot"},
    {156, "OpIsNan"},
    {157, "OpIsInf"},
    {227, "OpAtomicLoad"},
    {228, "OpAtomicStore"},
    {229, "OpAtomicExchange"},
    {230, "OpAtomicCompareExchange"},
    {232, "OpAtomicIIncrement"},
    {233, "OpAtomicIDecrement"},
    {234, "OpAtomicIAdd"},
    {235, "OpAtomicISub"},
    {240, "OpAtomicAnd"},
    {241, "OpAtomicOr"},
    {242, "OpAtomicXor"},
};

static const struct name function_names[] = {
    {1, "Round"},   {2, "RoundEven"}, {3, "Trunc"},  {4, "FAbs"},       {6, "FSign"},        {9, "Ceil"},
    {10, "Fract"},  {13, "Sin"},      {14, "Cos"},   {15, "Tan"},       {26, "Pow"},         {27, "Exp"},
    {28, "Log"},    {29, "Exp2"},     {30, "Log2"},  {31, "Sqrt"},      {32, "InverseSqrt"}, {37, "FMin"},
    {40, "FMax"},   {43, "FClamp"},   {46, "FMix"},  {48, "Step"},      {49, "SmoothStep"},  {50, "Fma"},
    {66, "Length"}, {67, "Distance"}, {68, "Cross"}, {69, "Normalize"}, {79, "NMin"},        {80, "NMax"},
};

static const struct name decoration_names[] = {
    {0, "RelaxedPrecision"},
    {39, "FPRoundingMode"},
    {40, "FPFastMathMode"},
    {21, "Volatile"},
};

static const struct name capability_names[] = {
    {9, "Float16"},
    {10, "Float64"},
    {11, "Int64"},
    {22, "Int16"},
    {39, "Int8"},
    {61, "GroupNonUniform"},
    {63, "GroupNonUniformArithmetic"},
};

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define NAME_OF(table, number) name_of(table, COUNT(table), number)
#define HAS(list, number) list_has(list, COUNT(list), number)

static const char *name_of(const struct name *names, size_t count, uint32_t number)
{
    static char text[32];

    for (size_t i = 0; i < count; i++)
        if (names[i].number == number)
            return names[i].text;
    snprintf(text, sizeof text, "number %u", number);
    return text;
}

static bool list_has(const uint32_t *list, size_t count, uint32_t number)
{
    for (size_t i = 0; i < count; i++)
        if (list[i] == number)
            return true;
    return false;
}

static bool opcode_allowed(uint32_t opcode)
{
    for (size_t i = 0; i < COUNT(allowed_opcodes); i++)
        if (opcode >= allowed_opcodes[i][0] && opcode <= allowed_opcodes[i][1])
            return true;
    return false;
}

/* Module ------------------------------------------------------------------------------------------------- */

struct module {
    const char *path;
    uint32_t *words;
    size_t count;
    bool *no_contraction; /* by id, below `bound` */
    uint32_t bound;
    int findings;
};

struct instruction {
    uint32_t opcode;
    const uint32_t *words; /* words[0] is opcode and length */
    uint32_t length;
};

__attribute__((format(printf, 3, 4))) static void find(struct module *module, const char *rule,
                                                       const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    printf("%s: %s: ", module->path, rule);
    vprintf(format, arguments);
    printf("\n");
    va_end(arguments);
    module->findings++;
}

/* Reads the instruction at *at and moves on; false at the end. Only for modules whose lengths were
 * checked. */
static bool next(const struct module *module, size_t *at, struct instruction *instruction)
{
    if (*at >= module->count)
        return false;
    instruction->words = module->words + *at;
    instruction->opcode = instruction->words[0] & 0xffffu;
    instruction->length = instruction->words[0] >> 16;
    *at += instruction->length;
    return true;
}

/* Operand words that each opcode looked at here has at least. */
static uint32_t length_min(uint32_t opcode)
{
    switch (opcode) {
    case OP_CAPABILITY:
    case OP_EXTENSION:
        return 2;
    case OP_EXT_INST_IMPORT:
    case OP_EXECUTION_MODE:
    case OP_DECORATE:
        return 3;
    case OP_F_NEGATE:
    case OP_MEMBER_DECORATE:
    case OP_SPEC_CONSTANT_OP:
        return 4;
    case OP_F_ADD:
    case OP_F_SUB:
    case OP_F_MUL:
    case OP_EXT_INST:
        return 5;
    default:
        return opcode >= OP_ATOMIC_FIRST && opcode <= OP_ATOMIC_LAST ? 4 : 1;
    }
}

static bool module_is_whole(struct module *module)
{
    size_t at = HEADER_WORDS;

    if (module->count < HEADER_WORDS || module->words[0] != MAGIC || module->words[3] > ID_MAX) {
        find(module, "module", "no SPIR-V");
        return false;
    }
    module->bound = module->words[3];
    while (at < module->count) {
        uint32_t length = module->words[at] >> 16, opcode = module->words[at] & 0xffffu;

        if (length < length_min(opcode) || length > module->count - at) {
            find(module, "module", "word %zu: opcode %u of %u words, %zu are left", at, opcode, length,
                 module->count - at);
            return false;
        }
        at += length;
    }
    return true;
}

/* Rules -------------------------------------------------------------------------------------------------- */

static bool text_is(const struct instruction *instruction, uint32_t first, const char *text)
{
    size_t size_bytes = strlen(text) + 1;

    return (instruction->length - first) * 4 >= size_bytes &&
           memcmp(instruction->words + first, text, size_bytes) == 0;
}

static void check_header(struct module *module, const struct instruction *instruction)
{
    const uint32_t *words = instruction->words;

    if (instruction->opcode == OP_CAPABILITY && words[1] != CAPABILITY_SHADER)
        find(module, "capability", "%s", NAME_OF(capability_names, words[1]));
    if (instruction->opcode == OP_EXTENSION)
        find(module, "extension", "%.*s", (int)(instruction->length - 1) * 4, (const char *)(words + 1));
    if (instruction->opcode == OP_EXT_INST_IMPORT && !text_is(instruction, 2, "GLSL.std.450"))
        find(module, "extension", "%.*s", (int)(instruction->length - 2) * 4, (const char *)(words + 2));
    if (instruction->opcode == OP_EXECUTION_MODE && words[2] != MODE_LOCAL_SIZE)
        find(module, "execution-mode", "number %u", words[2]);
    if (instruction->opcode == OP_EXECUTION_MODE_ID)
        find(module, "execution-mode", "by id");
}

static void check_decoration(struct module *module, const struct instruction *instruction)
{
    const uint32_t *words = instruction->words;
    uint32_t decoration;

    if (instruction->opcode != OP_DECORATE && instruction->opcode != OP_MEMBER_DECORATE)
        return;
    decoration = words[instruction->opcode == OP_DECORATE ? 2 : 3];
    if (!HAS(allowed_decorations, decoration))
        find(module, "decoration", "%s of %%%u", NAME_OF(decoration_names, decoration), words[1]);
    if (instruction->opcode == OP_DECORATE && decoration == DECORATION_NO_CONTRACTION &&
        words[1] < module->bound)
        module->no_contraction[words[1]] = true;
}

static void check_opcode(struct module *module, const struct instruction *instruction)
{
    uint32_t opcode = instruction->opcode;

    if (opcode == OP_SPEC_CONSTANT_OP)
        opcode = instruction->words[3];
    /* the header's own rules name these two */
    if (!opcode_allowed(opcode) && opcode != OP_EXTENSION && opcode != OP_EXECUTION_MODE_ID)
        find(module, "opcode", "%s", NAME_OF(opcode_names, opcode));
    if (opcode == OP_EXT_INST && !HAS(allowed_functions, instruction->words[4]))
        find(module, "ext-inst", "%s %%%u", NAME_OF(function_names, instruction->words[4]),
             instruction->words[2]);
}

static void check_contraction(struct module *module, const struct instruction *instruction)
{
    uint32_t opcode = instruction->opcode;
    bool rounds = opcode == OP_F_NEGATE || opcode == OP_F_ADD || opcode == OP_F_SUB || opcode == OP_F_MUL;

    if (rounds && (instruction->words[2] >= module->bound || !module->no_contraction[instruction->words[2]]))
        find(module, "contraction", "%s %%%u lacks NoContraction", NAME_OF(opcode_names, opcode),
             instruction->words[2]);
}

/* Whether a word behind `from` equals the id. A literal may do so too: then the kernel is to be written
 * otherwise. */
static bool id_is_used(const struct module *module, size_t from, uint32_t id)
{
    struct instruction instruction;

    while (next(module, &from, &instruction))
        for (uint32_t i = 1; i < instruction.length; i++)
            if (instruction.words[i] == id)
                return true;
    return false;
}

static void check_atomic(struct module *module, const struct instruction *instruction, size_t behind)
{
    uint32_t opcode = instruction->opcode;

    if (opcode < OP_ATOMIC_FIRST || opcode > OP_ATOMIC_LAST)
        return;
    if (!HAS(allowed_atomics, opcode))
        find(module, "atomic", "%s", NAME_OF(opcode_names, opcode));
    else if (id_is_used(module, behind, instruction->words[2]))
        find(module, "atomic-result", "%s %%%u is used", NAME_OF(opcode_names, opcode),
             instruction->words[2]);
}

static void check_module(struct module *module)
{
    struct instruction instruction;
    size_t at = HEADER_WORDS;

    while (next(module, &at, &instruction)) {
        check_header(module, &instruction);
        check_decoration(module, &instruction); /* SPIR-V has all decorations before the first function */
        check_opcode(module, &instruction);
        check_contraction(module, &instruction);
        check_atomic(module, &instruction, at);
    }
}

/* Files -------------------------------------------------------------------------------------------------- */

/* Words in the order of this machine; NULL when the file cannot be read or is no whole number of words. */
static uint32_t *file_read(const char *path, size_t *count)
{
    FILE *file = fopen(path, "rb");
    uint32_t *words = NULL;
    long size_bytes;

    if (!file)
        return NULL;
    if (fseek(file, 0, SEEK_END) == 0 && (size_bytes = ftell(file)) >= 0 && size_bytes % 4 == 0 &&
        (unsigned long)size_bytes / 4 <= FILE_WORDS_MAX) {
        *count = (size_t)size_bytes / 4;
        words = calloc(*count + 1, sizeof *words);
        rewind(file);
        if (words && fread(words, sizeof *words, *count, file) != *count) {
            free(words);
            words = NULL;
        }
    }
    fclose(file);
    return words;
}

/* The number of findings, or -1 for trouble. */
static int file_check(const char *path)
{
    struct module module = {.path = path};

    module.words = file_read(path, &module.count);
    if (!module.words) {
        fprintf(stderr, "%s: cannot be read as words of 4 bytes\n", path);
        return -1;
    }
    if (module_is_whole(&module)) {
        module.no_contraction = calloc(module.bound + 1u, sizeof *module.no_contraction);
        if (module.no_contraction)
            check_module(&module);
        else
            module.findings = -1;
    }
    free(module.no_contraction);
    free(module.words);
    return module.findings;
}

int main(int argc, char **argv)
{
    int status = 0;

    if (argc < 2) {
        fprintf(stderr, "usage: spirv_lint FILE.spv...\n");
        return 2;
    }
    for (int i = 1; i < argc; i++) {
        int findings = file_check(argv[i]);

        if (findings < 0)
            status = 2;
        else if (findings > 0 && status == 0)
            status = 1;
    }
    return status;
}
