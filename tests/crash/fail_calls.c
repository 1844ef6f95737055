/* fail_calls: a library to preload, which lets one call to the system fail, as a full disk, a broken one or
 * one that has become read-only would.
 *
 *   FAIL_UNDER=FOLDER      absolute, without symbolic links; only calls about paths below it are counted
 *   FAIL_COUNT_FILE=FILE   gets a line "KIND PATH" for each counted call, so as many lines as calls
 *   FAIL_CALLS=KIND,...    the kinds that are counted; all when not given
 *   FAIL_AT=N              the N-th counted call fails; none when not given
 *   FAIL_STAYS=1           and all counted calls after it
 *   FAIL_ERRNO=NAME        ENOSPC, EIO, EROFS or EMFILE; KILL: the process is killed before the call. When not
 *                          given, what such a call fails with: a disk that is full or broken, no descriptor left
 *
 *   FAIL_RUN=COMMAND       the N-th call does not fail, but is made when this shell command has run: what somebody
 *                          else does at just that moment. Calls that look at a name (kind look) are counted then
 *
 * A call that fails does nothing, with two exceptions: of a write half the bytes are written, as when a disk
 * fills up, and a close does close.
 *
 * The C library's own streams call the system without passing through here. So a stream on a counted file is
 * made one with functions of ours (fopencookie), and what it writes, reads and closes is counted like calls
 * of the program itself. What is not counted: access and the listing of a folder. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STREAMS_MAX 64

static struct {
    const char *under, *calls;
    size_t under_bytes;
    long at;
    bool stays;
    const char *error; /* NULL: by kind */
    char *run;         /* NULL: nothing */
    int log;           /* descriptor; -1: none */
} plan = {.log = -1};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static long count; /* under the lock */

__attribute__((constructor)) static void plan_read(void)
{
    const char *log = getenv("FAIL_COUNT_FILE"), *at = getenv("FAIL_AT");

    plan.under = getenv("FAIL_UNDER");
    plan.under_bytes = plan.under ? strlen(plan.under) : 0;
    plan.calls = getenv("FAIL_CALLS");
    plan.at = at ? strtol(at, NULL, 10) : 0;
    plan.stays = getenv("FAIL_STAYS") != NULL;
    plan.error = getenv("FAIL_ERRNO");
    plan.run = getenv("FAIL_RUN");
    if (log)
        plan.log = (int)syscall(SYS_openat, AT_FDCWD, log, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
}

/* ---- which calls are counted ---- */

static bool is_under(const char *path)
{
    return plan.under && strncmp(path, plan.under, plan.under_bytes) == 0 &&
           (path[plan.under_bytes] == '/' || path[plan.under_bytes] == '\0');
}

/* Path of what is open; empty when unknown. */
static void path_of(int descriptor, char path[PATH_MAX])
{
    char link[64];
    ssize_t length;

    snprintf(link, sizeof link, "/proc/self/fd/%d", descriptor);
    length = readlink(link, path, PATH_MAX - 1);
    path[length > 0 ? length : 0] = '\0';
}

/* Path of `name` as seen from the open folder; AT_FDCWD is the current one. */
static void path_at(int folder, const char *name, char path[PATH_MAX])
{
    size_t length;

    if (strcmp(name, ".") == 0)
        name = "";
    path[0] = '\0';
    if (name[0] != '/') {
        if (folder != AT_FDCWD)
            path_of(folder, path);
        else if (!getcwd(path, PATH_MAX - 1))
            path[0] = '\0';
    }
    length = strlen(path);
    snprintf(path + length, PATH_MAX - length, "%s%s", name[0] == '/' || name[0] == '\0' ? "" : "/", name);
}

static bool is_chosen(const char *kind)
{
    size_t length = strlen(kind);

    if (!plan.calls)
        return plan.run || strcmp(kind, "look") != 0;
    for (const char *at = plan.calls; (at = strstr(at, kind)); at += length)
        if ((at == plan.calls || at[-1] == ',') && (at[length] == ',' || at[length] == '\0'))
            return true;
    return false;
}

/* What the call fails with. */
static int code_of(const char *kind)
{
    static const struct {
        const char *name;
        int code;
    } codes[] = {{"ENOSPC", ENOSPC}, {"EIO", EIO},      {"EROFS", EROFS},  {"EMFILE", EMFILE}, /* errors */
                 {"create", ENOSPC}, {"mkdir", ENOSPC}, {"write", ENOSPC}, {"link", ENOSPC},   /* kinds */
                 {"rename", ENOSPC}, {"open", EMFILE},  {"dup", EMFILE},   {"lock", ENOLCK}};

    for (size_t i = 0; i < sizeof codes / sizeof codes[0]; i++)
        if (strcmp(plan.error ? plan.error : kind, codes[i].name) == 0)
            return codes[i].code;
    return EIO;
}

/* Runs plan.run without this library. */
static void run_command(void)
{
    char *arguments[] = {"sh", "-c", plan.run, NULL};
    int code = errno;
    pid_t child = fork();

    if (child == 0) {
        unsetenv("LD_PRELOAD");
        execv("/bin/sh", arguments);
        _exit(127);
    }
    while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
        ;
    errno = code;
}

/* Counts a call; whether it is to fail, with errno set. */
static bool fails(const char *kind, const char *path)
{
    char line[PATH_MAX + 32];
    bool is_hit;

    if (!is_under(path) || !is_chosen(kind))
        return false;
    pthread_mutex_lock(&lock);
    count++;
    is_hit = plan.at > 0 && (count == plan.at || (plan.stays && count > plan.at));
    if (plan.log >= 0) {
        int length = snprintf(line, sizeof line, "%s %s\n", kind, path);

        syscall(SYS_write, plan.log, line, (size_t)length);
    }
    pthread_mutex_unlock(&lock);
    if (is_hit && plan.run) {
        run_command();
        return false;
    }
    if (is_hit && plan.error && strcmp(plan.error, "KILL") == 0)
        kill(getpid(), SIGKILL);
    if (is_hit)
        errno = code_of(kind);
    return is_hit;
}

static bool fails_of(const char *kind, int descriptor)
{
    char path[PATH_MAX];
    int code = errno;

    path_of(descriptor, path);
    errno = code;
    return fails(kind, path);
}

static bool fails_at(const char *kind, int folder, const char *name)
{
    char path[PATH_MAX];
    int code = errno;

    path_at(folder, name, path);
    errno = code;
    return fails(kind, path);
}

/* ---- opening, closing, locking ---- */

static int do_open(int folder, const char *name, int flags, mode_t mode)
{
    if (fails_at(flags & O_CREAT ? "create" : "open", folder, name))
        return -1;
    return (int)syscall(SYS_openat, folder, name, flags, mode);
}

static mode_t mode_argument(int flags, va_list list)
{
    return flags & O_CREAT ? va_arg(list, mode_t) : 0;
}

int open(const char *name, int flags, ...)
{
    va_list list;
    mode_t mode;

    va_start(list, flags);
    mode = mode_argument(flags, list);
    va_end(list);
    return do_open(AT_FDCWD, name, flags, mode);
}

int openat(int folder, const char *name, int flags, ...)
{
    va_list list;
    mode_t mode;

    va_start(list, flags);
    mode = mode_argument(flags, list);
    va_end(list);
    return do_open(folder, name, flags, mode);
}

int fcntl(int descriptor, int command, ...)
{
    va_list list;
    void *argument;

    va_start(list, command);
    argument = va_arg(list, void *);
    va_end(list);
    if ((command == F_DUPFD || command == F_DUPFD_CLOEXEC) && fails_of("dup", descriptor))
        return -1;
    return (int)syscall(SYS_fcntl, descriptor, command, argument);
}

int close(int descriptor)
{
    bool failed = fails_of("close", descriptor);
    int code = errno, result = (int)syscall(SYS_close, descriptor);

    if (failed)
        errno = code;
    return failed ? -1 : result;
}

int flock(int descriptor, int operation)
{
    return fails_of("lock", descriptor) ? -1 : (int)syscall(SYS_flock, descriptor, operation);
}

/* ---- reading, writing, syncing ---- */

ssize_t read(int descriptor, void *bytes, size_t size_bytes)
{
    return fails_of("read", descriptor) ? -1 : syscall(SYS_read, descriptor, bytes, size_bytes);
}

ssize_t pread(int descriptor, void *bytes, size_t size_bytes, off_t offset)
{
    return fails_of("read", descriptor) ? -1 : syscall(SYS_pread64, descriptor, bytes, size_bytes, offset);
}

ssize_t write(int descriptor, const void *bytes, size_t size_bytes)
{
    int code;

    if (!fails_of("write", descriptor))
        return syscall(SYS_write, descriptor, bytes, size_bytes);
    code = errno;
    syscall(SYS_write, descriptor, bytes, size_bytes / 2);
    errno = code;
    return -1;
}

ssize_t pwrite(int descriptor, const void *bytes, size_t size_bytes, off_t offset)
{
    int code;

    if (!fails_of("write", descriptor))
        return syscall(SYS_pwrite64, descriptor, bytes, size_bytes, offset);
    code = errno;
    syscall(SYS_pwrite64, descriptor, bytes, size_bytes / 2, offset);
    errno = code;
    return -1;
}

int fsync(int descriptor)
{
    return fails_of("sync", descriptor) ? -1 : (int)syscall(SYS_fsync, descriptor);
}

int fdatasync(int descriptor)
{
    return fails_of("sync", descriptor) ? -1 : (int)syscall(SYS_fdatasync, descriptor);
}

int syncfs(int descriptor)
{
    return fails_of("sync", descriptor) ? -1 : (int)syscall(SYS_syncfs, descriptor);
}

int ftruncate(int descriptor, off_t size_bytes)
{
    return fails_of("write", descriptor) ? -1 : (int)syscall(SYS_ftruncate, descriptor, size_bytes);
}

/* ---- names ---- */

int mkdirat(int folder, const char *name, mode_t mode)
{
    return fails_at("mkdir", folder, name) ? -1 : (int)syscall(SYS_mkdirat, folder, name, mode);
}

int mkdir(const char *name, mode_t mode)
{
    return mkdirat(AT_FDCWD, name, mode);
}

int linkat(int folder, const char *name, int new_folder, const char *new_name, int flags)
{
    return fails_at("link", new_folder, new_name)
               ? -1
               : (int)syscall(SYS_linkat, folder, name, new_folder, new_name, flags);
}

int link(const char *name, const char *new_name)
{
    return linkat(AT_FDCWD, name, AT_FDCWD, new_name, 0);
}

int renameat2(int folder, const char *name, int new_folder, const char *new_name, unsigned flags)
{
    return fails_at("rename", new_folder, new_name)
               ? -1
               : (int)syscall(SYS_renameat2, folder, name, new_folder, new_name, flags);
}

int renameat(int folder, const char *name, int new_folder, const char *new_name)
{
    return renameat2(folder, name, new_folder, new_name, 0);
}

int rename(const char *name, const char *new_name)
{
    return renameat2(AT_FDCWD, name, AT_FDCWD, new_name, 0);
}

int unlinkat(int folder, const char *name, int flags)
{
    return fails_at("remove", folder, name) ? -1 : (int)syscall(SYS_unlinkat, folder, name, flags);
}

int unlink(const char *name)
{
    return unlinkat(AT_FDCWD, name, 0);
}

int rmdir(const char *name)
{
    return unlinkat(AT_FDCWD, name, AT_REMOVEDIR);
}

int fstatat(int folder, const char *name, struct stat *info, int flags)
{
    return fails_at("look", folder, name) ? -1 : (int)syscall(SYS_newfstatat, folder, name, info, flags);
}

int stat(const char *name, struct stat *info)
{
    return fstatat(AT_FDCWD, name, info, 0);
}

int lstat(const char *name, struct stat *info)
{
    return fstatat(AT_FDCWD, name, info, AT_SYMLINK_NOFOLLOW);
}

/* ---- streams ---- */

/* The streams that are ours, and what they are open on. */
static struct stream {
    FILE *stream;
    int descriptor;
} streams[STREAMS_MAX];

static struct stream *stream_find(const FILE *stream)
{
    for (size_t i = 0; i < STREAMS_MAX; i++)
        if (streams[i].stream == stream)
            return &streams[i];
    return NULL;
}

static ssize_t stream_read(void *cookie, char *bytes, size_t size_bytes)
{
    return read(((struct stream *)cookie)->descriptor, bytes, size_bytes);
}

static ssize_t stream_write(void *cookie, const char *bytes, size_t size_bytes)
{
    ssize_t put = write(((struct stream *)cookie)->descriptor, bytes, size_bytes);

    return put < 0 ? 0 : put; /* what fopencookie wants to hear of an error */
}

static int stream_seek(void *cookie, off64_t *offset, int whence)
{
    off64_t at = lseek64(((struct stream *)cookie)->descriptor, *offset, whence);

    if (at < 0)
        return -1;
    *offset = at;
    return 0;
}

static int stream_close(void *cookie)
{
    struct stream *stream = cookie;
    int descriptor = stream->descriptor;

    pthread_mutex_lock(&lock);
    stream->stream = NULL;
    pthread_mutex_unlock(&lock);
    return close(descriptor);
}

/* The real function of that name. */
static void *next_function(const char *name)
{
    void *function = dlsym(RTLD_NEXT, name);

    if (!function)
        abort();
    return function;
}

FILE *fdopen(int descriptor, const char *mode)
{
    static const cookie_io_functions_t functions = {
        .read = stream_read, .write = stream_write, .seek = stream_seek, .close = stream_close};
    FILE *(*real)(int, const char *) = (FILE * (*)(int, const char *)) next_function("fdopen");
    char path[PATH_MAX];
    struct stream *free_one;

    path_of(descriptor, path);
    if (!is_under(path))
        return real(descriptor, mode);
    pthread_mutex_lock(&lock);
    free_one = stream_find(NULL);
    if (free_one) {
        free_one->descriptor = descriptor;
        free_one->stream = fopencookie(free_one, mode, functions);
    }
    pthread_mutex_unlock(&lock);
    if (!free_one)
        abort(); /* the test needs a larger table */
    return free_one->stream;
}

FILE *fopen(const char *name, const char *mode)
{
    FILE *(*real)(const char *, const char *) =
        (FILE * (*)(const char *, const char *)) next_function("fopen");
    char path[PATH_MAX];
    int descriptor;

    path_at(AT_FDCWD, name, path);
    if (!is_under(path) || mode[0] != 'r' || strchr(mode, '+'))
        return real(name, mode);
    descriptor = open(name, O_RDONLY | O_CLOEXEC);
    return descriptor < 0 ? NULL : fdopen(descriptor, mode);
}

int fileno(FILE *stream)
{
    int (*real)(FILE *) = (int (*)(FILE *))next_function("fileno");
    struct stream *ours;
    int descriptor;

    pthread_mutex_lock(&lock);
    ours = stream_find(stream);
    descriptor = ours ? ours->descriptor : -1;
    pthread_mutex_unlock(&lock);
    return ours ? descriptor : real(stream);
}
