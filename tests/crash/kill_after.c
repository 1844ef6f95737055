/* kill_after MICROSECONDS COMMAND...: runs the command and kills it (SIGKILL) when the time is up. Exits 137
 * then, else as the command did. A timer does it, for a shell's sleep starts late by a process.
 * kill_after measure COMMAND...: prints the microseconds that the command takes. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t child;

static void kill_child(int number)
{
    (void)number;
    kill(child, SIGKILL);
}

static long microseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000L + now.tv_nsec / 1000;
}

int main(int argc, char **argv)
{
    const struct sigaction action = {.sa_handler = kill_child, .sa_flags = SA_RESTART};
    struct itimerval timer = {0};
    sigset_t alarm_only, before;
    long delay, start = microseconds();
    int status = 0;

    if (argc < 3)
        return 2;
    delay = strtol(argv[1], NULL, 10);
    sigaction(SIGALRM, &action, NULL);
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    sigprocmask(SIG_BLOCK, &alarm_only, &before); /* until it is known whom to kill */
    child = fork();
    if (child < 0)
        return 2;
    if (child == 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    timer.it_value.tv_sec = delay / 1000000;
    timer.it_value.tv_usec = delay % 1000000;
    setitimer(ITIMER_REAL, &timer, NULL); /* zero, as of "measure", starts none */
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (waitpid(child, &status, 0) != child)
        return 2;
    if (strcmp(argv[1], "measure") == 0)
        printf("%ld\n", microseconds() - start);
    return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}
