/* Status and error: how every function of the library says what went wrong.
 *
 * A function that can fail returns a tr_status and fills a tr_error with one line: what failed, where (file,
 * line or byte offset, edit id), what was found, what was expected. The library never prints and never exits;
 * `cmd` prints the line and exits with the status, whose numbers are the exit codes. */
#ifndef TR_BASE_STATUS_H
#define TR_BASE_STATUS_H

enum tr_status {
    TR_OK = 0,
    TR_NO = 1,        /* the answer is no: diff found a difference, verify a defect */
    TR_USAGE = 2,     /* wrong command line */
    TR_BAD_INPUT = 3, /* a file or number that is not what it must be */
    TR_IO = 4,        /* the system refused: read, write, memory, space */
    TR_NO_DEVICE = 5, /* no usable compute device, or it was lost */
};

#define TR_ERROR_TEXT_BYTES 1024

struct tr_error {
    enum tr_status status;
    char text[TR_ERROR_TEXT_BYTES]; /* one line, lower case, no full stop, no newline */
};

/* Fills *error (NULL: nobody wants it) with a printf-formatted line and returns `status`. A text too long is
 * cut; control characters in it are shown as '?', so that hostile names cannot fake a second line. */
enum tr_status tr_fail(struct tr_error *error, enum tr_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The same with ": <strerror(errno)>" behind the text and status TR_IO. */
enum tr_status tr_fail_errno(struct tr_error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
