/* The double check: each result of the naive replay against the meaning of the edit in double. Heights and samples
 * must lie within a unit of it, plus the slack that is justified at each function; what the meaning leaves alone must
 * be as it was. Each answers whether all is well, and fills the report where it is not. */
#ifndef NAIVE_CHECK_H
#define NAIVE_CHECK_H

#include "tests/naive/naive_redistance.h"
#include "tests/naive/naive_stroke.h"
#include "tests/naive/oracle.h"

/* A stamp on its way through the world. */
struct naive_step {
    const struct naive_world *world;
    const struct naive_edit *edit;
    struct naive_measures measures;
    struct naive_stamp stamp;
    int target;                   /* height that flatten and set go to */
    struct naive_picture picture; /* of stamps */
    struct oracle_shape shape;    /* of shapes */
    struct naive_report *report;
};

bool naive_check_height(const struct naive_step *step, int x, int z, int found);
/* A volume brush; the sample was `stored`. */
bool naive_check_sample(const struct naive_step *step, const int p[3], int stored, int found);
/* A redistance, all samples of its region. */
bool naive_check_region(const struct naive_step *step, const struct naive_region *region);
/* A shape. */
bool naive_check_joined(const struct naive_step *step, const int p[3], int stored, int found);
/* Whether the paint of a column or sample was rightly changed or left. */
bool naive_check_painted(const struct naive_step *step, const int p[3], bool found);

#endif
