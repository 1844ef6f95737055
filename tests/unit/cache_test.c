/* The cache: one decode for all who want a chunk, a budget that holds, and chunks that stay while they are
 * held. */
#include "lib/base/jobs.h"
#include "lib/world/cache.h"
#include "lib/world/store.h"
#include "tests/support/chunk_gen.h"
#include "tests/support/test.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SIZE_X 5
#define SIZE_Z 3
#define CHUNKS ((SIZE_X + 1) * (SIZE_Z + 1))
#define PAINTED_COLUMNS (SIZE_X + 1)      /* the first of a row of such chunks */
#define PAINTED_BLOCKS (2 * (SIZE_X + 1)) /* the same */

static struct tr_world *world;
static struct tr_error why;

#define OK(call) assert_ok(call, &why)

static enum tr_status paint_columns(struct tr_chunk *chunk)
{
    enum tr_status status = tr_chunk_add_paint(chunk, &why);

    if (status == TR_OK)
        chunk->paint[0] = 1;
    return status;
}

static enum tr_status add_painted_block(struct tr_chunk *chunk)
{
    int16_t *samples;
    uint8_t *paint;
    enum tr_status status = tr_chunk_add_block(chunk, 0, &samples, &why);

    if (status == TR_OK)
        status = tr_chunk_add_block_paint(chunk, 0, &paint, &why);
    if (status == TR_OK)
        samples[0] = paint[0] = 1;
    return status;
}

/* A world in which chunk i has height i everywhere; of one row of chunks the columns are painted, of another
 * blocks. */
static int world_create(void **state)
{
    struct tr_world_info info = {.size_x = SIZE_X, .size_z = SIZE_Z, .voxel_size = 1};
    struct tr_world_build *build = NULL;
    struct tr_hash hash;
    enum tr_status status;

    if (scratch_make(state) != 0 || chdir(*state) != 0)
        return -1;
    status = tr_world_build_create("a", &info, false, &build, &why);
    for (int i = 0; status == TR_OK && i < CHUNKS; i++) {
        struct tr_chunk chunk;
        uint32_t size_x, size_z;

        tr_world_chunk_size(&info, i % (SIZE_X + 1), i / (SIZE_X + 1), &size_x, &size_z);
        status = tr_chunk_init(&chunk, i % (SIZE_X + 1), i / (SIZE_X + 1), size_x, size_z, &why);
        for (int k = 0; status == TR_OK && k < TR_CHUNK_SAMPLES; k++)
            chunk.heights[k] = i;
        if (status == TR_OK && i / (SIZE_X + 1) == 1)
            status = paint_columns(&chunk);
        if (status == TR_OK && i / (SIZE_X + 1) == 2)
            status = add_painted_block(&chunk);
        if (status == TR_OK)
            status = tr_world_build_put(build, &chunk, &why);
        tr_chunk_release(&chunk);
    }
    if (status == TR_OK)
        status = tr_world_build_commit(build, &hash, &why);
    tr_world_build_free(build);
    if (status == TR_OK)
        status = tr_world_open("a", &world, &why);
    return status == TR_OK ? 0 : -1;
}

static int world_remove(void **state)
{
    tr_world_close(world);
    return chdir("/") == 0 ? scratch_remove(state) : -1;
}

static const struct tr_chunk *hold(struct tr_cache *cache, int i)
{
    const struct tr_chunk *chunk;

    OK(tr_cache_hold(cache, i % (SIZE_X + 1), i / (SIZE_X + 1), &chunk, &why));
    assert_int_equal(chunk->heights[0], i);
    return chunk;
}

/* After this a chunk can only come from memory. */
static void remove_files(void)
{
    OK(tr_folder_remove("a/chunks", &why));
}

static void assert_gone(struct tr_cache *cache, int i)
{
    struct tr_error error = {0};
    const struct tr_chunk *chunk;

    assert_int_equal(tr_cache_hold(cache, i % (SIZE_X + 1), i / (SIZE_X + 1), &chunk, &error), TR_BAD_INPUT);
    assert_null(chunk);
}

static void a_chunk_is_read_once_and_shared(void **state)
{
    struct tr_cache *cache;
    const struct tr_chunk *first, *second, *third;

    (void)state;
    OK(tr_cache_create(world, 1 << 30, &cache, &why));
    first = hold(cache, 3);
    second = hold(cache, 3);
    remove_files();
    assert_ptr_equal(first, second);
    tr_cache_release(cache, first);
    tr_cache_release(cache, second);
    third = hold(cache, 3);
    assert_ptr_equal(first, third);
    tr_cache_release(cache, third);
    assert_gone(cache, 4);
    tr_cache_free(cache);
}

static void a_budget_of_nothing_keeps_what_is_held_and_nothing_else(void **state)
{
    struct tr_cache *cache;
    const struct tr_chunk *held[CHUNKS];

    (void)state;
    OK(tr_cache_create(world, 0, &cache, &why));
    for (int i = 0; i < CHUNKS; i++)
        held[i] = hold(cache, i);
    remove_files();
    for (int i = 0; i < CHUNKS; i++)
        assert_int_equal(held[i]->heights[0], i);
    tr_cache_release(cache, hold(cache, 7)); /* held twice, released once */
    assert_int_equal(held[7]->heights[0], 7);
    for (int i = 0; i < CHUNKS; i++) {
        tr_cache_release(cache, held[i]);
        assert_gone(cache, i);
    }
    tr_cache_free(cache);
}

static void the_chunk_released_longest_ago_goes_first(void **state)
{
    struct tr_cache *cache;

    (void)state;
    /* heights of a chunk are 16 KiB, so three fit and four do not */
    OK(tr_cache_create(world, 64 << 10, &cache, &why));
    tr_cache_release(cache, hold(cache, 0));
    tr_cache_release(cache, hold(cache, 1));
    tr_cache_release(cache, hold(cache, 2));
    tr_cache_release(cache, hold(cache, 0)); /* used again: now 1 is the oldest */
    tr_cache_release(cache, hold(cache, 3));
    remove_files();
    assert_gone(cache, 1);
    tr_cache_release(cache, hold(cache, 0));
    tr_cache_release(cache, hold(cache, 2));
    tr_cache_release(cache, hold(cache, 3));
    tr_cache_free(cache);
}

static void paint_counts_against_the_budget(void **state)
{
    struct tr_cache *columns, *blocks;

    (void)state;
    /* heights are 16 KiB and their paint is 4: three fit without it, and two with it */
    OK(tr_cache_create(world, 56 << 10, &columns, &why));
    for (int i = 0; i < 3; i++)
        tr_cache_release(columns, hold(columns, PAINTED_COLUMNS + i));
    /* a block is 512 KiB and its paint 256: two fit without it, and one with it */
    OK(tr_cache_create(world, 1300 << 10, &blocks, &why));
    for (int i = 0; i < 2; i++)
        tr_cache_release(blocks, hold(blocks, PAINTED_BLOCKS + i));
    remove_files();
    assert_gone(columns, PAINTED_COLUMNS);
    tr_cache_release(columns, hold(columns, PAINTED_COLUMNS + 1));
    tr_cache_release(columns, hold(columns, PAINTED_COLUMNS + 2));
    assert_gone(blocks, PAINTED_BLOCKS);
    tr_cache_release(blocks, hold(blocks, PAINTED_BLOCKS + 1));
    tr_cache_free(columns);
    tr_cache_free(blocks);
}

static void a_chunk_outside_the_world_or_damaged_is_an_error_and_leaves_the_cache_usable(void **state)
{
    char path[TR_PATH_BYTES], in_world[TR_STORE_PATH_BYTES];
    struct tr_error error = {0};
    struct tr_cache *cache;
    const struct tr_chunk *chunk;

    (void)state;
    OK(tr_cache_create(world, 1 << 20, &cache, &why));
    assert_int_equal(tr_cache_hold(cache, SIZE_X + 1, 0, &chunk, &error), TR_BAD_INPUT);
    assert_null(chunk);
    tr_store_chunk_path(in_world, TR_STORE_CHUNKS, 1, 0);
    OK(tr_path_join(path, "a", in_world, &why));
    OK(tr_file_write(path, "TRCHUNK\n", 8, 0444, true, &why));
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tr_cache_hold(cache, 1, 0, &chunk, &error), TR_BAD_INPUT);
        assert_non_null(strstr(error.text, "header"));
    }
    tr_cache_release(cache, hold(cache, 0));
    tr_cache_free(cache);
}

struct crowd {
    struct tr_cache *cache;
    bool must_fail;
    atomic_int wrong;
};

static enum tr_status crowd_task(void *context, size_t index, int job, struct tr_error *error)
{
    struct crowd *crowd = context;
    int i = (int)(index * 7 % CHUNKS);
    const struct tr_chunk *chunk;
    enum tr_status status = tr_cache_hold(crowd->cache, i % (SIZE_X + 1), i / (SIZE_X + 1), &chunk, error);

    (void)job;
    if ((status != TR_OK) != crowd->must_fail)
        atomic_fetch_add(&crowd->wrong, 1);
    if (status == TR_OK) {
        if (chunk->heights[0] != i)
            atomic_fetch_add(&crowd->wrong, 1);
        tr_cache_release(crowd->cache, chunk);
    }
    return TR_OK;
}

static void a_crowd_of_threads_gets_the_right_chunks_under_any_budget(void **state)
{
    static const size_t budgets[] = {0, 40 << 10, 1 << 30};
    struct tr_jobs *jobs;

    (void)state;
    OK(tr_jobs_create(8, &jobs, &why));
    for (size_t i = 0; i < 3; i++) {
        struct crowd crowd = {0};

        OK(tr_cache_create(world, budgets[i], &crowd.cache, &why));
        OK(tr_jobs_run(jobs, 2000, crowd_task, &crowd, &why));
        assert_int_equal(atomic_load(&crowd.wrong), 0);
        tr_cache_free(crowd.cache);
    }
    remove_files();
    {
        struct crowd crowd = {.must_fail = true};

        OK(tr_cache_create(world, 1 << 30, &crowd.cache, &why));
        OK(tr_jobs_run(jobs, 2000, crowd_task, &crowd, &why));
        assert_int_equal(atomic_load(&crowd.wrong), 0);
        tr_cache_free(crowd.cache);
    }
    tr_jobs_free(jobs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define WORLD_TEST(test) cmocka_unit_test_setup_teardown(test, world_create, world_remove)
        WORLD_TEST(a_chunk_is_read_once_and_shared),
        WORLD_TEST(a_budget_of_nothing_keeps_what_is_held_and_nothing_else),
        WORLD_TEST(the_chunk_released_longest_ago_goes_first),
        WORLD_TEST(paint_counts_against_the_budget),
        WORLD_TEST(a_chunk_outside_the_world_or_damaged_is_an_error_and_leaves_the_cache_usable),
        WORLD_TEST(a_crowd_of_threads_gets_the_right_chunks_under_any_budget),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
