/* Tree: what lies in a world's folder, told by name and kind alone. No file is opened and no symbolic link
 * followed, so a folder that only looks like a world can be walked as well. */
#ifndef TR_WORLD_TREE_H
#define TR_WORLD_TREE_H

#include "lib/base/status.h"
#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

enum tr_tree_role {
    TR_TREE_JSON,  /* world.json */
    TR_TREE_INDEX, /* chunks.idx */
    TR_TREE_LOG,   /* edits.jsonl */
    TR_TREE_TOP,   /* the folders chunks and base */
    TR_TREE_SHARD, /* a folder named by two hex digits in one of those */
    TR_TREE_CHUNK, /* a file named as a chunk's in a shard; whether it belongs there is not asked */
    TR_TREE_STRAY, /* a name that no world holds there */
};

struct tr_tree_entry {
    const char *path; /* in the world's folder: "chunks/b2/c.0.0.trc" */
    enum tr_tree_role role;
    bool is_base;   /* base or below it, not chunks */
    unsigned shard; /* of a shard */
    int32_t cx, cz; /* of a chunk */
    mode_t mode;    /* of a symbolic link its own */
};

/* Whether an entry's name has a role and it is the folder or regular file that the role needs. */
bool tr_tree_entry_is_sound(const struct tr_tree_entry *entry);

/* Calls visit for every entry of the open folder `root`, which messages call root_name, a folder before what
 * is in it, in the order of names. What has no role, or is not sound, is not entered. */
enum tr_status tr_tree_walk(int root, const char *root_name,
                            enum tr_status (*visit)(void *context, const struct tr_tree_entry *entry,
                                                    struct tr_error *error),
                            void *context, struct tr_error *error);

#endif
