/* The table of the regular cell, as the generator printed it when the program was built. */
#include "lib/mesh/case_table.h"

const tr_case_packed tr_case_table[256] = {
#include "case_table.inc"
};
