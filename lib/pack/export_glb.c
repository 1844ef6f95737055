/* GLB exports: the passes over the tiles, and which file each tile goes to.
 *
 * The quantised profiles read all tiles once for their extents, from which the step follows. Then, file by file, tiles are made for their
 * sizes until the file is full, and made once more to be written.
 *
 * A file is full with as many tiles as the options say, or when its bytes would come near 2 GiB. What fits in one file is that file; else
 * the output is a folder of tiles-00001.glb, tiles-00002.glb and so on, in the order of the pack, built aside and renamed into place. All of
 * them are in the world's coordinates and on one lattice, so that together they are what one file would be. */
#include "lib/pack/glb.h"

#include "lib/base/alloc.h"
#include "lib/base/temp.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Kept for the JSON of TR_EXPORT_FILE_TILES_MAX tiles: 16 KiB each, of which they need 2. */
#define JSON_ROOM_BYTES ((uint64_t)64 << 20)
#define NAME_BEGIN "tiles-"
#define NAME_END ".glb"

/* ---- the lattice ---- */

struct extent {
    int64_t box, morph; /* units, along one axis */
};

static int64_t greater(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static void extend(struct extent *extent, const struct tr_tile_mesh *mesh, bool has_morphs)
{
    int32_t lo[3], hi[3];

    tr_pack_mesh_bounds(mesh, lo, hi);
    for (int axis = 0; axis < 3; axis++)
        extent->box = greater(extent->box, (int64_t)hi[axis] - lo[axis]);
    for (uint32_t i = 0; has_morphs && mesh->targets && i < mesh->vertex_count; i++) {
        const int32_t from[3] = {mesh->vertices[i].x, mesh->vertices[i].y, mesh->vertices[i].z};

        for (int axis = 0; axis < 3; axis++)
            extent->morph = greater(extent->morph, llabs((int64_t)mesh->targets[i][axis] - from[axis]));
    }
}

static enum tr_status find_lattice(struct tr_glb *glb, struct tr_tile_range tiles, struct tr_error *error)
{
    struct extent extent = {0};
    enum tr_status status = TR_OK;

    for (size_t i = 0; i < tiles.count && status == TR_OK; i++) {
        struct tr_tile_mesh mesh = {0};

        status = tr_glb_read(glb->pack, tiles.first + i, &mesh, error);
        if (status == TR_OK && mesh.vertex_count > 0)
            extend(&extent, &mesh, glb->has_morphs);
        tr_tile_mesh_release(&mesh);
    }
    tr_glb_lattice_init(&glb->lattice, glb->pack->info.voxel_size);
    tr_glb_lattice_widen(&glb->lattice, extent.box, extent.morph);
    return status;
}

/* ---- one file ---- */

static bool is_full(const struct tr_glb_file *file, size_t tiles_max, uint64_t more_bytes)
{
    return file->count >= tiles_max || file->bin_bytes + more_bytes > TR_GLB_FILE_BYTES_MAX - JSON_ROOM_BYTES;
}

/* Puts the range's tiles from *next on into the file, until it is full or only tiles without triangles are left. */
static enum tr_status fill_file(const struct tr_glb *glb, struct tr_tile_range tiles, size_t tiles_max,
                                size_t *next, struct tr_glb_file *file, struct tr_error *error)
{
    enum tr_status status = TR_OK;

    file->count = 0; /* its tiles are forgotten: they hold nothing */
    file->bin_bytes = 0;
    for (; *next < tiles.count; ++*next) {
        struct tr_glb_tile tile;

        status = tr_glb_tile_make(glb, tiles.first + *next, &tile, error);
        tr_glb_tile_forget(&tile);
        if (status != TR_OK)
            break;
        if (tile.stream_count == 0)
            continue;
        if (file->count > 0 && is_full(file, tiles_max, tr_glb_tile_bytes(&tile)))
            break;
        status = tr_grow(&file->tiles, &file->capacity, file->count + 1, sizeof *file->tiles, error);
        if (status != TR_OK)
            break;
        file->tiles[file->count++] = tile;
        file->bin_bytes += tr_glb_tile_bytes(&tile);
    }
    return status;
}

static enum tr_status write_tiles(const struct tr_glb *glb, const struct tr_glb_file *file,
                                  struct tr_sink *sink, struct tr_export_result *result,
                                  struct tr_error *error)
{
    enum tr_status status = TR_OK;

    for (size_t i = 0; i < file->count && status == TR_OK; i++) {
        struct tr_glb_tile tile;

        status = tr_glb_tile_make(glb, (size_t)(file->tiles[i].tile - glb->pack->tiles), &tile, error);
        if (status == TR_OK)
            status = tr_glb_write_tile(&tile, sink, error);
        if (status == TR_OK) {
            result->vertices += tile.streams[0].count;
            result->triangles += tile.streams[tile.stream_count - 1].count / 3;
        }
        tr_glb_tile_release(&tile);
    }
    return status;
}

static enum tr_status write_file(const struct tr_glb *glb, const struct tr_glb_file *file, const char *path,
                                 bool replace, struct tr_export_result *result, struct tr_error *error)
{
    struct tr_sink sink = {0};
    enum tr_status status = tr_sink_open(&sink, path, replace, error);

    if (status == TR_OK)
        status = tr_glb_write_head(glb, file, &sink, error);
    if (status == TR_OK)
        status = write_tiles(glb, file, &sink, result, error);
    if (status == TR_OK)
        status = tr_sink_commit(&sink, error);
    if (status == TR_OK) {
        result->file_bytes += sink.written_bytes;
        result->files++;
    }
    tr_sink_release(&sink);
    return status;
}

/* ---- a folder of files ---- */

/* Whether an entry's name is one that an export gives, or that of such a file's temporary. */
static bool is_ours(const char *name)
{
    name += name[0] == '.';
    return strncmp(name, NAME_BEGIN, strlen(NAME_BEGIN)) == 0 && strstr(name, NAME_END);
}

static enum tr_status check_entry(void *context, int folder, const char *name, struct tr_error *error)
{
    const char *path = context;

    (void)folder;
    return is_ours(name)
               ? TR_OK
               : tr_fail(error, TR_IO, "\"%s\" has \"%s\" in it, expected a folder of tiles to replace", path,
                         name);
}

/* What a killed export has left. */
static bool may_remove_abandoned(int folder, const char *path)
{
    char shown[TR_PATH_BYTES];
    size_t count;

    snprintf(shown, sizeof shown, "%s", path);
    return tr_folder_list_at(folder, ".", path, check_entry, shown, &count, NULL) == TR_OK;
}

static enum tr_status compare_entry(void *context, int folder, const char *name, struct tr_error *error)
{
    const int *other = context;

    return tr_file_is_equal(folder, name, *other, name) ? TR_OK
                                                        : tr_fail(error, TR_NO, "\"%s\" is not equal", name);
}

/* Whether the folder at `path` has just the files of the new one. */
static bool is_same(int folder, const char *path)
{
    size_t count, other_count;
    int other = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    bool same = other >= 0 &&
                tr_folder_list_at(folder, ".", path, compare_entry, &other, &count, NULL) == TR_OK &&
                tr_folder_list_at(other, ".", path, compare_entry, &folder, &other_count, NULL) == TR_OK;

    if (other >= 0)
        close(other);
    return same;
}

/* A folder in the making, beside the name that it will have. */
struct folder {
    char path[TR_PATH_BYTES], temp[TR_PATH_BYTES];
    int descriptor; /* holds the temporary (temp.h) */
};

static enum tr_status folder_open(struct folder *folder, const char *path, bool replace,
                                  struct tr_error *error)
{
    size_t length = strlen(path), count;
    enum tr_status status = TR_OK;

    while (length > 1 && path[length - 1] == '/')
        length--;
    if (length >= sizeof folder->path)
        return tr_fail(error, TR_BAD_INPUT, "path of %zu bytes, expected at most %zu", length,
                       sizeof folder->path - 1);
    snprintf(folder->path, sizeof folder->path, "%.*s", (int)length, path);
    if (replace && tr_path_is_folder(folder->path))
        status =
            tr_folder_list_at(AT_FDCWD, folder->path, folder->path, check_entry, folder->path, &count, error);
    if (status == TR_OK)
        status = tr_temp_create_folder(folder->path, may_remove_abandoned, folder->temp, &folder->descriptor,
                                       error);
    return status;
}

static enum tr_status folder_commit(struct folder *folder, bool replace, struct tr_error *error)
{
    enum tr_status status = tr_folder_sync(folder->temp, error);

    /* An equal one is left as it is, with its times. */
    if (status != TR_OK || (replace && is_same(folder->descriptor, folder->path)))
        return status;
    status = tr_folder_replace(folder->temp, folder->path, replace, error);
    if (status == TR_OK)
        folder->temp[0] = '\0';
    return status;
}

static void folder_release(struct folder *folder)
{
    if (folder->temp[0])
        tr_folder_remove(folder->temp, NULL);
    if (folder->descriptor >= 0)
        close(folder->descriptor);
}

/* Writes `file`, which is full, as the first of a folder, and the tiles from `next` on as the others. */
static enum tr_status write_folder(const struct tr_glb *glb, struct tr_tile_range tiles, const char *path,
                                   const struct tr_export_options *options, size_t next,
                                   struct tr_glb_file *file, struct tr_export_result *result,
                                   struct tr_error *error)
{
    struct folder folder = {.descriptor = -1};
    enum tr_status status = folder_open(&folder, path, options->replace, error);

    while (status == TR_OK && file->count > 0) {
        char name[sizeof NAME_BEGIN NAME_END + 20], file_path[TR_PATH_BYTES];

        snprintf(name, sizeof name, NAME_BEGIN "%05" PRIu64 NAME_END, result->files + 1);
        status = tr_path_join(file_path, folder.temp, name, error);
        if (status == TR_OK)
            status = write_file(glb, file, file_path, false, result, error);
        if (status == TR_OK)
            status = fill_file(glb, tiles, options->file_tiles, &next, file, error);
    }
    if (status == TR_OK)
        status = folder_commit(&folder, options->replace, error);
    folder_release(&folder);
    return status;
}

/* ---- the export ---- */

enum tr_status tr_export_glb(const struct tr_pack *pack, struct tr_tile_range tiles, const char *path,
                             const struct tr_export_options *options, struct tr_export_result *result,
                             struct tr_error *error)
{
    struct tr_glb glb = {.pack = pack,
                         .profile = options->profile,
                         .splat = options->splat,
                         .has_morphs = !options->no_morphs};
    struct tr_glb_file file = {0};
    size_t next = 0;
    enum tr_status status = TR_OK;

    if (!options->replace && tr_path_exists(path)) /* or all the work would be for nothing */
        return tr_fail(error, TR_IO, "\"%s\" exists, expected a new name or --force", path);
    if (glb.profile != TR_PROFILE_PLAIN)
        status = find_lattice(&glb, tiles, error);
    result->step = glb.lattice.step;
    result->is_exact = glb.lattice.is_exact || glb.profile == TR_PROFILE_PLAIN;
    if (status == TR_OK)
        status = fill_file(&glb, tiles, options->file_tiles, &next, &file, error);
    if (status == TR_OK && file.count == 0)
        status = tr_fail(error, TR_BAD_INPUT, "\"%s\": no triangles, expected a mesh to export", pack->path);
    if (status == TR_OK && next == tiles.count)
        status = write_file(&glb, &file, path, options->replace, result, error);
    else if (status == TR_OK)
        status = write_folder(&glb, tiles, path, options, next, &file, result, error);
    free(file.tiles);
    return status;
}
