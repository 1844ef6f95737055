/* Files: read whole, replace atomically, make and remove folders. Nothing that existed is harmed by a
 * failure. */
#ifndef TR_BASE_FILE_H
#define TR_BASE_FILE_H

#include "lib/base/status.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TR_PATH_BYTES 4096

/* Joins with '/'; refuses what does not fit. */
enum tr_status tr_path_join(char out[TR_PATH_BYTES], const char *folder, const char *name,
                            struct tr_error *error);
/* Splits "a/b/c/" into "a/b" and "c"; "c" into "." and "c"; "/c" into "/" and "c". What has no name of its
 * own, like "/", "a/.." and "", is refused. */
enum tr_status tr_path_split(const char *path, char folder[TR_PATH_BYTES], char name[TR_PATH_BYTES],
                             struct tr_error *error);

/* Reads a regular file of at most max_bytes (larger, missing, a folder, a device: refused). "-" reads
 * standard input. *bytes gets a NUL behind the end that size_bytes does not count; free() it. Missing or
 * unreadable is TR_IO; too large TR_BAD_INPUT. */
enum tr_status tr_file_read(const char *path, size_t max_bytes, uint8_t **bytes, size_t *size_bytes,
                            struct tr_error *error);

/* Writes a file so that `path` is, at any moment, the old one or the whole new one: temporary beside it,
 * fsync, rename, fsync of the folder. An existing path is refused (TR_IO, says --force) unless `replace`; and
 * even then unless it is a regular file: a folder, a device or a symbolic link is never replaced. mode like
 * 0644 or 0444, less the umask. */
enum tr_status tr_file_write(const char *path, const void *bytes, size_t size_bytes, int mode, bool replace,
                             struct tr_error *error);

/* The same in steps, for what is too large to hold: create, write through `file`, then commit or abort. */
struct tr_output {
    void *file;               /* FILE *; NULL when not open */
    char path[TR_PATH_BYTES]; /* final name */
    char temp[TR_PATH_BYTES]; /* beside it (temp.h) */
    bool replace;
};
enum tr_status tr_output_open(struct tr_output *output, const char *path, bool replace,
                              struct tr_error *error);
/* Fails when a signal asks to stop (stop.h). */
enum tr_status tr_output_write(struct tr_output *output, const void *bytes, size_t size_bytes,
                               struct tr_error *error);
enum tr_status tr_output_seek(struct tr_output *output, uint64_t offset_bytes, struct tr_error *error);
/* A file to be replaced that has the same bytes is left as it is, with its times. After a failure `path` is what it was, or, where a new file has replaced an old one and only their folder
 * cannot be synced, the whole new one. */
enum tr_status tr_output_commit(struct tr_output *output, struct tr_error *error);
void tr_output_abort(struct tr_output *output); /* removes the temporary; harmless after commit */

bool tr_path_exists(const char *path); /* does not follow a final symlink */
bool tr_path_is_folder(const char *path);
/* Whether two names are one regular file, or two of the same bytes. What cannot be read is not equal. Names are relative to the open folders
 * (AT_FDCWD: the current one); no symbolic link is followed at the end. */
bool tr_file_is_equal(int folder_a, const char *a, int folder_b, const char *b);
enum tr_status tr_folder_create(const char *path, struct tr_error *error);
/* With its parents; existing folders are fine. */
enum tr_status tr_folder_create_all(const char *path, struct tr_error *error);
/* Removes a folder and what is in it, names in descending order, at most 64 folders deep; follows no symlink,
 * `path` itself included; a missing one is fine. */
enum tr_status tr_folder_remove(const char *path, struct tr_error *error);
enum tr_status tr_folder_sync(const char *path, struct tr_error *error);
/* Calls visit(name) for each entry but . and .., sorted by name (so that no result depends on the file
 * system's order). */
enum tr_status tr_folder_list(const char *path,
                              enum tr_status (*visit)(void *context, const char *name,
                                                      struct tr_error *error),
                              void *context, struct tr_error *error);
/* The same for the folder `name` of the open folder `parent`; a symbolic link in its place is not followed.
 * visit gets the folder's descriptor too. `path` is what messages call the folder. *count: its entries. */
typedef enum tr_status tr_folder_visit(void *context, int folder, const char *name, struct tr_error *error);
enum tr_status tr_folder_list_at(int parent, const char *name, const char *path, tr_folder_visit *visit,
                                 void *context, size_t *count, struct tr_error *error);
/* Whether tr_folder_remove may do its work, by the permissions and sticky bits of the folder's parent and of
 * every folder in it; TR_IO names the first entry that would stay. A missing folder is fine. What permissions
 * do not tell (an append-only folder, a mount point) is not found; of capabilities only the superuser's are
 * known. */
enum tr_status tr_folder_check_removable(const char *path, struct tr_error *error);
/* Renames the folder new_path to `path`, which stands beside it. If something is there: refused without
 * `replace`, and unless it is a folder (not a link to one) that can be removed; else exchanged atomically with
 * it, and the old one removed with all that is in it: the caller has made sure that it is a world. A file
 * system that cannot exchange is refused, named.
 *
 * After a failure both names are what they were. An old folder whose removal fails all the same gets its name
 * back if it is still whole; if part of it is gone already, the new one stays, which is success, and the rest
 * of the old one is left under new_path. */
enum tr_status tr_folder_replace(const char *new_path, const char *path, bool replace,
                                 struct tr_error *error);

#endif
