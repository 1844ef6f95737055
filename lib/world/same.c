/* See same.h. The files of one are looked up in the other; then the other may only have as many. */
#include "lib/world/same.h"

#include "lib/base/file.h"
#include "lib/world/tree.h"

#include <stddef.h>

struct same {
    int folder, other;
    size_t files;
    bool differs;
};

static enum tr_status visit(void *context, const struct tr_tree_entry *entry, struct tr_error *error)
{
    struct same *same = context;

    (void)error;
    if (!tr_tree_entry_is_sound(entry))
        same->differs = true;
    if (same->differs || entry->role == TR_TREE_TOP || entry->role == TR_TREE_SHARD)
        return TR_OK;
    same->files++;
    return TR_OK;
}

static enum tr_status compare(void *context, const struct tr_tree_entry *entry, struct tr_error *error)
{
    struct same *same = context;
    enum tr_status status = visit(context, entry, error);
    bool is_folder = entry->role == TR_TREE_TOP || entry->role == TR_TREE_SHARD;

    if (!same->differs && !is_folder)
        same->differs = !tr_file_is_equal(same->folder, entry->path, same->other, entry->path);
    return status;
}

enum tr_status tr_world_is_same(int a, const char *a_name, int b, const char *b_name, bool *same,
                                struct tr_error *error)
{
    struct same from = {.folder = a, .other = b}, to = {0};
    enum tr_status status = tr_tree_walk(a, a_name, compare, &from, error);

    if (status == TR_OK && !from.differs)
        status = tr_tree_walk(b, b_name, visit, &to, error);
    *same = status == TR_OK && !from.differs && !to.differs && from.files == to.files;
    return status;
}
