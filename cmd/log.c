/* terrain log: what can be done with edit logs alone, without replaying them. A verb each: check, stats, convert, filter, merge, optimize.
 *
 * Logs are read in any encoding, from files or standard input ("-"). Those that make a log write it whole in place of its name, or to
 * standard output for "-o -"; what they did is said on standard error. */
#include "cmd/common.h"
#include "lib/base/file.h"
#include "lib/base/json.h"
#include "lib/base/msgpack.h"
#include "lib/edit/log_work.h"
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define TR_OPTION_FORMAT                                                                                     \
    {                                                                                                        \
        "--format", 0, TR_OPTION_CHOICE, "jsonl|json|msgpack", 0, 0,                                         \
            "how the result is written; by its name's ending when not given, jsonl to standard output"       \
    }
#define TR_OPTION_LOG_OUT                                                                                    \
    {                                                                                                        \
        "--output", 'o', TR_OPTION_TEXT, "LOG", 0, 0,                                                        \
            "where the result goes; must not exist without --force; - is standard output"                    \
    }
#define TR_OPTION_VOXEL_SIZE                                                                                 \
    {                                                                                                        \
        "--voxel-size", 0, TR_OPTION_NUMBER, "METRES", 0.001, 100000,                                        \
            "edge of a voxel in the world that is meant; 1 when not given"                                   \
    }

/* ---- reading and writing ---- */

static const char *log_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

/* *bytes (NULL: not wanted) is the file; free() it. */
static enum tr_status read_log(const char *path, struct tr_log *log, struct tr_log_torn *torn,
                               uint8_t **bytes, size_t *size_bytes, struct tr_error *error)
{
    uint8_t *text = NULL;
    size_t size = 0;
    char folder[TR_PATH_BYTES], own_name[TR_PATH_BYTES];
    bool has_folder = strcmp(path, "-") != 0;
    enum tr_status status = tr_file_read(path, TR_LOG_BYTES_MAX, &text, &size, error);
    if (status == TR_OK && has_folder)
        status = tr_path_split(path, folder, own_name, error);
    if (status == TR_OK)
        status = tr_log_parse(log, (const char *)text, size, log_name(path), has_folder ? folder : NULL, torn,
                              error);
    if (status == TR_OK && bytes) {
        *bytes = text;
        *size_bytes = size;
        return TR_OK;
    }
    free(text);
    return status;
}

/* Converts to voxels; unlike tr_log_resolve there is no world whose bounds count. */
static enum tr_status resolve_log(const char *path, struct tr_log *log, double voxel_size,
                                  struct tr_error *error)
{
    enum tr_status status = TR_OK;
    for (size_t i = 0; i < log->count && status == TR_OK; i++) {
        char where[TR_ERROR_TEXT_BYTES];
        tr_edit_where(&log->edits[i], log_name(path), i + 1, where);
        status = tr_edit_resolve(&log->edits[i], voxel_size, where, error);
    }
    return status;
}

static const struct {
    const char *extension;
    enum tr_log_encoding encoding;
} encodings[] = {{"jsonl", TR_LOG_LINES}, {"json", TR_LOG_JSON}, {"msgpack", TR_LOG_MESSAGE_PACK}};

/* The output and how it is written. Checked before anything is read. */
struct target {
    const char *path;
    enum tr_log_encoding encoding;
};

static enum tr_status find_target(const struct tr_call *call, struct target *target, struct tr_error *error)
{
    const char *path = tr_call_text(call, "--output", NULL);
    if (!path)
        return tr_need_output(call, &path, error);
    target->path = path;
    const char *dot = strrchr(path, '.');
    const char *extension =
        tr_call_text(call, "--format", strcmp(path, "-") == 0 ? "jsonl" : (dot ? dot + 1 : ""));
    for (size_t i = 0; i < sizeof encodings / sizeof encodings[0]; i++)
        if (strcasecmp(encodings[i].extension, extension) == 0) {
            target->encoding = encodings[i].encoding;
            return TR_OK;
        }
    return tr_fail(error, TR_USAGE,
                   "'%s' does not end in .jsonl, .json or .msgpack, expected that or --format", path);
}

static enum tr_status write_log(const struct tr_call *call, const struct target *target,
                                const struct tr_log *log, struct tr_error *error)
{
    struct tr_writer out = {0};
    enum tr_status status = tr_log_write(log, target->encoding, &out, error);
    const bool is_stdout = strcmp(target->path, "-") == 0;
    if (status == TR_OK && is_stdout &&
        (fwrite(out.bytes, 1, out.size_bytes, stdout) != out.size_bytes || fflush(stdout) != 0))
        status = tr_fail_errno(error, "cannot write to standard output");
    if (status == TR_OK && !is_stdout)
        status =
            tr_file_write(target->path, out.bytes, out.size_bytes, 0644, tr_call_has(call, "--force"), error);
    tr_writer_release(&out);
    return status;
}

static const char *target_name(const struct target *target)
{
    return strcmp(target->path, "-") == 0 ? "standard output" : tr_shown(target->path);
}

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- times ---- */

#define MS_PER_DAY INT64_C(86400000)

/* Days from 1970-01-01 to a day of the Gregorian calendar, in which each 400 years have 146,097. Years are counted from March, so that a
 * leap day is a year's last. */
static int64_t days_from_date(int64_t year, int64_t month, int64_t day)
{
    year -= month <= 2;
    int64_t era = tr_floor_div(year, 400), of_era = tr_floor_mod(year, 400);
    int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static void date_from_days(int64_t days, int64_t *year, int64_t *month, int64_t *day)
{
    days += 719468;
    int64_t era = tr_floor_div(days, 146097), of_era = tr_floor_mod(days, 146097);
    int64_t year_of_era = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    int64_t of_year = of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t march_month = (5 * of_year + 2) / 153;
    *day = of_year - (153 * march_month + 2) / 5 + 1;
    *month = march_month < 10 ? march_month + 3 : march_month - 9;
    *year = year_of_era + era * 400 + (*month <= 2);
}

static const char *time_text(int64_t time_ms, char text[48])
{
    int64_t year, month, day, ms = tr_floor_mod(time_ms, MS_PER_DAY);
    date_from_days(tr_floor_div(time_ms, MS_PER_DAY), &year, &month, &day);
    int size = snprintf(text, 48, "%04" PRId64 "-%02d-%02dT%02d:%02d:%02d", year, (int)month, (int)day,
                        (int)(ms / 3600000), (int)(ms / 60000 % 60), (int)(ms / 1000 % 60));
    snprintf(text + size, 48 - (size_t)size, ms % 1000 ? ".%03dZ" : "Z", (int)(ms % 1000));
    return text;
}

/* Reads exactly `count` digits and moves *at behind them. */
static bool take_digits(const char **at, int count, int64_t *value)
{
    *value = 0;
    for (int i = 0; i < count; i++, (*at)++) {
        if (**at < '0' || **at > '9')
            return false;
        *value = *value * 10 + (**at - '0');
    }
    return true;
}

static bool take(const char **at, char wanted)
{
    bool found = **at == wanted;
    *at += found;
    return found;
}

/* Milliseconds, or YYYY-MM-DD, with THH:MM, THH:MM:SS or THH:MM:SS.mmm and then Z behind it: ISO 8601 in UTC. */
static bool parse_time(const char *text, int64_t *time_ms)
{
    static const int month_days[] = {31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int64_t year, month, day, hour = 0, minute = 0, second = 0, ms = 0, back[3];
    double number;
    if (tr_number_parse(text, strlen(text), &number)) {
        *time_ms = (int64_t)fmax(fmin(number, 0x1p53), -0x1p53);
        return number == (double)*time_ms;
    }
    if (!take_digits(&text, 4, &year) || !take(&text, '-') || !take_digits(&text, 2, &month) ||
        !take(&text, '-') || !take_digits(&text, 2, &day) || month < 1 || month > 12 || day < 1 ||
        day > month_days[month - 1])
        return false;
    if (take(&text, 'T')) {
        if (!take_digits(&text, 2, &hour) || !take(&text, ':') || !take_digits(&text, 2, &minute))
            return false;
        if (take(&text, ':') && !take_digits(&text, 2, &second))
            return false;
        if (take(&text, '.') && !take_digits(&text, 3, &ms))
            return false;
        if (!take(&text, 'Z') || hour > 23 || minute > 59 || second > 59)
            return false;
    }
    int64_t days = days_from_date(year, month, day);
    date_from_days(days, &back[0], &back[1], &back[2]); /* another date when the month is not that long */
    *time_ms = days * MS_PER_DAY + ((hour * 60 + minute) * 60 + second) * 1000 + ms;
    return *text == 0 && back[1] == month && back[2] == day;
}

/* ---- check ---- */

/* The encoding of a text that has been read. */
static const char *encoding_name(const uint8_t *bytes, size_t size_bytes)
{
    const char *text = (const char *)bytes;
    size_t blank = 0;
    cJSON *first = NULL;
    if (tr_msgpack_is(bytes, size_bytes))
        return "MessagePack";
    while (strchr(" \t\r\n", text[blank]) && blank < size_bytes)
        blank++;
    enum tr_status status = tr_json_parse(text + blank, strcspn(text + blank, "\n"), "", 1, &first, NULL);
    bool is_lines =
        status == TR_OK && cJSON_IsObject(first) && !cJSON_GetObjectItemCaseSensitive(first, "edits");
    cJSON_Delete(first);
    return is_lines ? "JSON Lines" : "JSON";
}

static enum tr_status is_normal_form(const struct tr_log *log, const uint8_t *bytes, size_t size_bytes,
                                     bool *is, struct tr_error *error)
{
    struct tr_writer out = {0};
    enum tr_status status = tr_log_write(log, TR_LOG_LINES, &out, error);
    *is = status == TR_OK && out.size_bytes == size_bytes && memcmp(out.bytes, bytes, size_bytes) == 0;
    tr_writer_release(&out);
    return status;
}

struct verdict {
    size_t edits;
    const char *encoding;
    bool is_normal;
};

/* world: NULL for none. */
static enum tr_status check_log(const char *path, const struct tr_world *world, struct verdict *verdict,
                                struct tr_error *error)
{
    struct tr_log log = {0};
    uint8_t *bytes = NULL;
    size_t size = 0;
    enum tr_status status = read_log(path, &log, NULL, &bytes, &size, error);
    if (status == TR_OK) {
        verdict->edits = log.count;
        verdict->encoding = encoding_name(bytes, size);
        status = is_normal_form(&log, bytes, size, &verdict->is_normal, error);
    }
    if (status == TR_OK && world)
        status = tr_log_resolve(&log, 0, &world->info, log_name(path), false, NULL, error);
    free(bytes);
    tr_log_release(&log);
    return status;
}

static cJSON *verdict_json(const char *path, enum tr_status status, const struct verdict *verdict,
                           const struct tr_error *error)
{
    cJSON *object = cJSON_CreateObject();
    tr_json_add_path(object, "path", path);
    cJSON_AddBoolToObject(object, "ok", status == TR_OK);
    if (status == TR_OK) {
        cJSON_AddNumberToObject(object, "edits", (double)verdict->edits);
        cJSON_AddStringToObject(object, "encoding", verdict->encoding);
        cJSON_AddBoolToObject(object, "normal_form", verdict->is_normal);
    } else {
        tr_json_add_path(object, "error", error->text);
    }
    return object;
}

/* Checks each log for itself. The error of the last that is refused is left for the end of the command to say; those before it are said
 * here, or all of them in `logs`, where that is not NULL. */
static enum tr_status check_logs(const struct tr_call *call, const struct tr_world *world, cJSON *logs,
                                 struct tr_error *error)
{
    enum tr_status worst = TR_OK;
    for (int i = 0; i < call->argument_count && worst != TR_IO; i++) {
        struct verdict verdict = {0};
        struct tr_error refusal = {0};
        const char *path = call->arguments[i];
        enum tr_status status = check_log(path, world, &verdict, &refusal);
        if (logs)
            cJSON_AddItemToArray(logs, verdict_json(path, status, &verdict, &refusal));
        else if (status == TR_OK && !tr_call_has(call, "--quiet"))
            printf("%s: %zu edit%s, %s%s\n", tr_shown(log_name(path)), verdict.edits, plural(verdict.edits),
                   verdict.encoding, verdict.is_normal ? ", normal form" : "");
        if (status == TR_OK)
            continue;
        if (worst != TR_OK && !logs)
            fprintf(stderr, "%s\n", error->text);
        *error = refusal;
        worst = status;
    }
    return worst;
}

static enum tr_status run_check(const struct tr_call *call, struct tr_error *error)
{
    struct tr_world *world = NULL;
    cJSON *object = tr_call_has(call, "--json") ? cJSON_CreateObject() : NULL;
    cJSON *logs = object ? cJSON_AddArrayToObject(object, "logs") : NULL;
    enum tr_status status = tr_check_one_input(call, error);
    if (status == TR_OK && tr_call_has(call, "--world"))
        status = tr_world_open(tr_call_text(call, "--world", NULL), &world, error);
    if (status == TR_OK)
        status = check_logs(call, world, logs, error);
    if (object && (status == TR_OK || status == TR_BAD_INPUT) && cJSON_GetArraySize(logs)) {
        enum tr_status printed = tr_json_print(object, error);
        status = printed == TR_OK ? status : printed;
    } else {
        cJSON_Delete(object);
    }
    tr_world_close(world);
    return status;
}

static const struct tr_option check_options[] = {
    {"--world", 0, TR_OPTION_TEXT, "WORLD", 0, 0,
     "check against this world too: its limits, and that no edit lies outside"},
    TR_OPTION_JSON,
    TR_OPTION_QUIET,
    TR_OPTION_END,
};

static const struct tr_command check = {
    .name = "log check",
    .usage = "LOG...",
    .summary = "say whether logs are as they must be",
    .about = "A mistake is one line that names its file, line, edit and field; exit 3. All logs are checked, "
             "each for itself.",
    .examples = "  terrain log check edits.jsonl\n  terrain log check --world world sculpting/*.jsonl",
    .least = 1,
    .most = TR_ARGUMENTS_ANY,
    .options = check_options,
    .run = run_check,
};

/* ---- stats ---- */

struct author_count {
    const char *name; /* "": none */
    size_t edits;
};

struct stats {
    size_t operations[TR_EDIT_OP_COUNT];
    struct author_count *authors; /* by name; in the log's memory */
    size_t author_count;
    size_t timed;
    int64_t first_ms, last_ms;
    uint64_t stamps, shapes, nodes;
    double radius_m;
    struct tr_box box; /* what is written; along y by volume edits only */
    bool has_box, has_volume;
    double columns,
        samples; /* in the boxes of stamps of height brushes, and of volume edits: overlaps count again */
};

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct author_count *)a)->name, ((const struct author_count *)b)->name);
}

static enum tr_status count_authors(const struct tr_log *log, struct stats *stats, struct tr_error *error)
{
    struct author_count *authors = calloc(log->count + 1, sizeof *authors);
    if (!authors)
        return tr_fail(error, TR_IO, "out of memory");
    for (size_t i = 0; i < log->count; i++)
        authors[i] = (struct author_count){log->edits[i].author, 1};
    qsort(authors, log->count, sizeof *authors, compare_names);
    for (size_t i = 0; i < log->count; i++) {
        struct author_count *last = &authors[stats->author_count - 1];
        if (stats->author_count && strcmp(last->name, authors[i].name) == 0)
            last->edits++;
        else
            authors[stats->author_count++] = authors[i];
    }
    stats->authors = authors;
    return TR_OK;
}

static double length(const struct tr_box *box, int axis)
{
    return (double)(box->hi[axis] - box->lo[axis] + 1);
}

static void count_stamp(const struct tr_edit *edit, const struct tr_box *writes, struct stats *stats)
{
    bool is_height = tr_edit_is_height(edit);
    stats->stamps++;
    if (tr_box_is_empty(writes))
        return;
    double columns = length(writes, 0) * length(writes, 2);
    if (is_height)
        stats->columns += columns;
    else
        stats->samples += columns * length(writes, 1);
    for (int axis = 0; axis < 3; axis++) {
        bool is_first = axis == 1 ? !stats->has_volume : !stats->has_box;
        if (axis == 1 && is_height)
            continue;
        if (is_first || writes->lo[axis] < stats->box.lo[axis])
            stats->box.lo[axis] = writes->lo[axis];
        if (is_first || writes->hi[axis] > stats->box.hi[axis])
            stats->box.hi[axis] = writes->hi[axis];
    }
    stats->has_box = true;
    stats->has_volume |= !is_height;
}

static void count_edit(const struct tr_edit *edit, struct stats *stats)
{
    stats->operations[edit->op]++;
    if (edit->has_time) {
        if (stats->timed == 0 || edit->time_ms < stats->first_ms)
            stats->first_ms = edit->time_ms;
        if (stats->timed == 0 || edit->time_ms > stats->last_ms)
            stats->last_ms = edit->time_ms;
        stats->timed++;
    }
    stats->shapes += tr_edit_is_shape(edit);
    stats->nodes += edit->shape.count;
    for (uint32_t i = 0; i < edit->point_count; i++)
        stats->radius_m = fmax(stats->radius_m, edit->points[i].radius_m);
    for (uint32_t i = 0, stamps = tr_edit_stamp_count(edit); i < stamps; i++) {
        struct tr_stamp stamp = tr_edit_stamp(edit, i);
        struct tr_box reads, writes;
        tr_edit_boxes(edit, &stamp, &reads, &writes);
        count_stamp(edit, &writes, stats);
    }
}

static const char *const operation_names[TR_EDIT_OP_COUNT] = {
    [TR_EDIT_RAISE] = "raise",
    [TR_EDIT_LOWER] = "lower",
    [TR_EDIT_SMOOTH] = "smooth",
    [TR_EDIT_HC_SMOOTH] = "hc-smooth",
    [TR_EDIT_FLATTEN] = "flatten",
    [TR_EDIT_NOISE] = "noise",
    [TR_EDIT_STAMP] = "stamp",
    [TR_EDIT_SET] = "set",
    [TR_EDIT_PAINT] = "paint",
    [TR_EDIT_VOLUME_ADD] = "add",
    [TR_EDIT_VOLUME_SUBTRACT] = "subtract",
    [TR_EDIT_VOLUME_SMOOTH] = "smooth",
    [TR_EDIT_VOLUME_FLATTEN] = "flatten",
    [TR_EDIT_VOLUME_NOISE] = "noise",
    [TR_EDIT_VOLUME_STAMP] = "stamp",
    [TR_EDIT_INFLATE] = "inflate",
    [TR_EDIT_PINCH] = "pinch",
    [TR_EDIT_GRAB] = "grab",
    [TR_EDIT_REDISTANCE] = "redistance",
    [TR_EDIT_VOLUME_PAINT] = "paint",
    [TR_EDIT_UNION] = "union",
    [TR_EDIT_SUBTRACT] = "subtract",
    [TR_EDIT_INTERSECT] = "intersect",
    [TR_EDIT_SHAPE_PAINT] = "paint",
};

/* The operations of height brushes, of volume brushes and of shapes. */
static const struct {
    const char *text, *json;
    enum tr_edit_op first, end;
} groups[] = {{"heights", "height_brushes", TR_EDIT_RAISE, TR_EDIT_VOLUME_ADD},
              {"in 3D", "volume_brushes", TR_EDIT_VOLUME_ADD, TR_EDIT_UNION},
              {"shapes", "shapes", TR_EDIT_UNION, TR_EDIT_OP_COUNT}};
#define GROUPS (sizeof groups / sizeof groups[0])

static void print_operations(const struct stats *stats)
{
    for (size_t g = 0; g < GROUPS; g++) {
        const char *between = "";
        for (int op = (int)groups[g].first; op < (int)groups[g].end; op++) {
            if (stats->operations[op] == 0)
                continue;
            if (!*between)
                printf("  %-11s ", groups[g].text);
            printf("%s%s %zu", between, operation_names[op], stats->operations[op]);
            between = ", ";
        }
        if (*between)
            printf("\n");
    }
}

static void print_authors(const struct stats *stats)
{
    enum { MOST = 8 };
    printf("  authors     ");
    for (size_t i = 0; i < stats->author_count && i < MOST; i++)
        printf("%s%s %zu", i ? ", " : "", stats->authors[i].name[0] ? stats->authors[i].name : "(none)",
               stats->authors[i].edits);
    printf(stats->author_count > MOST ? ", ...\n" : "\n");
}

static int64_t chunk_of(int64_t voxel)
{
    return tr_floor_div(voxel, TR_CHUNK);
}

static void print_reach(const struct stats *stats, double voxel)
{
    const struct tr_box *box = &stats->box;
    if (stats->has_box)
        printf("  writes      x %g to %g m, z %g to %g m: chunks %" PRId64 ",%" PRId64 " to %" PRId64
               ",%" PRId64 "\n",
               (double)box->lo[0] * voxel, (double)box->hi[0] * voxel, (double)box->lo[2] * voxel,
               (double)box->hi[2] * voxel, chunk_of(box->lo[0]), chunk_of(box->lo[2]), chunk_of(box->hi[0]),
               chunk_of(box->hi[2]));
    if (stats->has_volume)
        printf("              y %g to %g m in 3D\n", (double)box->lo[1] * voxel, (double)box->hi[1] * voxel);
    printf("  in boxes    %.0f columns of heights, %.0f samples in 3D, with voxels of %g m\n", stats->columns,
           stats->samples, voxel);
}

static void print_stats(const char *path, const struct tr_log *log, const struct stats *stats, double voxel)
{
    char first[48], last[48], radius[32];
    printf("%s: %zu edit%s\n", tr_shown(log_name(path)), log->count, plural(log->count));
    if (log->count == 0)
        return;
    print_operations(stats);
    print_authors(stats);
    if (stats->timed)
        printf("  times       %s to %s%s\n", time_text(stats->first_ms, first),
               time_text(stats->last_ms, last), stats->timed < log->count ? ", some without" : "");
    if (stats->shapes < log->count)
        printf("  stamps      %" PRIu64 ", with a radius of at most %s\n", stats->stamps,
               tr_metres(stats->radius_m, radius));
    else
        printf("  stamps      %" PRIu64 "\n", stats->stamps);
    if (stats->shapes)
        printf("  shapes of   %" PRIu64 " node%s in all\n", stats->nodes, plural(stats->nodes));
    print_reach(stats, voxel);
}

static cJSON *group_json(const struct stats *stats, size_t g)
{
    cJSON *object = cJSON_CreateObject();
    for (int op = (int)groups[g].first; op < (int)groups[g].end; op++)
        if (stats->operations[op])
            cJSON_AddNumberToObject(object, operation_names[op], (double)stats->operations[op]);
    return object;
}

static void add_box_json(cJSON *object, const struct stats *stats, double voxel)
{
    const struct tr_box *box = &stats->box;
    tr_json_add_point(object, "x_m", (double[]){(double)box->lo[0] * voxel, (double)box->hi[0] * voxel}, 2);
    if (stats->has_volume)
        tr_json_add_point(object, "y_m", (double[]){(double)box->lo[1] * voxel, (double)box->hi[1] * voxel},
                          2);
    tr_json_add_point(object, "z_m", (double[]){(double)box->lo[2] * voxel, (double)box->hi[2] * voxel}, 2);
    tr_json_add_point(object, "chunks_x",
                      (double[]){(double)chunk_of(box->lo[0]), (double)chunk_of(box->hi[0])}, 2);
    tr_json_add_point(object, "chunks_z",
                      (double[]){(double)chunk_of(box->lo[2]), (double)chunk_of(box->hi[2])}, 2);
}

static enum tr_status stats_json(const char *path, const struct tr_log *log, const struct stats *stats,
                                 double voxel, struct tr_error *error)
{
    cJSON *object = cJSON_CreateObject();
    tr_json_add_path(object, "path", path);
    cJSON_AddNumberToObject(object, "edits", (double)log->count);
    cJSON *operations = cJSON_AddObjectToObject(object, "operations");
    for (size_t g = 0; g < GROUPS; g++)
        cJSON_AddItemToObject(operations, groups[g].json, group_json(stats, g));
    cJSON *authors = cJSON_AddArrayToObject(object, "authors");
    for (size_t i = 0; i < stats->author_count; i++) {
        cJSON *author = cJSON_CreateObject();
        if (stats->authors[i].name[0])
            cJSON_AddStringToObject(author, "name", stats->authors[i].name);
        else
            cJSON_AddNullToObject(author, "name");
        cJSON_AddNumberToObject(author, "edits", (double)stats->authors[i].edits);
        cJSON_AddItemToArray(authors, author);
    }
    cJSON_AddNumberToObject(object, "edits_with_time", (double)stats->timed);
    if (stats->timed) {
        cJSON_AddNumberToObject(object, "first_time_ms", (double)stats->first_ms);
        cJSON_AddNumberToObject(object, "last_time_ms", (double)stats->last_ms);
    }
    cJSON_AddNumberToObject(object, "stamps", (double)stats->stamps);
    cJSON_AddNumberToObject(object, "greatest_radius_m", stats->radius_m);
    cJSON_AddNumberToObject(object, "shape_nodes", (double)stats->nodes);
    cJSON_AddNumberToObject(object, "voxel_size_m", voxel);
    if (stats->has_box)
        add_box_json(object, stats, voxel);
    cJSON_AddNumberToObject(object, "columns_in_boxes", stats->columns);
    cJSON_AddNumberToObject(object, "samples_in_boxes", stats->samples);
    return tr_json_print(object, error);
}

static enum tr_status run_stats(const struct tr_call *call, struct tr_error *error)
{
    const char *path = call->arguments[0];
    double voxel = tr_call_number(call, "--voxel-size", 1);
    struct tr_log log = {0};
    struct stats stats = {0};
    enum tr_status status = read_log(path, &log, NULL, NULL, NULL, error);
    if (status == TR_OK)
        status = resolve_log(path, &log, voxel, error);
    if (status == TR_OK)
        status = count_authors(&log, &stats, error);
    if (status == TR_OK) {
        for (size_t i = 0; i < log.count; i++)
            count_edit(&log.edits[i], &stats);
        if (tr_call_has(call, "--json"))
            status = stats_json(path, &log, &stats, voxel, error);
        else
            print_stats(path, &log, &stats, voxel);
    }
    free(stats.authors);
    tr_log_release(&log);
    return status;
}

static const struct tr_option stats_options[] = {TR_OPTION_VOXEL_SIZE, TR_OPTION_JSON, TR_OPTION_END};

static const struct tr_command stats_command = {
    .name = "log stats",
    .usage = "LOG",
    .summary = "say what a log does, by whom, when and where",
    .about =
        "What stamps write is counted by their boxes: columns of height brushes, samples of volume edits.\n"
        "What several reach counts for each. Boxes depend on the size of a voxel.",
    .examples = "  terrain log stats edits.jsonl\n  terrain log stats --json edits.jsonl | jq .operations",
    .least = 1,
    .most = 1,
    .options = stats_options,
    .run = run_stats,
};

/* ---- convert ---- */

static enum tr_status run_convert(const struct tr_call *call, struct tr_error *error)
{
    static const char *const names[] = {"JSON Lines in normal form", "JSON", "MessagePack"};
    struct target target;
    struct tr_log log = {0};
    struct tr_log_torn torn = {0};
    enum tr_status status = find_target(call, &target, error);
    if (status == TR_OK)
        status = read_log(call->arguments[0], &log, tr_call_has(call, "--recover") ? &torn : NULL, NULL, NULL,
                          error);
    if (status == TR_OK)
        status = write_log(call, &target, &log, error);
    if (status == TR_OK && torn.is_torn)
        fprintf(stderr, "%s:%d: left out the last line, at byte offset %zu, which is torn\n",
                tr_shown(log_name(call->arguments[0])), torn.line, torn.offset);
    if (status == TR_OK && !tr_call_has(call, "--quiet"))
        fprintf(stderr, "%s: %zu edit%s, %s\n", target_name(&target), log.count, plural(log.count),
                names[target.encoding]);
    tr_log_release(&log);
    return status;
}

static const struct tr_option convert_options[] = {
    TR_OPTION_LOG_OUT,
    TR_OPTION_FORMAT,
    TR_OPTION_FORCE,
    {"--recover", 0, TR_OPTION_FLAG, NULL, 0, 0, "leave out a last line of JSON Lines that is torn"},
    TR_OPTION_QUIET,
    TR_OPTION_END,
};

static const struct tr_command convert = {
    .name = "log convert",
    .usage = "LOG -o LOG",
    .summary = "write a log as JSON Lines, JSON or MessagePack",
    .about = "The edits stay the same, and edits without an id get the one of their content. Messages of the "
             "web client become edits.",
    .examples =
        "  terrain log convert edits.json -o edits.jsonl\n  terrain log convert session.msgpack -o - | head",
    .least = 1,
    .most = 1,
    .options = convert_options,
    .run = run_convert,
};

/* ---- filter ---- */

/* The voxels around what is given in metres. */
static bool set_bounds(struct tr_box *box, int axis, double least_m, double most_m, double voxel)
{
    const double most = 0x1p40; /* far beyond every world */
    double lo = floor(least_m / voxel), hi = ceil(most_m / voxel);
    box->lo[axis] = (int64_t)fmax(fmin(lo, most), -most);
    box->hi[axis] = (int64_t)fmax(fmin(hi, most), -most);
    return least_m <= most_m;
}

static enum tr_status read_bounds(const char *text, double voxel, struct tr_box *box, struct tr_error *error)
{
    double numbers[6];
    int count = tr_parse_point(text, numbers, 6), half = count / 2;
    bool is_good = count == 4 || count == 6;
    for (int i = 0; is_good && i < half; i++)
        is_good = set_bounds(box, half == 2 ? 2 * i : i, numbers[i], numbers[half + i], voxel);
    if (count == 4)
        set_bounds(box, 1, -HUGE_VAL, HUGE_VAL, voxel);
    return is_good ? TR_OK
                   : tr_fail(error, TR_USAGE,
                             "--bounds is '%s', expected X0,Z0,X1,Z1 or X0,Y0,Z0,X1,Y1,Z1 in metres, the "
                             "lesser first",
                             text);
}

static enum tr_status read_chunk_box(const char *text, struct tr_box *box, struct tr_error *error)
{
    double chunk[2];
    if (tr_parse_point(text, chunk, 2) != 2 || chunk[0] != floor(chunk[0]) || chunk[1] != floor(chunk[1]) ||
        fabs(chunk[0]) > TR_CHUNK_INDEX_MAX || fabs(chunk[1]) > TR_CHUNK_INDEX_MAX)
        return tr_fail(error, TR_USAGE, "--chunk is '%s', expected CX,CZ, whole numbers from -%d to %d", text,
                       TR_CHUNK_INDEX_MAX, TR_CHUNK_INDEX_MAX);
    set_bounds(box, 1, -HUGE_VAL, HUGE_VAL, 1);
    for (int i = 0; i < 2; i++) {
        box->lo[2 * i] = (int64_t)chunk[i] * TR_CHUNK;
        box->hi[2 * i] = box->lo[2 * i] + TR_CHUNK - 1;
    }
    return TR_OK;
}

static enum tr_status read_filter(const struct tr_call *call, struct tr_log_filter *filter,
                                  struct tr_error *error)
{
    const char *bounds = tr_call_text(call, "--bounds", NULL), *chunk = tr_call_text(call, "--chunk", NULL);
    const char *since = tr_call_text(call, "--since", NULL);
    *filter = (struct tr_log_filter){.has_bounds = bounds || chunk,
                                     .author = tr_call_text(call, "--author", NULL),
                                     .has_since = since != NULL};
    if (bounds && chunk)
        return tr_fail(error, TR_USAGE, "--bounds and --chunk exclude each other");
    if (!filter->has_bounds && !filter->author && !since)
        return tr_fail(error, TR_USAGE, "expected one of --bounds, --chunk, --author and --since");
    if (since && !parse_time(since, &filter->since_ms))
        return tr_fail(
            error, TR_USAGE,
            "--since is '%s', expected milliseconds or a time in UTC like 2024-01-31 or 2024-01-31T12:00:00Z",
            since);
    if (bounds)
        return read_bounds(bounds, tr_call_number(call, "--voxel-size", 1), &filter->bounds, error);
    return chunk ? read_chunk_box(chunk, &filter->bounds, error) : TR_OK;
}

static enum tr_status run_filter(const struct tr_call *call, struct tr_error *error)
{
    struct target target;
    struct tr_log_filter filter;
    struct tr_log log = {0};
    size_t dropped = 0;
    enum tr_status status = find_target(call, &target, error);
    if (status == TR_OK)
        status = read_filter(call, &filter, error);
    if (status == TR_OK)
        status = read_log(call->arguments[0], &log, NULL, NULL, NULL, error);
    if (status == TR_OK && filter.has_bounds)
        status = resolve_log(call->arguments[0], &log, tr_call_number(call, "--voxel-size", 1), error);
    if (status == TR_OK) {
        tr_log_filter(&log, &filter, &dropped);
        status = write_log(call, &target, &log, error);
    }
    if (status == TR_OK && !tr_call_has(call, "--quiet"))
        fprintf(stderr, "%s: %zu of %zu edit%s kept\n", target_name(&target), log.count, log.count + dropped,
                plural(log.count + dropped));
    tr_log_release(&log);
    return status;
}

static const struct tr_option filter_options[] = {
    TR_OPTION_LOG_OUT,
    {"--bounds", 0, TR_OPTION_TEXT, "X0,Z0,X1,Z1", 0, 0,
     "keep edits that write within these metres; or X0,Y0,Z0,X1,Y1,Z1"},
    {"--chunk", 0, TR_OPTION_TEXT, "CX,CZ", 0, 0, "keep edits that write in this chunk"},
    {"--author", 0, TR_OPTION_TEXT, "NAME", 0, 0, "keep edits of this author"},
    {"--since", 0, TR_OPTION_TEXT, "TIME", 0, 0,
     "keep edits made then or later: milliseconds, or ISO 8601 in UTC, 2024-01-31T12:00:00Z; edits without a "
     "time go"},
    TR_OPTION_VOXEL_SIZE,
    TR_OPTION_FORMAT,
    TR_OPTION_FORCE,
    TR_OPTION_QUIET,
    TR_OPTION_END,
};

static const struct tr_command filter_command = {
    .name = "log filter",
    .usage = "LOG -o LOG",
    .summary = "keep the edits of a place, an author or a time",
    .about = "With several conditions all must hold. An edit is in a place if the box that one of its stamps "
             "writes\n"
             "meets it; boxes depend on the size of a voxel. Edits that read their surroundings may do "
             "something else\n"
             "without those that went before.",
    .examples = "  terrain log filter edits.jsonl --chunk 3,5 -o here.jsonl\n"
                "  terrain log filter edits.jsonl --author Ada --since 2024-01-31 -o -",
    .least = 1,
    .most = 1,
    .options = filter_options,
    .run = run_filter,
};

/* ---- merge ---- */

static enum tr_status run_merge(const struct tr_call *call, struct tr_error *error)
{
    struct target target;
    size_t count = (size_t)call->argument_count, total = 0;
    struct tr_log log = {0}, *parts = calloc(count, sizeof *parts);
    const char **names = calloc(count, sizeof *names);
    enum tr_status status = find_target(call, &target, error);
    if (status == TR_OK)
        status = tr_check_one_input(call, error);
    if (status == TR_OK && (!parts || !names))
        status = tr_fail(error, TR_IO, "out of memory");
    for (size_t i = 0; i < count && status == TR_OK; i++) {
        names[i] = log_name(call->arguments[i]);
        status = read_log(call->arguments[i], &parts[i], NULL, NULL, NULL, error);
        total += parts[i].count;
    }
    if (status == TR_OK)
        status = tr_log_merge(&log, parts, names, count, error);
    if (status == TR_OK)
        status = write_log(call, &target, &log, error);
    if (status == TR_OK && !tr_call_has(call, "--quiet")) {
        fprintf(stderr, "%s: %zu edit%s of %zu log%s", target_name(&target), log.count, plural(log.count),
                count, plural(count));
        fprintf(stderr, total > log.count ? "; %zu that more than one has\n" : "\n", total - log.count);
    }
    for (size_t i = 0; parts && i < count; i++)
        tr_log_release(&parts[i]);
    tr_log_release(&log);
    free(parts);
    free(names);
    return status;
}

static const struct tr_option merge_options[] = {
    TR_OPTION_LOG_OUT, TR_OPTION_FORMAT, TR_OPTION_FORCE, TR_OPTION_QUIET, TR_OPTION_END,
};

static const struct tr_command merge = {
    .name = "log merge",
    .usage = "LOG... -o LOG",
    .summary = "make one log of several, by time",
    .about = "Edits are sorted by time, then author; those equal in both stay in the order given. Each edit "
             "needs a\n"
             "time, and none may be before the one above it in its log. An edit that several logs have under "
             "one id\n"
             "is taken once if it is equal in all, else the logs are refused.",
    .examples = "  terrain log merge ada.jsonl grace.jsonl -o both.jsonl",
    .least = 1,
    .most = TR_ARGUMENTS_ANY,
    .options = merge_options,
    .run = run_merge,
};

/* ---- optimize ---- */

static enum tr_status run_optimize(const struct tr_call *call, struct tr_error *error)
{
    struct target target;
    struct tr_log log = {0};
    struct tr_log_optimized result = {0};
    enum tr_status status = find_target(call, &target, error);
    if (status == TR_OK)
        status = read_log(call->arguments[0], &log, NULL, NULL, NULL, error);
    if (status == TR_OK)
        status = tr_log_optimize(&log, &result, error);
    if (status == TR_OK)
        status = write_log(call, &target, &log, error);
    if (status == TR_OK && !tr_call_has(call, "--quiet"))
        fprintf(stderr, "%s: %zu edit%s; dropped %zu edit%s and %zu transform%s, made %zu blend%s hard\n",
                target_name(&target), log.count, plural(log.count), result.edits_dropped,
                plural(result.edits_dropped), result.nodes_dropped, plural(result.nodes_dropped),
                result.blends_hardened, plural(result.blends_hardened));
    tr_log_release(&log);
    return status;
}

static const struct tr_command optimize = {
    .name = "log optimize",
    .usage = "LOG -o LOG",
    .summary = "leave out what changes nothing",
    .about =
        "Drops transforms that do nothing and folds nested ones into one, makes blends hard that are too "
        "narrow\n"
        "to matter, drops edits that change nothing on any world. The replay gives the same bytes; ids stay.",
    .examples = "  terrain log optimize edits.jsonl -o fewer.jsonl",
    .least = 1,
    .most = 1,
    .options = merge_options,
    .run = run_optimize,
};

static const struct tr_command *const verbs[] = {&check, &stats_command, &convert, &filter_command,
                                                 &merge, &optimize,      NULL};

const struct tr_command tr_command_log = {
    .name = "log",
    .usage = "check|stats|convert|filter|merge|optimize ...",
    .summary = "check, count, convert, filter, merge and optimize edit logs",
    .about = "Logs are JSON, JSON Lines or MessagePack, told apart by content; '-' is standard input, and "
             "with -o standard output.",
    .verbs = verbs,
};
