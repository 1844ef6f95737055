/* The walk knows three levels: the world's folder, chunks and base, and their shards. Each has its own table
 * of names, so nothing is entered whose name has no role there, and depth is bounded by the levels. */
#include "lib/world/tree.h"

#include "lib/base/file.h"
#include "lib/world/index.h"
#include "lib/world/store.h"
#include "lib/world/world_json.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#define TREE_PATH_BYTES (3 * (NAME_MAX + 1)) /* two folders and an entry of any name */

struct walk {
    const char *root_name;
    enum tr_status (*visit)(void *context, const struct tr_tree_entry *entry, struct tr_error *error);
    void *context;
    struct tr_tree_entry folder; /* whose entries are listed; path "" and role TR_TREE_STRAY for the root */
};

bool tr_tree_entry_is_sound(const struct tr_tree_entry *entry)
{
    if (entry->role == TR_TREE_STRAY)
        return false;
    return entry->role == TR_TREE_TOP || entry->role == TR_TREE_SHARD ? S_ISDIR(entry->mode)
                                                                      : S_ISREG(entry->mode);
}

static enum tr_tree_role root_role(const char *name)
{
    static const struct {
        const char *name;
        enum tr_tree_role role;
    } known[] = {
        {TR_WORLD_JSON_NAME, TR_TREE_JSON}, {TR_INDEX_NAME, TR_TREE_INDEX}, {TR_STORE_LOG, TR_TREE_LOG},
        {TR_STORE_CHUNKS, TR_TREE_TOP},     {TR_STORE_BASE, TR_TREE_TOP},
    };

    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++)
        if (strcmp(name, known[i].name) == 0)
            return known[i].role;
    return TR_TREE_STRAY;
}

/* Gives the entry `name` of the walk's folder its role. */
static void find_role(const struct walk *walk, const char *name, struct tr_tree_entry *entry)
{
    entry->role = TR_TREE_STRAY;
    if (walk->folder.path[0] == '\0') {
        entry->role = root_role(name);
        entry->is_base = strcmp(name, TR_STORE_BASE) == 0;
        return;
    }
    entry->is_base = walk->folder.is_base;
    if (walk->folder.role == TR_TREE_TOP && tr_store_parse_shard(name, &entry->shard))
        entry->role = TR_TREE_SHARD;
    else if (walk->folder.role == TR_TREE_SHARD && tr_store_parse_chunk(name, &entry->cx, &entry->cz))
        entry->role = TR_TREE_CHUNK;
}

static enum tr_status visit_listed(void *context, int folder, const char *name, struct tr_error *error);

/* Lists the folder `name` of the open folder `parent`, which the entry describes. */
static enum tr_status walk_folder(const struct walk *walk, int parent, const char *name,
                                  const struct tr_tree_entry *entry, struct tr_error *error)
{
    struct walk below = *walk;
    char path[TR_PATH_BYTES + TREE_PATH_BYTES];
    size_t count;

    below.folder = *entry;
    snprintf(path, sizeof path, "%s%s%s", walk->root_name, entry->path[0] ? "/" : "", entry->path);
    return tr_folder_list_at(parent, name, path, visit_listed, &below, &count, error);
}

static enum tr_status visit_listed(void *context, int folder, const char *name, struct tr_error *error)
{
    const struct walk *walk = context;
    char path[TREE_PATH_BYTES];
    struct tr_tree_entry entry = {.path = path};
    struct stat info;
    enum tr_status status;

    snprintf(path, sizeof path, "%s%s%s", walk->folder.path, walk->folder.path[0] ? "/" : "", name);
    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return tr_fail_errno(error, "cannot inspect \"%s/%s\"", walk->root_name, path);
    entry.mode = info.st_mode;
    find_role(walk, name, &entry);
    status = walk->visit(walk->context, &entry, error);
    if (status == TR_OK && S_ISDIR(info.st_mode) && tr_tree_entry_is_sound(&entry))
        status = walk_folder(walk, folder, name, &entry, error);
    return status;
}

enum tr_status tr_tree_walk(int root, const char *root_name,
                            enum tr_status (*visit)(void *context, const struct tr_tree_entry *entry,
                                                    struct tr_error *error),
                            void *context, struct tr_error *error)
{
    const struct tr_tree_entry top = {.path = "", .role = TR_TREE_STRAY};
    const struct walk walk = {.root_name = root_name, .visit = visit, .context = context};

    return walk_folder(&walk, root, ".", &top, error);
}
