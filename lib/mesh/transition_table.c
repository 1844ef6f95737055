/* The table of the transition cell, as the generator printed it when the program was built. */
#include "lib/mesh/transition_table.h"

const tr_transition_packed tr_transition_table[TR_TRANSITION_CASES] = {
#include "transition_table.inc"
};
