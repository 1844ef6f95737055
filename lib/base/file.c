/* Files: whole reads, atomic replacement of files and folders, removal of trees.
 *
 * A final name only ever changes by one rename of something finished and synced: RENAME_NOREPLACE where
 * nothing may be there, plain rename over a regular file, RENAME_EXCHANGE for folders. What would be replaced
 * must be of the kind that replaces it, so that --force on /dev/null, on a symbolic link or on a folder by
 * mistake is refused and not obeyed. A folder is exchanged only with one that can be removed, as far as
 * permissions tell, and if it then cannot, the two change back. Sizes that the system reports are a first guess for memory, never a
 * promise: reads go on to the end of the file or the limit. Trees are walked with openat and O_NOFOLLOW, so a
 * symbolic link planted inside one leads nowhere. */
#include "lib/base/file.h"

#include "lib/base/alloc.h"
#include "lib/base/stop.h"
#include "lib/base/temp.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define READ_GUESS_BYTES ((size_t)64 * 1024)
#define REMOVE_DEPTH_MAX 64 /* one descriptor a level stays open */

/* ---- paths ---- */

enum tr_status tr_path_join(char out[TR_PATH_BYTES], const char *folder, const char *name,
                            struct tr_error *error)
{
    size_t length = strlen(folder);
    const char *slash = length == 0 || folder[length - 1] == '/' ? "" : "/";
    int written = snprintf(out, TR_PATH_BYTES, "%s%s%s", folder, slash, name);

    if (written < 0 || written >= TR_PATH_BYTES) {
        out[0] = '\0';
        return tr_fail(error, TR_BAD_INPUT, "path of %d bytes, expected at most %d: \"%.64s...\"", written,
                       TR_PATH_BYTES - 1, folder);
    }
    return TR_OK;
}

enum tr_status tr_path_split(const char *path, char folder[TR_PATH_BYTES], char name[TR_PATH_BYTES],
                             struct tr_error *error)
{
    size_t end = strlen(path), start;

    if (end >= TR_PATH_BYTES)
        return tr_fail(error, TR_BAD_INPUT, "path of %zu bytes, expected at most %d: \"%.64s...\"", end,
                       TR_PATH_BYTES - 1, path);
    while (end > 0 && path[end - 1] == '/')
        end--;
    start = end;
    while (start > 0 && path[start - 1] != '/')
        start--;
    memcpy(name, path + start, end - start);
    name[end - start] = '\0';
    if (start == end || strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return tr_fail(error, TR_BAD_INPUT, "\"%s\" names no file or folder", path);

    while (start > 1 && path[start - 1] == '/')
        start--;
    memcpy(folder, start == 0 ? "." : path, start == 0 ? 1 : start);
    folder[start == 0 ? 1 : start] = '\0';
    return TR_OK;
}

bool tr_path_exists(const char *path)
{
    struct stat info;

    return lstat(path, &info) == 0;
}

bool tr_path_is_folder(const char *path)
{
    struct stat info;

    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static const char *kind_name(mode_t mode)
{
    if (S_ISREG(mode))
        return "a file";
    if (S_ISDIR(mode))
        return "a folder";
    if (S_ISLNK(mode))
        return "a symbolic link";
    return "a device, pipe or socket";
}

/* ---- reading ---- */

/* Reads to the end from where the descriptor stands. first_bytes is a guess of the size and costs at most
 * that much memory. */
static enum tr_status descriptor_read(int descriptor, const char *name, size_t first_bytes, size_t max_bytes,
                                      uint8_t **bytes, size_t *size_bytes, struct tr_error *error)
{
    uint8_t *buffer = NULL;
    size_t capacity = 0, used = 0;
    enum tr_status status = tr_grow(&buffer, &capacity, first_bytes + 1, 1, error);

    while (status == TR_OK) {
        ssize_t got;

        if (capacity - used < 2) /* one for the NUL */
            status = tr_grow(&buffer, &capacity, capacity + 1, 1, error);
        if (status != TR_OK)
            break;
        got = read(descriptor, buffer + used, capacity - used - 1);
        if (got == 0)
            break;
        if (got < 0 && errno == EINTR)
            continue;
        if (got < 0) {
            status = tr_fail_errno(error, "cannot read \"%s\" at byte %zu", name, used);
        } else {
            used += (size_t)got;
            if (used > max_bytes)
                status =
                    tr_fail(error, TR_BAD_INPUT, "\"%s\" has more than %zu bytes, expected at most that many",
                            name, max_bytes);
        }
    }
    if (status != TR_OK) {
        free(buffer);
        return status;
    }
    buffer[used] = 0;
    *bytes = buffer;
    *size_bytes = used;
    return TR_OK;
}

enum tr_status tr_file_read(const char *path, size_t max_bytes, uint8_t **bytes, size_t *size_bytes,
                            struct tr_error *error)
{
    enum tr_status status;
    struct stat info;
    int descriptor;

    *bytes = NULL;
    *size_bytes = 0;
    if (strcmp(path, "-") == 0)
        return descriptor_read(STDIN_FILENO, "standard input", READ_GUESS_BYTES, max_bytes, bytes, size_bytes,
                               error);

    /* O_NONBLOCK: opening a pipe that nobody writes must not hang before it is refused */
    descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (descriptor < 0)
        return tr_fail_errno(error, "cannot open \"%s\"", path);
    if (fstat(descriptor, &info) != 0)
        status = tr_fail_errno(error, "cannot inspect \"%s\"", path);
    else if (!S_ISREG(info.st_mode))
        status = tr_fail(error, TR_IO, "\"%s\" is %s, expected a file", path, kind_name(info.st_mode));
    else if ((uintmax_t)info.st_size > max_bytes)
        status = tr_fail(error, TR_BAD_INPUT, "\"%s\" has %jd bytes, expected at most %zu", path,
                         (intmax_t)info.st_size, max_bytes);
    else /* one byte more than the size, so that the read that finds the end needs no larger buffer */
        status =
            descriptor_read(descriptor, path, (size_t)info.st_size + 1, max_bytes, bytes, size_bytes, error);
    close(descriptor);
    return status;
}

/* ---- writing ---- */

static enum tr_status fail_exists(const char *path, struct tr_error *error)
{
    return tr_fail(error, TR_IO, "\"%s\" exists, expected a new name or --force", path);
}

/* Whether `path` may become something new of the kind `wanted` (S_IFREG or S_IFDIR): absent, or replaceable.
 */
static enum tr_status target_check(const char *path, mode_t wanted, bool replace, struct tr_error *error)
{
    struct stat info;

    if (lstat(path, &info) != 0)
        return errno == ENOENT ? TR_OK : tr_fail_errno(error, "cannot inspect \"%s\"", path);
    if (!replace)
        return fail_exists(path, error);
    if ((info.st_mode & S_IFMT) != wanted)
        return tr_fail(error, TR_IO, "\"%s\" is %s, expected %s to replace", path, kind_name(info.st_mode),
                       kind_name(wanted));
    return TR_OK;
}

static enum tr_status output_create(struct tr_output *output, const char *path, mode_t mode, bool replace,
                                    struct tr_error *error)
{
    char folder[TR_PATH_BYTES], name[TR_PATH_BYTES];
    enum tr_status status;
    int descriptor;

    *output = (struct tr_output){.replace = replace};
    status = tr_path_split(path, folder, name, error);
    if (status == TR_OK)
        status = target_check(path, S_IFREG, replace, error);
    if (status != TR_OK)
        return status;
    if (path[strlen(path) - 1] == '/')
        return tr_fail(error, TR_IO, "\"%s\" ends in a slash, expected the name of a file", path);
    strcpy(output->path, path);

    status = tr_temp_create_file(path, mode, output->temp, &descriptor, error);
    if (status != TR_OK)
        return status;
    output->file = fdopen(descriptor, "wb");
    if (output->file)
        return TR_OK;

    status = tr_fail_errno(error, "cannot create \"%s\"", path);
    close(descriptor);
    unlink(output->temp);
    output->temp[0] = '\0';
    return status;
}

enum tr_status tr_output_open(struct tr_output *output, const char *path, bool replace,
                              struct tr_error *error)
{
    return output_create(output, path, 0666, replace, error); /* the umask takes its share */
}

enum tr_status tr_output_write(struct tr_output *output, const void *bytes, size_t size_bytes,
                               struct tr_error *error)
{
    enum tr_status status = tr_stop_check(error);

    if (status != TR_OK)
        return status;
    if (size_bytes > 0 && fwrite(bytes, 1, size_bytes, output->file) != size_bytes)
        return tr_fail_errno(error, "cannot write \"%s\"", output->path);
    return TR_OK;
}

enum tr_status tr_output_seek(struct tr_output *output, uint64_t offset_bytes, struct tr_error *error)
{
    if (offset_bytes > INT64_MAX)
        errno = EOVERFLOW;
    else if (fseeko(output->file, (off_t)offset_bytes, SEEK_SET) == 0)
        return TR_OK;
    return tr_fail_errno(error, "cannot seek in \"%s\" to byte %ju", output->path, (uintmax_t)offset_bytes);
}

static bool is_unsupported(int code)
{
    return code == EINVAL || code == ENOSYS || code == ENOTSUP;
}

/* Gives a finished temporary its final name, which must still be free. */
static int rename_to_free_name(const char *temp, const char *path)
{
    if (renameat2(AT_FDCWD, temp, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return 0;
    if (!is_unsupported(errno))
        return -1;
    /* a hard link refuses an existing name just as atomically */
    if (link(temp, path) != 0)
        return -1;
    unlink(temp);
    return 0;
}

static enum tr_status parent_sync(const char *path, struct tr_error *error)
{
    char folder[TR_PATH_BYTES], name[TR_PATH_BYTES];
    enum tr_status status = tr_path_split(path, folder, name, error);

    return status == TR_OK ? tr_folder_sync(folder, error) : status;
}

/* Whether two open files of one size have the same bytes. */
static bool bytes_are_equal(int a, int b)
{
    char x[16384], y[sizeof x];
    off_t at = 0;

    for (;;) {
        ssize_t size = pread(a, x, sizeof x, at), other = pread(b, y, sizeof y, at);

        if (size < 0 || size != other || memcmp(x, y, (size_t)size) != 0)
            return false;
        if (size == 0)
            return true;
        at += size;
    }
}

bool tr_file_is_equal(int folder_a, const char *a, int folder_b, const char *b)
{
    const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
    int x = openat(folder_a, a, flags), y = openat(folder_b, b, flags);
    struct stat info_x, info_y;
    bool equal = false;

    if (x >= 0 && y >= 0 && fstat(x, &info_x) == 0 && fstat(y, &info_y) == 0 && S_ISREG(info_x.st_mode) &&
        S_ISREG(info_y.st_mode) && info_x.st_size == info_y.st_size)
        equal = (info_x.st_dev == info_y.st_dev && info_x.st_ino == info_y.st_ino) || bytes_are_equal(x, y);
    if (x >= 0)
        close(x);
    if (y >= 0)
        close(y);
    return equal;
}

enum tr_status tr_output_commit(struct tr_output *output, struct tr_error *error)
{
    enum tr_status status = TR_OK;

    if (fflush(output->file) != 0 || ferror(output->file) || fsync(fileno(output->file)) != 0)
        status = tr_fail_errno(error, "cannot write \"%s\"", output->path);

    /* what is there may have changed since the file was opened */
    if (status == TR_OK)
        status = target_check(output->path, S_IFREG, output->replace, error);
    /* An equal file is left as it is, with its times: build tools that look at them stop there. */
    if (status == TR_OK && output->replace &&
        tr_file_is_equal(AT_FDCWD, output->temp, AT_FDCWD, output->path)) {
        tr_output_abort(output);
        return TR_OK;
    }
    if (status == TR_OK) {
        int renamed = output->replace ? rename(output->temp, output->path)
                                      : rename_to_free_name(output->temp, output->path);
        if (renamed != 0)
            status = errno == EEXIST ? fail_exists(output->path, error)
                                     : tr_fail_errno(error, "cannot rename to \"%s\"", output->path);
        else
            output->temp[0] = '\0';
    }
    if (status == TR_OK) {
        status = parent_sync(output->path, error);
        /* The name may not outlive a power failure. A new one is taken back; where a file was replaced, the
         * old one is gone, and the new one better than none. */
        if (status != TR_OK && !output->replace)
            unlink(output->path);
    }
    /* Closed last, for with the descriptor goes the lock, and without it the temporary would be taken for
     * abandoned. Bytes cannot be lost here: all were flushed and synced. */
    tr_output_abort(output);
    return status;
}

void tr_output_abort(struct tr_output *output)
{
    if (output->file)
        fclose(output->file);
    output->file = NULL;
    if (output->temp[0])
        unlink(output->temp);
    output->temp[0] = '\0';
}

enum tr_status tr_file_write(const char *path, const void *bytes, size_t size_bytes, int mode, bool replace,
                             struct tr_error *error)
{
    struct tr_output output = {0};
    enum tr_status status = output_create(&output, path, (mode_t)mode, replace, error);

    if (status == TR_OK)
        status = tr_output_write(&output, bytes, size_bytes, error);
    if (status == TR_OK)
        status = tr_output_commit(&output, error);
    tr_output_abort(&output);
    return status;
}

/* ---- folders ---- */

enum tr_status tr_folder_create(const char *path, struct tr_error *error)
{
    if (mkdir(path, 0777) == 0)
        return TR_OK;
    return errno == EEXIST ? fail_exists(path, error)
                           : tr_fail_errno(error, "cannot create folder \"%s\"", path);
}

enum tr_status tr_folder_create_all(const char *path, struct tr_error *error)
{
    char part[TR_PATH_BYTES];
    size_t length = strlen(path);

    if (length == 0 || length >= TR_PATH_BYTES)
        return tr_fail(error, TR_BAD_INPUT, "path of %zu bytes, expected 1 to %d", length, TR_PATH_BYTES - 1);
    for (size_t end = 1; end <= length; end++) {
        if (path[end] != '/' && path[end] != '\0')
            continue;
        memcpy(part, path, end);
        part[end] = '\0';
        if (mkdir(part, 0777) == 0 || (errno == EEXIST && tr_path_is_folder(part)))
            continue;
        if (errno == EEXIST)
            return tr_fail(error, TR_IO, "\"%s\" exists and is not a folder", part);
        return tr_fail_errno(error, "cannot create folder \"%s\"", part);
    }
    return TR_OK;
}

/* The names in one folder, sorted; NUL-terminated, one behind another in `text`. */
struct names {
    char *text;
    size_t size_bytes, capacity_bytes;
    const char **sorted;
    size_t count;
};

static void names_release(struct names *names)
{
    free(names->text);
    free(names->sorted);
    *names = (struct names){0};
}

static int name_compare(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static enum tr_status names_sort(struct names *names, struct tr_error *error)
{
    const char *at = names->text;

    names->sorted = tr_alloc(names->count, sizeof *names->sorted, error);
    if (!names->sorted)
        return TR_IO;
    for (size_t i = 0; i < names->count; i++, at += strlen(at) + 1)
        names->sorted[i] = at;
    qsort(names->sorted, names->count, sizeof *names->sorted, name_compare);
    return TR_OK;
}

/* Takes the descriptor of an open folder over and closes it. `path` is for messages. */
static enum tr_status names_read(int descriptor, const char *path, struct names *names,
                                 struct tr_error *error)
{
    DIR *folder = fdopendir(descriptor);
    enum tr_status status = TR_OK;

    if (!folder) {
        status = tr_fail_errno(error, "cannot list \"%s\"", path);
        close(descriptor);
        return status;
    }
    while (status == TR_OK) {
        struct dirent *entry;
        size_t length;

        errno = 0;
        entry = readdir(folder);
        if (!entry) {
            if (errno != 0)
                status = tr_fail_errno(error, "cannot list \"%s\"", path);
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        length = strlen(entry->d_name) + 1;
        status = tr_grow(&names->text, &names->capacity_bytes, names->size_bytes + length, 1, error);
        if (status == TR_OK) {
            memcpy(names->text + names->size_bytes, entry->d_name, length);
            names->size_bytes += length;
            names->count++;
        }
    }
    closedir(folder);
    return status == TR_OK ? names_sort(names, error) : status;
}

enum tr_status tr_folder_list(const char *path,
                              enum tr_status (*visit)(void *context, const char *name,
                                                      struct tr_error *error),
                              void *context, struct tr_error *error)
{
    struct names names = {0};
    enum tr_status status;
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (descriptor < 0)
        return tr_fail_errno(error, "cannot open folder \"%s\"", path);
    status = names_read(descriptor, path, &names, error);
    for (size_t i = 0; status == TR_OK && i < names.count; i++)
        status = visit(context, names.sorted[i], error);
    names_release(&names);
    return status;
}

static enum tr_status list_at(int parent, const char *name, const char *path, bool descending,
                              tr_folder_visit *visit, void *context, size_t *count, struct tr_error *error)
{
    struct names names = {0};
    enum tr_status status;
    int folder = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC), listed;

    *count = 0;
    if (folder < 0)
        return tr_fail_errno(error, "cannot open folder \"%s\"", path);
    listed = fcntl(folder, F_DUPFD_CLOEXEC, 0);
    if (listed < 0)
        status = tr_fail_errno(error, "cannot list \"%s\"", path);
    else
        status = names_read(listed, path, &names, error);
    *count = names.count;
    for (size_t i = 0; status == TR_OK && i < names.count; i++)
        status = visit(context, folder, names.sorted[descending ? names.count - 1 - i : i], error);
    names_release(&names);
    close(folder);
    return status;
}

enum tr_status tr_folder_list_at(int parent, const char *name, const char *path, tr_folder_visit *visit,
                                 void *context, size_t *count, struct tr_error *error)
{
    return list_at(parent, name, path, false, visit, context, count, error);
}

/* ---- trees: whether they can be removed, and removing them ---- */

/* A tree on its way out. */
struct tree {
    const char *root;
    char path[TR_PATH_BYTES]; /* of the entry at hand, for messages; cut where it is too long */
    int depth;                /* of that entry; the root's is 1 */
    bool is_check;            /* only ask whether each entry may go */
    bool has_lost;            /* something of it is gone */
};

/* Where the sticky bit is set, an entry goes only at the hands of its owner, the folder's or the superuser. */
static bool is_held_by_sticky_bit(const struct stat *folder, const struct stat *entry)
{
    uid_t user = geteuid();

    return (folder->st_mode & S_ISVTX) && user != 0 && user != folder->st_uid && user != entry->st_uid;
}

/* Whether an entry of the open folder may be taken out of it. */
static enum tr_status entry_check(const struct tree *tree, int folder, const struct stat *entry,
                                  struct tr_error *error)
{
    struct stat info;

    if (fstat(folder, &info) != 0 || faccessat(folder, ".", W_OK | X_OK, AT_EACCESS) != 0)
        return tr_fail_errno(error, "cannot remove \"%s\"", tree->path);
    if (is_held_by_sticky_bit(&info, entry))
        return tr_fail(error, TR_IO, "cannot remove \"%s\": its folder's sticky bit keeps it", tree->path);
    return TR_OK;
}

static enum tr_status subtree_remove(struct tree *tree, int parent, const char *name, struct tr_error *error);

static enum tr_status entry_remove(struct tree *tree, int folder, const char *name, struct tr_error *error)
{
    enum tr_status status = TR_OK;
    struct stat info;
    bool is_folder;

    if (fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0)
        return errno == ENOENT ? TR_OK : tr_fail_errno(error, "cannot inspect \"%s\"", tree->path);
    is_folder = S_ISDIR(info.st_mode);
    if (tree->is_check)
        status = entry_check(tree, folder, &info, error);
    if (status == TR_OK && is_folder)
        status = subtree_remove(tree, folder, name, error);
    if (status != TR_OK || tree->is_check)
        return status;
    if (unlinkat(folder, name, is_folder ? AT_REMOVEDIR : 0) == 0)
        tree->has_lost = true;
    else if (errno != ENOENT)
        status = tr_fail_errno(error, "cannot remove \"%s\"", tree->path);
    return status;
}

static enum tr_status remove_listed(void *context, int folder, const char *name, struct tr_error *error)
{
    struct tree *tree = context;
    size_t length = strlen(tree->path);
    enum tr_status status;

    snprintf(tree->path + length, sizeof tree->path - length, "/%s", name);
    tree->depth++;
    status = entry_remove(tree, folder, name, error);
    tree->depth--;
    tree->path[length] = '\0';
    return status;
}

/* Empties the folder `name` of the open folder `parent`. */
static enum tr_status subtree_remove(struct tree *tree, int parent, const char *name, struct tr_error *error)
{
    size_t count;

    if (tree->depth > REMOVE_DEPTH_MAX)
        return tr_fail(error, TR_IO, "\"%s\" has folders nested deeper than %d, expected at most that",
                       tree->root, REMOVE_DEPTH_MAX);
    /* descending, so that of a world world.json goes first: what is left of one is none */
    return list_at(parent, name, tree->path, !tree->is_check, remove_listed, tree, &count, error);
}

/* Removes the tree, or asks whether that can be done. A missing one is fine. */
static enum tr_status tree_remove(struct tree *tree, struct tr_error *error)
{
    char folder[TR_PATH_BYTES], name[TR_PATH_BYTES];
    enum tr_status status = tr_path_split(tree->root, folder, name, error);
    struct stat info;
    int parent;

    if (status != TR_OK)
        return status;
    /* O_PATH: to remove what is in a folder, one need not be allowed to list it */
    parent = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    if (parent < 0)
        return errno == ENOENT ? TR_OK : tr_fail_errno(error, "cannot open folder \"%s\"", folder);
    strcpy(tree->path, tree->root);
    for (size_t end = strlen(tree->path); tree->path[end - 1] == '/'; end--)
        tree->path[end - 1] = '\0';
    tree->depth = 1;
    if (fstatat(parent, name, &info, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISDIR(info.st_mode))
        status = tr_fail(error, TR_IO, "\"%s\" is %s, expected a folder to remove", tree->root,
                         kind_name(info.st_mode));
    else
        status = entry_remove(tree, parent, name, error);
    close(parent);
    return status;
}

enum tr_status tr_folder_remove(const char *path, struct tr_error *error)
{
    struct tree tree = {.root = path};

    return tree_remove(&tree, error);
}

enum tr_status tr_folder_check_removable(const char *path, struct tr_error *error)
{
    struct tree tree = {.root = path, .is_check = true};

    return tree_remove(&tree, error);
}

/* ---- folders: replacing ---- */

enum tr_status tr_folder_sync(const char *path, struct tr_error *error)
{
    enum tr_status status = TR_OK;
    int descriptor = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (descriptor < 0)
        return tr_fail_errno(error, "cannot open folder \"%s\"", path);
    /* some network file systems have no fsync for folders: there the server keeps the order */
    if (fsync(descriptor) != 0 && !is_unsupported(errno))
        status = tr_fail_errno(error, "cannot sync folder \"%s\"", path);
    close(descriptor);
    return status;
}

/* The new folder takes a name at which nothing is. Where RENAME_NOREPLACE is missing, plain rename still
 * refuses all that could come into being meanwhile but an empty folder. That is not replaced even with
 * `replace`: the caller has not seen what it is. */
static enum tr_status folder_move_in(const char *new_path, const char *path, bool replace,
                                     struct tr_error *error)
{
    if (renameat2(AT_FDCWD, new_path, AT_FDCWD, path, RENAME_NOREPLACE) == 0)
        return TR_OK;
    if (is_unsupported(errno) && rename(new_path, path) == 0)
        return TR_OK;
    if (errno != EEXIST && errno != ENOTEMPTY)
        return tr_fail_errno(error, "cannot rename \"%s\" to \"%s\"", new_path, path);
    if (replace)
        return tr_fail(error, TR_IO, "\"%s\" was made by somebody else meanwhile, expected no such name",
                       path);
    return fail_exists(path, error);
}

static enum tr_status folder_exchange(const char *new_path, const char *path, struct tr_error *error)
{
    if (renameat2(AT_FDCWD, new_path, AT_FDCWD, path, RENAME_EXCHANGE) == 0)
        return TR_OK;
    if (is_unsupported(errno))
        return tr_fail(
            error, TR_IO,
            "the file system of \"%s\" cannot exchange two folders atomically, expected a new name", path);
    return tr_fail_errno(error, "cannot exchange \"%s\" with \"%s\"", new_path, path);
}

/* The new folder and the old one change names; the old one goes. If it does not, and is still whole, they
 * change back. */
static enum tr_status folder_supplant(const char *new_path, const char *path, struct tr_error *error)
{
    struct tree old = {.root = new_path};
    enum tr_status status = tr_folder_check_removable(path, error);
    int held;

    if (status != TR_OK)
        return status;
    /* under the temporary's name the old one would be taken for abandoned, were it not held (temp.h) */
    held = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (held >= 0)
        flock(held, LOCK_EX | LOCK_NB);
    status = folder_exchange(new_path, path, error);
    if (status == TR_OK) {
        status = parent_sync(path, error);
        if (status == TR_OK)
            status = tree_remove(&old, error);
        if (status != TR_OK && (old.has_lost || folder_exchange(new_path, path, NULL) != TR_OK))
            status = TR_OK;
    }
    if (held >= 0)
        close(held);
    return status;
}

enum tr_status tr_folder_replace(const char *new_path, const char *path, bool replace, struct tr_error *error)
{
    enum tr_status status = target_check(path, S_IFDIR, replace, error);

    if (status != TR_OK)
        return status;
    /* without `replace` never exchanged: somebody's folder may have come into being since the check */
    if (replace && tr_path_exists(path))
        return folder_supplant(new_path, path, error);
    status = folder_move_in(new_path, path, replace, error);
    if (status != TR_OK)
        return status;
    status = parent_sync(path, error);
    return status == TR_OK || folder_move_in(path, new_path, false, NULL) != TR_OK ? TR_OK : status;
}
