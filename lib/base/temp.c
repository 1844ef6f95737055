/* Temporaries: making them, and removing those that a killed process has left.
 *
 * Two steps are not one: a temporary that has just been made has no lock yet, and one that was found without
 * a lock may be gone, or have become the final thing, a moment later. So whoever makes one makes sure, after
 * locking it, that it still bears its name, and takes another if not. And whoever removes one first gives it
 * a temporary name of his own, in one step: were it somebody's after all, that somebody no longer finds it
 * and fails, and nothing that is being taken apart can be renamed into place. */
#include "lib/base/temp.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define NAME_BYTES 200 /* of the final name, so that the temporary's stays below NAME_MAX */
#define TRIES 1000

/* ---- names ---- */

/* A name that this process has not used before; something may bear it all the same. */
static enum tr_status next_name(const char *folder, const char *name, char temp[TR_PATH_BYTES],
                                struct tr_error *error)
{
    static atomic_uint serial;
    char temp_name[NAME_BYTES + 64];

    snprintf(temp_name, sizeof temp_name, ".%.*s.tmp-%ld-%u", NAME_BYTES, name, (long)getpid(),
             atomic_fetch_add(&serial, 1u));
    return tr_path_join(temp, folder, temp_name, error);
}

static const char *skip_digits(const char *text)
{
    return text + strspn(text, "0123456789");
}

/* Whether `entry` is what next_name gives to anybody for `name`. */
static bool is_temp_name(const char *name, const char *entry)
{
    static const char mark[] = ".tmp-";
    size_t length = strnlen(name, NAME_BYTES);
    const char *id, *end;

    if (entry[0] != '.' || strncmp(entry + 1, name, length) != 0 ||
        strncmp(entry + 1 + length, mark, sizeof mark - 1) != 0)
        return false;
    id = entry + 1 + length + sizeof mark - 1;
    end = skip_digits(id);
    return end > id && *end == '-' && end[1] != '\0' && *skip_digits(end + 1) == '\0';
}

/* Whether the path still names what is open. */
static bool is_named(int descriptor, const char *path)
{
    struct stat open_one, named;

    return fstat(descriptor, &open_one) == 0 && lstat(path, &named) == 0 && open_one.st_dev == named.st_dev &&
           open_one.st_ino == named.st_ino;
}

/* ---- removing what nobody holds ---- */

struct sweep {
    const char *folder, *name;
    mode_t kind;            /* S_IFREG or S_IFDIR: a writer removes what a writer like it has left */
    tr_temp_may_go *may_go; /* of folders */
};

/* Removes what bears the name `temp` under another one. */
static void remove_aside(const struct sweep *sweep, const char *temp)
{
    char aside[TR_PATH_BYTES];

    for (int i = 0; i < TRIES; i++) {
        if (next_name(sweep->folder, sweep->name, aside, NULL) != TR_OK)
            return;
        if (renameat2(AT_FDCWD, temp, AT_FDCWD, aside, RENAME_NOREPLACE) == 0)
            break;
        if (errno != EEXIST)
            return;
    }
    if (sweep->kind == S_IFDIR)
        tr_folder_remove(aside, NULL);
    else
        unlink(aside);
}

/* Nothing that goes wrong here concerns the one who is about to write. */
static enum tr_status sweep_entry(void *context, const char *entry, struct tr_error *error)
{
    const struct sweep *sweep = context;
    char temp[TR_PATH_BYTES];
    struct stat info;
    int descriptor;

    (void)error;
    if (!is_temp_name(sweep->name, entry) || tr_path_join(temp, sweep->folder, entry, NULL) != TR_OK ||
        lstat(temp, &info) != 0 || (info.st_mode & S_IFMT) != sweep->kind)
        return TR_OK;
    descriptor = open(temp, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (descriptor < 0)
        return TR_OK;
    if (flock(descriptor, LOCK_EX | LOCK_NB) == 0 && is_named(descriptor, temp) &&
        (!sweep->may_go || sweep->may_go(descriptor, temp)))
        remove_aside(sweep, temp);
    close(descriptor);
    return TR_OK;
}

/* ---- creating ---- */

/* Locks what was just made. False where somebody takes it for abandoned. */
static bool hold(int descriptor, const char *temp)
{
    if (flock(descriptor, LOCK_EX | LOCK_NB) != 0)
        return errno != EWOULDBLOCK; /* no locks here: nobody else can have one either */
    return is_named(descriptor, temp);
}

static int make_file(const char *temp, mode_t mode)
{
    return open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
}

static int make_folder(const char *temp, mode_t mode)
{
    int descriptor, code;

    if (mkdir(temp, mode) != 0)
        return -1;
    descriptor = open(temp, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) {
        code = errno;
        rmdir(temp);
        errno = code == ENOENT ? EEXIST : code; /* taken for abandoned, and gone: another name */
    }
    return descriptor;
}

static enum tr_status create(const char *path, mode_t kind, mode_t mode, tr_temp_may_go *may_go,
                             char temp[TR_PATH_BYTES], int *descriptor, struct tr_error *error)
{
    char folder[TR_PATH_BYTES], name[TR_PATH_BYTES];
    struct sweep sweep = {.folder = folder, .name = name, .kind = kind, .may_go = may_go};
    enum tr_status status = tr_path_split(path, folder, name, error);

    *descriptor = -1;
    temp[0] = '\0';
    if (status != TR_OK)
        return status;
    tr_folder_list(folder, sweep_entry, &sweep, NULL);

    for (int i = 0; i < TRIES; i++) {
        status = next_name(folder, name, temp, error);
        if (status != TR_OK)
            return status;
        *descriptor = kind == S_IFDIR ? make_folder(temp, mode) : make_file(temp, mode);
        if (*descriptor >= 0 && hold(*descriptor, temp))
            return TR_OK;
        if (*descriptor >= 0)
            close(*descriptor);
        else if (errno != EEXIST)
            break;
        *descriptor = -1;
        errno = EEXIST;
    }
    temp[0] = '\0';
    return tr_fail_errno(error, "cannot create \"%s\"", path);
}

enum tr_status tr_temp_create_file(const char *path, mode_t mode, char temp[TR_PATH_BYTES], int *descriptor,
                                   struct tr_error *error)
{
    return create(path, S_IFREG, mode, NULL, temp, descriptor, error);
}

enum tr_status tr_temp_create_folder(const char *path, tr_temp_may_go *may_go, char temp[TR_PATH_BYTES],
                                     int *descriptor, struct tr_error *error)
{
    return create(path, S_IFDIR, 0777, may_go, temp, descriptor, error);
}
