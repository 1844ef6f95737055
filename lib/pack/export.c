/* Exports: which format, what is refused, and the steps that they share. The formats are in export_<name>.c.
 *
 * Floats carry 24 bits. With the coordinate of every vertex below 2^23 units in size, float(units * voxel_size / 256) is different for
 * different units: neighbours are then more than one float apart (for a voxel size that is a power of two 2^24 is exact). Beyond that
 * vertices would fall together and a closed mesh would not stay closed, so such worlds are refused: 32,768 voxels (65,536) along x or z. */
#include "lib/pack/export_parts.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define BATCH_BYTES ((size_t)64 * 1024)
#define UNIT_METRES_MIN 1e-20 /* so that floats, and areas made of them in double, stay normal */
#define UNIT_METRES_MAX 1e+12

static const char *const format_names[] = {
    [TR_EXPORT_GLB] = "glb",
    [TR_EXPORT_OBJ] = "obj",
    [TR_EXPORT_PLY] = "ply",
    [TR_EXPORT_STL] = "stl",
};
enum { FORMATS = sizeof format_names / sizeof format_names[0] };

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

bool tr_export_format_named(const char *name, enum tr_export_format *format)
{
    for (int i = 0; i < FORMATS; i++) {
        if (strcmp(name, format_names[i]) == 0) {
            *format = (enum tr_export_format)i;
            return true;
        }
    }
    return false;
}

bool tr_export_format_of(const char *path, enum tr_export_format *format)
{
    const char *dot = strrchr(path, '.'), *slash = strrchr(path, '/');
    char extension[4] = {0};

    if (!dot || (slash && slash > dot) || strlen(dot + 1) != sizeof extension - 1)
        return false;
    for (size_t i = 0; i < sizeof extension - 1; i++)
        extension[i] = lower(dot[1 + i]);
    return tr_export_format_named(extension, format);
}

/* ---- numbers ---- */

void tr_export_normal(uint32_t octahedral, float normal[3])
{
    double u = (int16_t)(octahedral & 0xffffu), v = (int16_t)(octahedral >> 16);
    double au = u < 0 ? -u : u, av = v < 0 ? -v : v, y = 32767.0 - au - av, x = u, z = v, length;

    if (y < 0) { /* the lower half is folded over the square's corners */
        x = u < 0 ? av - 32767.0 : 32767.0 - av;
        z = v < 0 ? au - 32767.0 : 32767.0 - au;
    }
    length = sqrt(x * x + y * y + z * z);
    normal[0] = (float)(x / length);
    normal[1] = (float)(y / length);
    normal[2] = (float)(z / length);
}

static bool is_power_of_two(double value)
{
    int exponent;

    return frexp(value, &exponent) == 0.5;
}

enum tr_status tr_export_check_range(const struct tr_pack *pack, struct tr_tile_range tiles, int64_t floor_y,
                                     struct tr_error *error)
{
    double voxel_size = pack->info.voxel_size, unit_metres = voxel_size / TR_UNITS;
    int64_t limit = is_power_of_two(voxel_size) ? 1 << 24 : (1 << 23) - 1,
            farthest = floor_y < 0 ? -floor_y : floor_y;

    if (unit_metres < UNIT_METRES_MIN || unit_metres > UNIT_METRES_MAX)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": voxel size %g m, expected %g to %g m for an export",
                       pack->path, voxel_size, UNIT_METRES_MIN * TR_UNITS, UNIT_METRES_MAX * TR_UNITS);
    for (size_t i = 0; i < tiles.count; i++) {
        const struct tr_pack_tile *tile = &pack->tiles[tiles.first + i];
        const int32_t place[3] = {tile->cx, tile->cy, tile->cz};

        for (int axis = 0; axis < 3; axis++) {
            int64_t corner = place[axis] * tr_pack_tile_units(tile->lod);
            int64_t lo = -(corner + tile->lo[axis]), hi = corner + tile->hi[axis];

            farthest = lo > farthest ? lo : farthest;
            farthest = hi > farthest ? hi : farthest;
        }
    }
    if (farthest > limit)
        return tr_fail(error, TR_BAD_INPUT,
                       "\"%s\": a vertex, or the floor of a solid (--base), %" PRId64
                       " voxels from the origin, expected at most %" PRId64
                       ": farther out 32-bit floats cannot tell vertices apart",
                       pack->path, farthest / TR_UNITS, limit / TR_UNITS);
    return TR_OK;
}

/* ---- the file ---- */

enum tr_status tr_sink_open(struct tr_sink *sink, const char *path, bool replace, struct tr_error *error)
{
    *sink = (struct tr_sink){0};
    return tr_output_open(&sink->output, path, replace, error);
}

static enum tr_status sink_flush(struct tr_sink *sink, struct tr_error *error)
{
    enum tr_status status;

    if (sink->batch.failed)
        return tr_fail(error, TR_IO, "out of memory: part of \"%s\"", sink->output.path);
    status = tr_output_write(&sink->output, sink->batch.bytes, sink->batch.size_bytes, error);
    sink->written_bytes += sink->batch.size_bytes;
    sink->batch.size_bytes = 0;
    return status;
}

enum tr_status tr_sink_pump(struct tr_sink *sink, struct tr_error *error)
{
    return sink->batch.size_bytes >= BATCH_BYTES || sink->batch.failed ? sink_flush(sink, error) : TR_OK;
}

enum tr_status tr_sink_commit(struct tr_sink *sink, struct tr_error *error)
{
    enum tr_status status = sink_flush(sink, error);

    return status == TR_OK ? tr_output_commit(&sink->output, error) : status;
}

void tr_sink_release(struct tr_sink *sink)
{
    tr_output_abort(&sink->output);
    tr_writer_release(&sink->batch);
}

/* ---- the export ---- */

/* The levels of a pack as words: "0, 1, 2". */
static void write_levels(uint32_t lods, char text[32])
{
    size_t at = 0;

    text[0] = '\0';
    for (uint32_t lod = 0; lod <= TR_LOD_MAX; lod++) {
        if (lods >> lod & 1)
            at += (size_t)snprintf(text + at, 32 - at, "%s%u", at > 0 ? ", " : "", lod);
    }
}

static enum tr_status select_tiles(const struct tr_pack *pack, const struct tr_export_options *options,
                                   struct tr_tile_range *tiles, struct tr_error *error)
{
    char levels[32];

    *tiles = (struct tr_tile_range){0, pack->tile_count};
    if (pack->info.form == TR_PACK_WINDOW && !options->has_lod)
        return TR_OK;
    write_levels(pack->lods, levels);
    if (pack->info.form == TR_PACK_WINDOW)
        return tr_fail(error, TR_USAGE,
                       "\"%s\" is one window (levels %s), expected no --lod: it is exported as it stands",
                       pack->path, levels);
    if (!options->has_lod)
        return tr_fail(error, TR_USAGE, "\"%s\" holds all levels, expected --lod with one of them: %s",
                       pack->path, levels);
    if (options->lod > TR_LOD_MAX || !(pack->lods >> options->lod & 1))
        return tr_fail(error, TR_USAGE, "\"%s\" has no level %u, expected --lod with one of %s", pack->path,
                       options->lod, levels);
    while (pack->tiles[tiles->first].lod < options->lod)
        tiles->first++;
    for (tiles->count = 0; tiles->first + tiles->count < pack->tile_count &&
                           pack->tiles[tiles->first + tiles->count].lod == options->lod;)
        tiles->count++;
    return TR_OK;
}

/* A solid's base in units, at least one. */
static enum tr_status base_units(const struct tr_pack *pack, double base, int32_t *units,
                                 struct tr_error *error)
{
    const double rounded = base / pack->info.voxel_size * TR_UNITS + 0.5;

    if (!(base > 0) || !(rounded < 1 << 24))
        return tr_fail(error, TR_BAD_INPUT,
                       "base of %g m, expected above 0 and below %g m for voxels of %g m", base,
                       65536 * pack->info.voxel_size, pack->info.voxel_size);
    *units = rounded < 1 ? 1 : (int32_t)rounded;
    return TR_OK;
}

static enum tr_status check(const struct tr_pack *pack, const struct tr_export_options *options,
                            struct tr_tile_range *tiles, int32_t *base, struct tr_error *error)
{
    enum tr_status status = TR_OK;

    *base = 0;
    if (pack->tile_count == 0)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\": no triangles, expected a mesh to export", pack->path);
    if (options->solid && options->format == TR_EXPORT_GLB)
        return tr_fail(error, TR_USAGE,
                       "glb keeps the world's tiles apart, expected obj, ply or stl for a solid");
    status = select_tiles(pack, options, tiles, error);
    if (status == TR_OK && options->solid)
        status = base_units(pack, options->base, base, error);
    return status == TR_OK ? tr_export_check_range(pack, *tiles, 0, error) : status;
}

static int64_t lowest_y(const struct tr_surface *surface)
{
    int64_t lowest = INT64_MAX;

    for (size_t i = 0; i < surface->vertex_count; i++)
        lowest = surface->xyz[i][1] < lowest ? surface->xyz[i][1] : lowest;
    return lowest;
}

/* Errors of the surface say where in the world; this puts the pack's name before. */
static enum tr_status make_solid(struct tr_surface *surface, const struct tr_pack *pack,
                                 struct tr_tile_range tiles, int32_t base, struct tr_error *error)
{
    const int32_t size[2] = {(int32_t)(pack->info.size_x * tr_pack_tile_units(0)),
                             (int32_t)(pack->info.size_z * tr_pack_tile_units(0))};
    const int64_t floor_y = lowest_y(surface) - base;
    struct tr_error inner = {0};
    enum tr_status status = tr_export_check_range(pack, tiles, floor_y, error);

    if (status != TR_OK)
        return status;
    status = tr_surface_make_solid(surface, size, (int32_t)floor_y, &inner);
    return status == TR_OK ? TR_OK : tr_fail(error, status, "\"%s\": %s", pack->path, inner.text);
}

static enum tr_status write_surface(const struct tr_surface *surface, double voxel_size,
                                    enum tr_export_format format, struct tr_sink *sink,
                                    struct tr_error *error)
{
    if (format == TR_EXPORT_OBJ)
        return tr_export_obj(surface, voxel_size, sink, error);
    return format == TR_EXPORT_PLY ? tr_export_ply(surface, voxel_size, sink, error)
                                   : tr_export_stl(surface, voxel_size, sink, error);
}

/* The formats that share vertices. */
static enum tr_status export_surface(const struct tr_pack *pack, const char *path,
                                     const struct tr_export_options *options, struct tr_tile_range tiles,
                                     int32_t base, struct tr_export_result *result, struct tr_error *error)
{
    struct tr_sink sink = {0};
    struct tr_surface surface = {0};
    enum tr_status status = tr_sink_open(&sink, path, options->replace, error);

    if (status == TR_OK)
        status = tr_surface_read(&surface, pack, tiles, error);
    if (status == TR_OK && surface.index_count == 0)
        status = tr_fail(error, TR_BAD_INPUT, "\"%s\": no triangles, expected a mesh to export", pack->path);
    if (status == TR_OK && options->solid)
        status = make_solid(&surface, pack, tiles, base, error);
    if (status == TR_OK)
        status = write_surface(&surface, pack->info.voxel_size, options->format, &sink, error);
    if (status == TR_OK)
        status = tr_sink_commit(&sink, error);
    *result = (struct tr_export_result){.vertices = surface.vertex_count,
                                        .triangles = surface.index_count / 3,
                                        .file_bytes = sink.written_bytes,
                                        .files = 1,
                                        .is_exact = true};
    tr_surface_release(&surface);
    tr_sink_release(&sink);
    return status;
}

enum tr_status tr_export(const struct tr_pack *pack, const char *path,
                         const struct tr_export_options *options, struct tr_export_result *result,
                         struct tr_error *error)
{
    struct tr_export_options how = *options;
    struct tr_tile_range tiles;
    int32_t base;
    enum tr_status status = check(pack, options, &tiles, &base, error);

    *result = (struct tr_export_result){0};
    if (status != TR_OK)
        return status;
    if (how.file_tiles == 0 || how.file_tiles > TR_EXPORT_FILE_TILES_MAX)
        how.file_tiles = TR_EXPORT_FILE_TILES_MAX;
    return how.format == TR_EXPORT_GLB ? tr_export_glb(pack, tiles, path, &how, result, error)
                                       : export_surface(pack, path, &how, tiles, base, result, error);
}
