/* What cmocka tests share: its headers, statuses that show their error, a scratch folder. */
#ifndef TESTS_SUPPORT_TEST_H
#define TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/base/status.h"

#define assert_ok(call, error)                                                                               \
    do {                                                                                                     \
        enum tr_status status_ = (call);                                                                     \
        if (status_ != TR_OK)                                                                                \
            fail_msg("%s: status %d: %s", #call, (int)status_, (error)->text);                               \
    } while (0)

/* Setup and teardown of a test: *state is the path of an empty folder, removed afterwards with all that is in it. */
int scratch_make(void **state);
int scratch_remove(void **state);

#endif
