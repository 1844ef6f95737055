/* The device `cpu`: every step in plain C, one task a job at a time, of edits one block. The reference that other devices must equal.
 *
 * What jobs work on shares nothing but read-only inputs, and each job writes only its own outputs, so neither the number of jobs nor their
 * order can be seen in the result. The loops are those of the *_isa.c files, in the instruction set that was picked when the device was
 * opened; redistance has one form for all. */
#include "lib/bake/bake.h"

#include "lib/base/alloc.h"
#include "lib/edit/apply.h"
#include "lib/gen/noise.h"
#include "lib/mesh/field.h"

#include <stdio.h>
#include <stdlib.h>

#define CHUNK_SAMPLES (TR_CHUNK * TR_CHUNK)

/* What one job works in; taken when it is first needed. */
struct scratch {
    int16_t *field; /* TR_TILE_FIELD_SAMPLES */
    int32_t before[CHUNK_SAMPLES], heights[CHUNK_SAMPLES];
};

struct cpu {
    struct tr_bake bake; /* first, so that one pointer is both */
    int isa;
    struct scratch *scratch; /* one a job */
};

static struct cpu *cpu_of(struct tr_bake *bake)
{
    return (struct cpu *)bake;
}

/* One call of a step: what the tasks of its jobs need. */
struct step {
    struct cpu *cpu;
    void *tasks;
};

/* --- fill --- */

static enum tr_status fill_task(void *context, size_t index, int job, struct tr_error *error)
{
    static void (*const fill_heights[])(const tr_noise_layer *, uint32_t, int32_t, int32_t *) =
        TR_ISA_TABLE(tr_fill_heights);
    struct step *step = context;
    struct tr_fill_task *task = (struct tr_fill_task *)step->tasks + index;

    (void)job;
    (void)error;
    fill_heights[step->cpu->isa](task->layers, task->layer_count, task->base, task->heights);
    return TR_OK;
}

static enum tr_status cpu_fill(struct tr_bake *bake, struct tr_fill_task *tasks, size_t count,
                               struct tr_error *error)
{
    struct step step = {cpu_of(bake), tasks};
    return tr_jobs_run(bake->jobs, count, fill_task, &step, error);
}

/* --- edit --- */

static void (*const apply_height[])(const uint32_t *, const tr_edit_slot *,
                                    int32_t *) = TR_ISA_TABLE(tr_apply_height);
static void (*const apply_begin[])(const int32_t *, uint32_t, uint32_t, int32_t,
                                   int16_t *) = TR_ISA_TABLE(tr_apply_begin);
static void (*const apply_follow[])(const int32_t *, const int32_t *, int32_t,
                                    int16_t *) = TR_ISA_TABLE(tr_apply_follow);
static void (*const apply_volume[])(const uint32_t *, const tr_edit_slot *,
                                    int16_t *) = TR_ISA_TABLE(tr_apply_volume);
static void (*const apply_block_paint[])(const uint32_t *, const tr_edit_slot *,
                                         uint8_t *) = TR_ISA_TABLE(tr_apply_block_paint);

static void heights_set_after(const struct tr_edit_task *task, const tr_edit_slot *slot, int32_t *heights)
{
    size_t size_bytes = (size_t)(slot->hi_x - slot->lo_x + 1) * sizeof *heights;

    for (int z = slot->lo_z; z <= slot->hi_z; z++) {
        int at = z * TR_CHUNK + slot->lo_x;
        memcpy(heights + at, task->after + at, size_bytes);
    }
}

/* Applies one height slot to the chunk's heights, or a copy of them. */
static void heights_apply(const struct tr_edit_task *task, const tr_edit_slot *slot, int isa,
                          int32_t *heights)
{
    if (slot->op == TR_SLOT_FOLLOW)
        heights_set_after(task, slot, heights);
    else
        apply_height[isa](task->words, slot, heights);
}

/* The heights, and with a height slot the samples that follow them. */
static void block_follow(const struct tr_edit_task *task, const tr_edit_slot *slot, int isa,
                         struct scratch *scratch, struct tr_edit_block *block)
{
    memcpy(scratch->before, scratch->heights, sizeof scratch->before);
    heights_apply(task, slot, isa, scratch->heights);
    apply_follow[isa](scratch->before, scratch->heights, block->cy, block->samples);
}

/* A block sees its chunk's heights as they were at each slot, so it replays them on a copy of its own: blocks need not wait for each other,
 * and the heights cost 1/64 of the samples. Where a slot has been, paint is settled before the next one looks: what is not painted costs
 * next to nothing there. */
static void block_edit(const struct tr_edit_task *task, struct tr_edit_block *block, int isa,
                       struct scratch *scratch)
{
    memcpy(scratch->heights, task->heights, sizeof scratch->heights);
    if (!block->stored)
        apply_begin[isa](scratch->heights, task->size_x, task->size_z, block->cy, block->samples);
    for (uint32_t i = 0; i < block->slot_count; i++) {
        const tr_edit_slot *slot = &block->slots[i];
        if (slot->op == TR_SLOT_PAINT) /* of columns alone */
            continue;
        if (!tr_slot_is_volume(*slot))
            block_follow(task, slot, isa, scratch, block);
        else if (!tr_slot_is_paint(*slot))
            apply_volume[isa](task->words, slot, block->samples);
        else
            apply_block_paint[isa](task->words, slot, block->paint);
        if (block->paint)
            tr_apply_settle_slot(slot, scratch->heights, block->cy, block->samples, block->paint);
    }
}

/* The block of a task that a job takes. */
struct block_unit {
    const struct tr_edit_task *task;
    struct tr_edit_block *block;
};

static enum tr_status edit_block(void *context, size_t index, int job, struct tr_error *error)
{
    struct step *step = context;
    const struct block_unit *unit = (struct block_unit *)step->tasks + index;

    (void)error;
    block_edit(unit->task, unit->block, step->cpu->isa, &step->cpu->scratch[job]);
    return TR_OK;
}

static enum tr_status edit_heights(void *context, size_t index, int job, struct tr_error *error)
{
    struct step *step = context;
    struct tr_edit_task *task = (struct tr_edit_task *)step->tasks + index;

    (void)job;
    (void)error;
    for (uint32_t i = 0; i < task->slot_count; i++) {
        const tr_edit_slot *slot = &task->slots[i];
        if (tr_slot_is_paint(*slot))
            tr_apply_column_paint(task->words, slot, task->heights, task->paint);
        else
            heights_apply(task, slot, step->cpu->isa, task->heights);
    }
    return TR_OK;
}

static struct block_unit *edit_units(struct tr_edit_task *tasks, size_t count, size_t *unit_count,
                                     struct tr_error *error)
{
    struct block_unit *units;
    size_t next = 0;

    *unit_count = 0;
    for (size_t i = 0; i < count; i++)
        *unit_count += tasks[i].block_count;
    units = tr_alloc(*unit_count, sizeof *units, error);
    for (size_t i = 0; units && i < count; i++)
        for (uint32_t k = 0; k < tasks[i].block_count; k++)
            units[next++] = (struct block_unit){&tasks[i], &tasks[i].blocks[k]};
    return units;
}

/* First every block of every task, so that few tasks keep all jobs busy, then the heights that they have read. */
static enum tr_status cpu_edit(struct tr_bake *bake, struct tr_edit_task *tasks, size_t count,
                               struct tr_error *error)
{
    size_t unit_count;
    struct block_unit *units = edit_units(tasks, count, &unit_count, error);
    struct step blocks = {cpu_of(bake), units}, heights = {cpu_of(bake), tasks};
    enum tr_status status = units ? TR_OK : TR_IO;

    if (status == TR_OK)
        status = tr_jobs_run(bake->jobs, unit_count, edit_block, &blocks, error);
    if (status == TR_OK)
        status = tr_jobs_run(bake->jobs, count, edit_heights, &heights, error);
    free(units);
    return status;
}

/* --- smooth --- */

static enum tr_status smooth_task(void *context, size_t index, int job, struct tr_error *error)
{
    static void (*const apply_smooth[])(const tr_edit_slot *, const int32_t *, int32_t *) =
        TR_ISA_TABLE(tr_apply_smooth);
    struct step *step = context;
    struct tr_smooth_task *task = (struct tr_smooth_task *)step->tasks + index;

    (void)job;
    (void)error;
    apply_smooth[step->cpu->isa](&task->slot, task->halo, task->after);
    return TR_OK;
}

static enum tr_status cpu_smooth(struct tr_bake *bake, struct tr_smooth_task *tasks, size_t count,
                                 struct tr_error *error)
{
    struct step step = {cpu_of(bake), tasks};
    return tr_jobs_run(bake->jobs, count, smooth_task, &step, error);
}

/* --- reshape and redistance --- */

static enum tr_status reshape_task(void *context, size_t index, int job, struct tr_error *error)
{
    static void (*const apply_reshape[])(const tr_edit_slot *, uint32_t, const int16_t *, int16_t *) =
        TR_ISA_TABLE(tr_apply_reshape);
    struct step *step = context;
    struct tr_reshape_task *task = (struct tr_reshape_task *)step->tasks + index;

    (void)job;
    (void)error;
    apply_reshape[step->cpu->isa](&task->slot, task->margin, task->halo, task->after);
    return TR_OK;
}

static enum tr_status cpu_reshape(struct tr_bake *bake, struct tr_reshape_task *tasks, size_t count,
                                  struct tr_error *error)
{
    struct step step = {cpu_of(bake), tasks};
    return tr_jobs_run(bake->jobs, count, reshape_task, &step, error);
}

static enum tr_status redistance_task(void *context, size_t index, int job, struct tr_error *error)
{
    struct step *step = context;
    struct tr_redistance_task *task = (struct tr_redistance_task *)step->tasks + index;

    (void)job;
    return tr_apply_redistance(&task->slot, task->samples, task->size, task->after, error);
}

static enum tr_status cpu_redistance(struct tr_bake *bake, struct tr_redistance_task *tasks, size_t count,
                                     struct tr_error *error)
{
    struct step step = {cpu_of(bake), tasks};
    return tr_jobs_run(bake->jobs, count, redistance_task, &step, error);
}

/* --- mesh --- */

static enum tr_status mesh_task(void *context, size_t index, int job, struct tr_error *error)
{
    static void (*const tile_field[])(const struct tr_tile *, int16_t *) = TR_ISA_TABLE(tr_tile_field);
    static const uint32_t cells[3] = {TR_TILE_CELLS, TR_TILE_CELLS, TR_TILE_CELLS};
    struct step *step = context;
    struct tr_mesh_task *task = (struct tr_mesh_task *)step->tasks + index;
    struct scratch *scratch = &step->cpu->scratch[job];
    struct tr_tile tile = {task->cx,      task->cy,      task->cz,    task->world_x,
                           task->world_z, task->heights, task->blocks};
    enum tr_status status;

    if (!scratch->field)
        scratch->field = tr_alloc(TR_TILE_FIELD_SAMPLES, sizeof *scratch->field, error);
    if (!scratch->field)
        return TR_IO;
    tile_field[step->cpu->isa](&tile, scratch->field);
    status = tr_lattice_from_field(scratch->field, cells, &task->lattice, error);
    if (status == TR_OK && task->wants_triangles)
        status = tr_lattice_triangles(&task->lattice, &task->indices, &task->index_count, error);
    return status;
}

static enum tr_status cpu_mesh(struct tr_bake *bake, struct tr_mesh_task *tasks, size_t count,
                               struct tr_error *error)
{
    struct step step = {cpu_of(bake), tasks};

    for (size_t i = 0; i < count; i++) {
        memset(&tasks[i].lattice, 0, sizeof tasks[i].lattice);
        tasks[i].indices = NULL;
        tasks[i].index_count = 0;
    }
    return tr_jobs_run(bake->jobs, count, mesh_task, &step, error);
}

/* --- grid --- */

static enum tr_status grid_task(void *context, size_t index, int job, struct tr_error *error)
{
    static const uint32_t cells[2] = {TR_TILE_CELLS, TR_TILE_CELLS};
    struct step *step = context;
    struct tr_grid_task *task = (struct tr_grid_task *)step->tasks + index;

    (void)job;
    return tr_height_grid_from_heights(task->heights, TR_TILE_SAMPLES, cells, &task->grid, error);
}

static enum tr_status cpu_grid(struct tr_bake *bake, struct tr_grid_task *tasks, size_t count,
                               struct tr_error *error)
{
    struct step step = {cpu_of(bake), tasks};

    for (size_t i = 0; i < count; i++)
        memset(&tasks[i].grid, 0, sizeof tasks[i].grid);
    return tr_jobs_run(bake->jobs, count, grid_task, &step, error);
}

/* --- open and close --- */

static void cpu_close(struct tr_bake *bake)
{
    struct cpu *cpu = cpu_of(bake);

    for (int job = 0; cpu->scratch && job < tr_jobs_count(bake->jobs); job++)
        free(cpu->scratch[job].field);
    free(cpu->scratch);
    tr_jobs_free(bake->jobs);
    free(cpu);
}

static const struct tr_bake_ops cpu_ops = {
    .name = "cpu",
    .fill = cpu_fill,
    .edit = cpu_edit,
    .smooth = cpu_smooth,
    .reshape = cpu_reshape,
    .redistance = cpu_redistance,
    .mesh = cpu_mesh,
    .grid = cpu_grid,
    .close = cpu_close,
};

enum tr_status tr_bake_open_cpu(const struct tr_bake_options *options, struct tr_bake **out,
                                struct tr_error *error)
{
    struct cpu *cpu;
    enum tr_status status = TR_IO;

    *out = NULL;
    cpu = tr_alloc(1, sizeof *cpu, error);
    if (!cpu)
        goto fail;
    cpu->bake.ops = &cpu_ops;
    cpu->isa = tr_isa_pick();
    status = tr_jobs_create(options->jobs, &cpu->bake.jobs, error);
    if (status != TR_OK)
        goto fail;
    status = TR_IO;
    cpu->scratch = tr_alloc((size_t)tr_jobs_count(cpu->bake.jobs), sizeof *cpu->scratch, error);
    if (!cpu->scratch)
        goto fail;
    snprintf(cpu->bake.device, sizeof cpu->bake.device, TR_ISA_LEVELS > 1 ? "cpu (x86-64-%s)" : "cpu (%s)",
             TR_ISA_LEVELS > 1 ? tr_isa_name(cpu->isa) : "plain c");
    *out = &cpu->bake;
    return TR_OK;

fail:
    if (cpu)
        cpu_close(&cpu->bake);
    return status;
}
