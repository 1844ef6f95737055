/* Temporaries: what is written comes into being beside its final name, as ".<name>.tmp-<pid>-<n>" (of a long
 * name its first 200 bytes). A process that is killed leaves it there, and whoever next writes to the same
 * final name removes it.
 *
 * How it is known that nobody works on one any more: whoever makes a temporary holds an advisory lock on it
 * (flock), which ends with the process, however that ends. The process id in the name only keeps names apart;
 * of a process in another container or on another host that shares the folder it says nothing. Where the
 * file system has no such locks nothing is removed; where hosts do not see each other's, a temporary may be
 * taken from a living writer, who then fails and has changed nothing. */
#ifndef TR_BASE_TEMP_H
#define TR_BASE_TEMP_H

#include "lib/base/file.h"

#include <sys/types.h>

/* Creates a file to be renamed to `path`, open to write; mode less the umask. Before, removes abandoned
 * files of that name. The lock lasts as long as the descriptor. */
enum tr_status tr_temp_create_file(const char *path, mode_t mode, char temp[TR_PATH_BYTES], int *descriptor,
                                   struct tr_error *error);

/* Whether an abandoned folder, given open and by its path, is of a kind that may be removed. */
typedef bool tr_temp_may_go(int folder, const char *path);
/* The same for a folder. */
enum tr_status tr_temp_create_folder(const char *path, tr_temp_may_go *may_go, char temp[TR_PATH_BYTES],
                                     int *descriptor, struct tr_error *error);

#endif
